#include "systems/azure_c_retry_control/ports/c_hostile.hpp"

#include <climits>
#include <csignal>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "histories/present.hpp"
#include "host/constant_text.hpp"
#include "host/guard.hpp"

namespace backoff::systems {
namespace {

using namespace azure_c_calls;
namespace model = spec::azure_c_retry_control;

constexpr int interval = static_cast<int>(model::policy::interval);
constexpr int jittered = static_cast<int>(model::policy::exponential_backoff_with_jitter);
constexpr unsigned limit_s = 60;
constexpr unsigned initial_wait = 9;
constexpr unsigned max_jitter = 7;
constexpr std::int64_t nothing_fails = 0;

struct wrong : std::runtime_error {
  using runtime_error::runtime_error;
};
struct accepts_unknown_option : wrong {
  using wrong::wrong;
};

// Where the allocation with that number fails, or the option with that number cannot be added.
class hostile_surroundings final : public sdk_surroundings {
 public:
  std::uint32_t rand() override { return 1; }
  std::int64_t get_time() noexcept override { return now; }
  std::optional<moment> time_of_day() noexcept override { return moment{now, 0}; }
  std::optional<moment> ticks() noexcept override { return ticks_fail ? std::nullopt : time_of_day(); }
  void sleep(std::int64_t, std::int64_t) noexcept override {}
  bool malloc_fails() noexcept override { return ++allocations == failing_allocation; }
  void allocated(std::int64_t more) noexcept override { live += more; }
  bool option_create_fails() noexcept override { return malloc_fails(); }
  bool option_add_fails(std::size_t) noexcept override { return ++options == failing_option; }
  bool option_feed_fails() noexcept override { return false; }

  void refuse(std::int64_t allocation, std::int64_t option = nothing_fails) noexcept {
    allocations = options = 0;
    failing_allocation = allocation;
    failing_option = option;
  }
  [[nodiscard]] bool has_refused() const noexcept {
    return (failing_allocation != 0 && allocations >= failing_allocation) ||
           (failing_option != 0 && options >= failing_option);
  }

  std::int64_t now = 100;
  std::int64_t live = 0;
  std::int64_t allocations = 0;
  std::int64_t options = 0;
  std::int64_t failing_allocation = nothing_fails;
  std::int64_t failing_option = nothing_fails;
  bool ticks_fail = false;
};

std::string signal_name(int signal) {
  return signal == SIGABRT ? "aborted" : "crashed (" + std::string(strsignal(signal)) + ")";
}
std::string text_of(std::size_t name) { return std::string(option_names()[name]); }

class trial {
 public:
  explicit trial(control_functions const& of) noexcept : of_(&of) {}

  void create();
  void should_retry();
  void set_option();
  void retrieve_options();
  void is_timeout_reached();

 private:
  static constexpr std::int64_t many = 64;  // allocations of a call

  // The call's result; throws where it crashes.
  template <class Call>
  auto made(std::string const& function, std::string const& where, Call const& call) {
    decltype(call()) result{};
    auto* const before = around;
    int const signal = crash_guard::signal_of([&] {
      around = &in_;
      result = call();
    });
    around = before;
    if (signal != 0) throw wrong(function + " " + signal_name(signal) + " " + where);
    if (in_.misuse != nullptr) throw wrong(function + " " + in_.misuse + " " + where);
    return result;
  }
  template <class Call>
  void made_without_result(std::string const& function, std::string const& where, Call const& call) {
    made(function, where, [&] {
      call();
      return 0;
    });
  }

  void* created(int policy, std::string const& where) {
    return made("retry_control_create", where, [&] { return of_->create(policy, limit_s); });
  }
  // As every other trial needs it.
  void* usual() {
    in_.refuse(nothing_fails);
    void* const handle = created(interval, "in an ordinary call");
    if (handle == nullptr) throw wrong("retry_control_create returned NULL although nothing failed");
    set(handle, initial_wait, max_jitter);
    return handle;
  }
  void destroyed(void* handle) {
    made_without_result("retry_control_destroy", "in an ordinary call", [&] { of_->destroy(handle); });
  }
  // Literals, which end with 0.
  [[nodiscard]] static char const* name_of(std::size_t option) noexcept { return option_names()[option].data(); }
  int set(void* handle, char const* name, void const* value, std::string const& where) {
    return made("retry_control_set_option", where, [&] { return of_->set_option(handle, name, value); });
  }
  void set(void* handle, unsigned wait, unsigned jitter) {
    set(handle, name_of(0), &wait, "in an ordinary call");
    set(handle, name_of(1), &jitter, "in an ordinary call");
  }
  void* retrieved(void* handle, std::string const& where) {
    return made("retry_control_retrieve_options", where, [&] { return of_->retrieve_options(handle); });
  }
  // What the handler has of both options; throws where it lacks one.
  [[nodiscard]] std::pair<unsigned, unsigned> values_in(option_handler const& of, std::string const& where) const {
    std::optional<unsigned> found[2];
    for (auto const& option : of.options) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (option.name == option_names()[i]) found[i] = *static_cast<unsigned const*>(option.value);
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (!found[i]) throw wrong("retry_control_retrieve_options returned options without " + text_of(i) + " " + where);
    }
    return {present(found[0]), present(found[1])};
  }
  std::pair<unsigned, unsigned> options_of(void* handle) {
    in_.refuse(nothing_fails);
    auto const* const all = handler_at(retrieved(handle, "in an ordinary call"));
    if (all == nullptr) throw wrong("retry_control_retrieve_options returned no options although nothing failed");
    auto const result = values_in(*all, "although nothing failed");
    released(const_cast<option_handler*>(all));
    return result;
  }
  void released(option_handler* all) {
    made_without_result("a callback that destroys options", "in an ordinary call", [&] { destroy_handler(all); });
  }
  void keeps(void* handle, std::pair<unsigned, unsigned> const& options, std::string const& where) {
    if (options_of(handle) != options) throw wrong("retry_control_set_option changed options " + where);
  }
  void leaks_nothing(std::string const& function, std::int64_t before, std::string const& where) const {
    if (in_.live != before)
      throw wrong(function + " left " + std::to_string(in_.live - before) + " more allocated than before " + where);
  }
  static std::string where_refused(std::int64_t allocation) {
    return "where its allocation " + std::to_string(allocation) + " fails";
  }

  static std::string where_it_was(int action) {
    return "for an action that was " + std::to_string(action) + " before the call";
  }
  // The actions of a cycle on a new instance.
  std::string actions_after(int before);
  void policies_that_are_none();
  void unknown_names(void* handle);
  void callbacks(void* handle);

  control_functions const* of_;
  hostile_surroundings in_;
};

// ---- create ----

void trial::create() {
  for (std::int64_t i = 1; i <= many; ++i) {
    auto const where = where_refused(i);
    in_.refuse(i);
    void* const handle = created(interval, where);
    if (!in_.has_refused()) {
      if (handle != nullptr) destroyed(handle);
      break;
    }
    if (handle != nullptr) destroyed(handle);  // it went on without
    leaks_nothing("retry_control_create", 0, where);
  }
  policies_that_are_none();
}

// 004 to 006 are for every policy, and say that the wait is 5 where it is no exponential one. A library may refuse it,
// by an assertion if need be.
void trial::policies_that_are_none() {
  for (int const policy : {-1, 7, 1'000'000, INT_MIN, INT_MAX}) {
    auto const where = "for a policy of " + std::to_string(policy) + ", which is none";
    in_.refuse(nothing_fails);
    void* handle = nullptr;
    auto* const before = around;
    int const signal = crash_guard::signal_of([&] {
      around = &in_;
      handle = of_->create(policy, limit_s);
      if (handle == nullptr) return;
      int action = 0;
      for (in_.now = 100; in_.now < 110; in_.now += 5) of_->should_retry(handle, &action);
      of_->reset(handle);
      of_->destroy(handle);
    });
    around = before;
    if (signal != 0 && signal != SIGABRT) throw wrong("an instance " + signal_name(signal) + " " + where);
    if (signal == SIGABRT) in_.live = 0;
  }
}

// ---- should_retry ----

std::string trial::actions_after(int before) {
  void* const handle = usual();
  guarded_page const page;
  std::string actions;
  for (in_.now = 100; in_.now < 130; in_.now += 3) {
    int& action = page.put(before);
    int const failed =
        made("retry_control_should_retry", where_it_was(before), [&] { return of_->should_retry(handle, &action); });
    actions.append(failed == 0 ? std::to_string(action) : "fails").append(" ");
  }
  destroyed(handle);
  return actions;
}

void trial::should_retry() {
  // Whatever the action was. Instances may differ for reasons of their own: then what differs does not come again.
  auto const own = actions_after(0);
  for (int const before : {1, 2, 99, -1}) {
    auto const other = actions_after(before);
    if (other != own && actions_after(before) == other && actions_after(0) == own)
      throw wrong("retry_control_should_retry answered otherwise " + where_it_was(before) + " than " + where_it_was(0));
  }
  for (std::int64_t i = 1; i <= many; ++i) {
    void* const handle = usual();
    auto const before = in_.live;
    in_.refuse(i);
    in_.ticks_fail = i % 2 == 0;
    int action = 0;
    for (in_.now = 100; in_.now < 130; in_.now += 3)
      made("retry_control_should_retry", where_refused(i), [&] { return of_->should_retry(handle, &action); });
    bool const was_last = !in_.has_refused();
    leaks_nothing("retry_control_should_retry", before, where_refused(i));
    destroyed(handle);
    in_.ticks_fail = false;
    if (was_last && i > 1) break;
  }
}

// ---- set_option ----

void trial::set_option() {
  void* const handle = usual();
  auto const options = options_of(handle);
  guarded_page const page;
  guarded_page const name_page;
  for (std::size_t i = 0; i < 2; ++i) {
    auto const where = "for " + text_of(i) + ", whose value is the last number before memory that cannot be read";
    unsigned const& value = page.put(i == 0 ? initial_wait : max_jitter);
    if (set(handle, name_page.put(name_of(i)), &value, where) != 0)
      throw wrong("retry_control_set_option failed " + where);
  }
  keeps(handle, options, "that were set to what they were");
  unknown_names(handle);
  keeps(handle, options, "by a name that is no option");
  for (std::int64_t i = 1; i <= many; ++i) {  // of a feed too
    in_.refuse(nothing_fails);
    auto* const all = handler_at(retrieved(handle, "in an ordinary call"));
    if (all == nullptr) break;
    auto const before = in_.live;
    in_.refuse(i);
    set(handle, name_of(2), all, where_refused(i));
    bool const was_last = !in_.has_refused();
    leaks_nothing("retry_control_set_option", before, where_refused(i));
    released(all);
    if (was_last) break;
  }
  destroyed(handle);
}

void trial::unknown_names(void* handle) {
  guarded_page const page;
  guarded_page const name_page;
  void const* const at_end = page.last(1);
  void const* const opaque = reinterpret_cast<void const*>(std::uintptr_t{1});
  auto const refused = [&](void* on, char const* name, void const* value, std::string const& where) {
    if (set(on, name, value, where) != 0) return;
    auto const what = "retry_control_set_option succeeded " + where;
    if (on == nullptr || name == nullptr) throw wrong(what);
    throw accepts_unknown_option(what);
  };
  std::string const long_name(300, 'x');
  for (char const* const name :
       {"", " ", "x", "initial_wait_time_in_secs ", " initial_wait_time_in_secs", "INITIAL_WAIT_TIME_IN_SECS",
        "initial_wait_time", "max_jitter", "max_jitter_percents", "retry_control_option", "retry_control_options_",
        "Retry_control_options", long_name.c_str()}) {
    auto const named = "for the unknown option \"" + std::string(name) + "\" with ";
    refused(handle, name_page.put(name), opaque, named + "a pointer that is not to be read");
    refused(handle, name_page.put(name), at_end, named + "a value of one byte");
  }
  refused(handle, nullptr, opaque, "for the name NULL with a pointer that is not to be read");
  for (auto const name : option_names().first(3))
    refused(nullptr, name.data(), opaque, "for the handle NULL with a pointer that is not to be read");
  // Whatever an undocumented option may ask of its value.
  for (auto const& text : constant_texts(reinterpret_cast<void const*>(of_->set_option))) {
    if (text == option_names()[0] || text == option_names()[1] || text == option_names()[2]) continue;
    for (unsigned const number : {1U, 50U, 1'000U}) {
      unsigned const values[16] = {number, number, number, number};
      refused(handle, text.c_str(), values,
              "for \"" + text + "\", a text among the library's constants that is no documented option");
    }
  }
}

// ---- retrieve_options ----

void trial::retrieve_options() {
  void* const handle = usual();
  auto const before = in_.live;
  for (std::int64_t i = 1; i <= many; ++i) {
    in_.refuse(i);
    auto* const all = handler_at(retrieved(handle, where_refused(i)));
    bool const was_last = !in_.has_refused();
    if (all != nullptr) {
      static_cast<void>(values_in(*all, where_refused(i)));
      released(all);
    }
    leaks_nothing("retry_control_retrieve_options", before, where_refused(i));
    if (was_last) break;
  }
  for (std::int64_t i = 1; i <= 2; ++i) {
    auto const where = "where OptionHandler_Add fails for option " + std::to_string(i);
    in_.refuse(nothing_fails, i);
    if (void* const all = retrieved(handle, where); all != nullptr)
      throw wrong("retry_control_retrieve_options returned options " + where);
    leaks_nothing("retry_control_retrieve_options", before, where);
  }
  callbacks(handle);
}

void trial::callbacks(void* handle) {
  auto const as_saved = std::pair{initial_wait, max_jitter};
  in_.refuse(nothing_fails);
  auto* const all = handler_at(retrieved(handle, "in an ordinary call"));
  if (all == nullptr) throw wrong("retry_control_retrieve_options returned no options although nothing failed");
  set(handle, 3, 4);
  if (values_in(*all, "although nothing failed") != as_saved)
    throw wrong("options that retry_control_retrieve_options returned change when those of the instance do");

  void* const other =
      made("retry_control_create", "in an ordinary call", [&] { return of_->create(jittered, limit_s); });
  set(other, 1, 5);
  std::string const callback = "the callback that sets options";
  auto const sets = [&](std::size_t name, unsigned value, std::string const& where) {
    return made(callback, where, [&] { return all->set(other, name_of(name), &value); }) == 0;
  };
  if (set(other, name_of(2), all, "for options of another instance") != 0)
    throw wrong("retry_control_set_option refused options that retry_control_retrieve_options returned");
  keeps(other, as_saved, "to others than those that it was fed");
  if (!sets(0, 11, "in an ordinary call") || !sets(1, 12, "in an ordinary call"))
    throw wrong(callback + " failed for a documented value");
  keeps(other, {11, 12}, "to others than " + callback + " was given");
  for (auto const& [name, value] : {std::pair{0U, 0U}, {1U, 101U}, {1U, UINT_MAX}, {3U, 1U}}) {
    if (sets(name, value, "for a bad value"))
      throw wrong(callback + " succeeded for " + text_of(name) + " with the value " + std::to_string(value));
  }
  keeps(other, {11, 12}, "by a value that " + callback + " refused");
  destroyed(other);

  destroyed(handle);  // the options outlive it
  auto const before = in_.live;
  void* const third = usual();
  set(third, 1, 1);
  if (set(third, name_of(2), all, "for options of an instance that was destroyed") != 0)
    throw wrong("options do not outlive the instance that they were retrieved from");
  keeps(third, as_saved, "to others than those of the instance that was destroyed");
  destroyed(third);
  for (char const* const name : {name_of(0), name_of(1), "unknown"}) {
    guarded_page const page;
    auto const where = "for a value of " + std::string(name) + " before memory that cannot be read";
    unsigned const& value = page.put(6U);
    void* const clone = made("the callback that clones options", where, [&] { return all->clone(name, &value); });
    if (clone == &value) throw wrong("the callback that clones options returned the value itself");
    if (clone != nullptr)
      made_without_result("the callback that destroys options", where, [&] { all->destroy(name, clone); });
    leaks_nothing("clone and destroy", before, where);
  }
  released(all);
  if (in_.live != 0) throw wrong("the callback that destroys options left memory allocated");
}

// ---- is_timeout_reached ----

void trial::is_timeout_reached() {
  guarded_page const page;
  for (std::int64_t i = 0; i <= many; ++i) {
    in_.refuse(i);
    in_.ticks_fail = i % 2 == 1;
    bool& out = page.put(false);
    std::string const where = i == 0 ? "for an answer before memory that cannot be written" : where_refused(i);
    made("is_timeout_reached", where, [&] { return of_->is_timeout_reached(100, 5, &out); });
    leaks_nothing("is_timeout_reached", 0, where);
    if (page.is_written_before(sizeof out)) throw wrong("is_timeout_reached wrote before its answer");
    if (i > 1 && !in_.has_refused()) break;
  }
}

// Where the function is given NULL or an unknown name, or has no memory: what it does in everyday calls, and in those
// where a history makes an option handler fail, is not hidden by what it does in hostile ones.
bool is_hostile(step const& s) noexcept {
  if (s.op == create) return fails_of(s) != 0;
  return nulls_of(s) != 0 || (s.op == set_option && option_of(s) == model::option::unsupported);
}

}  // namespace

hostile_fault const& hostile_calls::wrong_in(step const& s) {
  static hostile_fault const nothing;
  if (!is_hostile(s)) return nothing;
  auto& known = wrong_[s.op];
  if (known) return *known;
  known.emplace();
  trial t(*of_);
  try {
    if (s.op == create) t.create();
    if (s.op == should_retry) t.should_retry();
    if (s.op == set_option) t.set_option();
    if (s.op == retrieve_options) t.retrieve_options();
    if (s.op == is_timeout_reached) t.is_timeout_reached();
  } catch (accepts_unknown_option const& why) {
    known = {why.what(), true};
  } catch (wrong const& why) {
    known = {why.what()};
  }
  return *known;
}

}  // namespace backoff::systems
