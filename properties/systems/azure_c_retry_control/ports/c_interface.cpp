// iothub_client_retry_control in C, by the functions that its requirements list. It takes the time, ticks of a clock
// and option handlers from the SDK around it: they are supplied here, as the history scripts them, and fail where it
// says so. Where the history asks for one of several calls, such as one with any unknown name, each is made until one
// breaks the law; the answer is that of the last one.
#include "host/c_interface.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "histories/present.hpp"
#include "host/constant_text.hpp"
#include "host/guard.hpp"
#include "host/imported.hpp"
#include "host/surroundings.hpp"
#include "systems/azure_c_retry_control/ports/c_sdk.hpp"
#include "systems/azure_c_retry_control/ports/port.hpp"

namespace backoff::systems {
namespace {

using namespace retry_control;

constexpr std::array functions{
    "retry_control_create",           "retry_control_should_retry", "retry_control_reset", "retry_control_set_option",
    "retry_control_retrieve_options", "retry_control_destroy",      "is_timeout_reached",
};

// ---- The call at hand ----

// The surroundings of one instance, in terms of what the history scripts for it.
class scripted_surroundings final : public sdk_surroundings {
 public:
  std::uint32_t rand() override { return script.rand(); }
  std::int64_t get_time() noexcept override { return is_scripted() ? script.get_time() : now_.seconds; }
  std::optional<moment> time_of_day() noexcept override {
    return moment_of(is_scripted() ? script.time_of_day() : now_.seconds);
  }
  std::optional<moment> ticks() noexcept override { return moment_of(is_scripted() ? script.ticks() : now_.seconds); }
  void sleep(std::int64_t, std::int64_t) noexcept override {}  // no call of the document sleeps
  bool malloc_fails() noexcept override { return ++allocations == failing_allocation || refuses_memory_; }
  void allocated(std::int64_t more) noexcept override { script.live += more; }
  bool option_create_fails() noexcept override { return script.fails(fail_option_create); }
  addition option_added() noexcept override { return additions_++ == failing_option ? fails_by : addition::succeeds; }
  void refuse_memory(bool refuses) noexcept override { refuses_memory_ = refuses; }
  bool option_feed_fails() noexcept override { return script.fails(fail_option_feed); }

  void begin(step const& s, moment const& now) {
    call_ = &s;
    now_ = now;
    script.begin(s);
    fail_nothing();
  }
  void fail_nothing() noexcept {
    note.clear();
    allocations = failing_allocation = 0;
    fails_by = addition::succeeds;
    refuses_memory_ = false;
    additions_ = 0;
  }

  scripted script;
  std::string note;                     // what the answer does not say of the call
  std::int64_t allocations = 0;         // of the call
  std::int64_t failing_allocation = 0;  // which of them, from 1 on; 0: none
  std::size_t failing_option = 0;       // which addition, from 0 on
  addition fails_by = addition::succeeds;

 private:
  [[nodiscard]] bool is_scripted() const noexcept { return !readings_of(*call_).empty(); }
  [[nodiscard]] std::optional<moment> moment_of(std::int64_t reading) const noexcept {
    if (reading == -1) return std::nullopt;
    return moment{reading, now_.nanoseconds};
  }

  step const* call_ = nullptr;
  moment now_;
  bool refuses_memory_ = false;
  std::size_t additions_ = 0;
};

// What histories do not script: what clocks read in calls that script no reading, which is what the last call scripted
// or the first will, and nanoseconds. There are some microseconds more in each call, so that none is like another, none
// goes back, and whole seconds pass from one to the next.
class unscripted_clock {
 public:
  explicit unscripted_clock(history const& h) noexcept
      : random_(drawn_from(h)), now_{usual_time, random_.between(0, a_second / 4)} {
    for (auto const& s : h.steps | std::views::reverse) note(readings_of(s) | std::views::reverse);
  }
  moment in(step const& s) noexcept {
    constexpr std::int64_t latest = a_second / 2 - 1;
    now_.nanoseconds = std::min(now_.nanoseconds + random_.between(1'000, 9'999), latest);
    auto const during = now_;
    note(readings_of(s));
    return during;
  }

 private:
  void note(auto const& readings) {
    for (auto const& r : readings) {
      if (r.n != -1) now_.seconds = r.n;
    }
  }

  random_bits random_;
  moment now_;
};

// The signal that a call into the library ended with in these surroundings; 0 where it returned.
template <class Call>
int signal_in(scripted_surroundings& in, Call const& call) {
  auto* const before = std::exchange(around, &in);
  int const signal = crash_guard::signal_of(call);
  around = before;
  return signal;
}

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// What is known of a library before any history.
struct library {
  control_functions functions;
  std::vector<std::int64_t> needed_allocations{};  // of create: without one of them there is no instance
  control_set_option* set_saved = nullptr;         // what its option handlers are fed by
  std::vector<std::string> constants{};            // texts, of which one may be the name of an undocumented option
};

// What a call is given ends where memory ends that can be used.
struct guarded_pages {
  guarded_page value;
  guarded_page name;
  guarded_page answer;
};

// An instance, as retry_control_port.hpp asks for it.
class instance {
 public:
  instance(library const& of, guarded_pages const& given, scripted_surroundings& in) noexcept
      : library_(&of), of_(&of.functions), given_(&given), in_(&in) {}
  instance(instance const&) = delete;
  ~instance() {
    if (handle_ == nullptr) return;
    in_surroundings const these(in_);
    of_->destroy(handle_);
  }

  bool create(model::policy which, std::uint32_t limit) {
    auto const made = [&] {
      in_surroundings const these(in_);
      handle_ = of_->create(static_cast<int>(which), limit);
      return handle_ != nullptr;
    };
    if (!in_->script.fails(fail_malloc)) return made();
    for (auto const needed : library_->needed_allocations) {
      in_->fail_nothing();
      in_->failing_allocation = needed;
      if (made() || in_->script.live != 0) break;
    }
    return handle_ != nullptr;
  }

  int should_retry(model::action& what) {
    constexpr int unset = -1;
    int& action = given_->answer.put(unset);
    int const failed = decide(is_null(null_action) ? nullptr : &action);
    if (failed == 0 && (action < 0 || action > static_cast<int>(model::action::stop_retrying)))
      throw broken_contract(action == unset ? "retry_control_should_retry returned 0 and set no action"
                                            : "retry_control_should_retry set the action " + std::to_string(action) +
                                                  ": expected 0 (now), 1 (later) or 2 (stop)");
    what = static_cast<model::action>(action);
    return failed;
  }

  void reset() {
    in_surroundings const these(in_);
    of_->reset(handle());
  }

  int set_number(std::int64_t name, unsigned value) {
    int const failed = set(name, &given_->value.put(value));
    bool const is_any_other = static_cast<model::option>(name) == model::option::unsupported;
    bool const has_all = !is_null(null_handle) && !is_null(null_name) && !is_null(null_value);
    return failed != 0 && is_any_other && has_all ? set_unknown() : failed;
  }

  int set_saved(std::optional<std::uint32_t> wait, std::optional<std::uint32_t> jitter) {
    auto* const set_saved = library_->set_saved == nullptr ? of_->set_option : library_->set_saved;
    auto* const all = new_handler({nullptr, [](char const*, void const*) {}, set_saved});
    auto const add = [&](std::size_t name, std::optional<std::uint32_t>& value) {
      if (value) all->options.push_back({std::string(option_names()[name]), &*value});
    };
    add(0, wait);
    add(1, jitter);
    int const failed = set(static_cast<std::int64_t>(model::option::retry_control_options), all);
    if (handler_at(all) == nullptr)
      throw broken_contract("retry_control_set_option destroyed the options that it was given");
    destroy_handler(all);
    return failed;
  }

  std::optional<options> retrieve();

  void destroy() {
    in_surroundings const these(in_);
    of_->destroy(handle());
    if (!is_null(null_handle)) handle_ = nullptr;
  }

  int timeout(std::int64_t start, std::uint32_t secs, bool& out) {
    constexpr unsigned char unset = 0xa5;
    unsigned char& answered = given_->answer.put(unset);  // a bool of the library's, which may hold anything
    int failed = 0;
    {
      in_surroundings const these(in_);
      auto* const answer = reinterpret_cast<bool*>(&answered);
      failed = of_->is_timeout_reached(start, secs, is_null(null_out) ? nullptr : answer);
    }
    if (given_->answer.is_written_before(sizeof answered))
      throw broken_contract("is_timeout_reached wrote before the place for its answer");
    if (failed == 0 && answered > 1)
      throw broken_contract(answered == unset ? "is_timeout_reached returned 0 and set no answer"
                                              : "is_timeout_reached set a bool that is neither true nor false");
    out = answered == 1;
    return failed;
  }

 private:
  [[nodiscard]] bool is_null(null_bit w) const noexcept { return in_->script.is_null(w); }
  [[nodiscard]] void* handle() const noexcept { return is_null(null_handle) ? nullptr : handle_; }

  int decide(int* action) {
    in_surroundings const these(in_);
    return of_->should_retry(handle(), action);
  }
  std::optional<options> retrieve_once(std::string const& where);
  int set(std::int64_t name, void const* value) {
    char const* const text = option_names()[static_cast<std::size_t>(name)].data();
    return set(is_null(null_name) ? nullptr : given_->name.put(text), is_null(null_value) ? nullptr : value, "");
  }
  int set(char const* name, void const* value, std::string_view what) {
    int failed = 0;
    auto const where = [&] { return "for the option " + in_quotes(name == nullptr ? "NULL" : name).append(what); };
    guarded("retry_control_set_option", where, [&] { failed = of_->set_option(handle(), name, value); });
    return failed;
  }
  int set_unknown();
  // A call that may crash: then the history ends here, and says where.
  template <class Where, class Call>
  void guarded(std::string_view function, Where const& where, Call const& call) {
    if (int const signal = signal_in(*in_, call); signal != 0)
      throw broken_contract(std::string(function) + " crashed (" + strsignal(signal) + ") " + where());
  }

  library const* library_;
  control_functions const* of_;
  guarded_pages const* given_;
  scripted_surroundings* in_;
  void* handle_ = nullptr;
};

std::optional<options> instance::retrieve() {
  if (!in_->script.fails(fail_option_add)) return retrieve_once("in an ordinary call");
  auto const before = in_->script.live;
  std::optional<options> found;
  for (auto const how : {addition::fails, addition::lacks_memory}) {
    for (std::size_t option = 0; option < 2; ++option) {
      in_->fail_nothing();
      in_->failing_option = option;
      in_->fails_by = how;
      auto const* const why = how == addition::fails ? " cannot be added" : " cannot be cloned, for want of memory";
      found = retrieve_once("where " + std::string(option_names()[option]) + why);
      if (found || in_->script.live != before) return found;
    }
  }
  return found;
}

std::optional<options> instance::retrieve_once(std::string const& where) {
  void* retrieved = nullptr;
  auto const said = [&] { return where; };
  guarded("retry_control_retrieve_options", said, [&] { retrieved = of_->retrieve_options(handle()); });
  if (retrieved == nullptr) return std::nullopt;
  auto const* const all = handler_at(retrieved);
  if (all == nullptr) throw broken_contract("retry_control_retrieve_options returned none of OptionHandler_Create's");
  std::array<std::optional<unsigned>, 2> found;
  for (auto const& option : all->options) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (option.name == option_names()[i]) found[i] = *static_cast<unsigned const*>(option.value);
    }
  }
  {
    in_surroundings const these(in_);
    destroy_handler(retrieved);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i])
      throw broken_contract("the options that were retrieved " + where + " lack " + std::string(option_names()[i]));
  }
  return options{present(found[0]), present(found[1])};
}

// Other names than the one that the history has, with values that are not to be read; and texts of the library, with
// values that such an option may ask for.
int instance::set_unknown() {
  void const* const opaque = reinterpret_cast<void const*>(std::uintptr_t{1});
  std::string const long_name(300, 'x');
  for (char const* const name :
       {"", " ", "x", "initial_wait_time_in_secs ", " initial_wait_time_in_secs", "INITIAL_WAIT_TIME_IN_SECS",
        "initial_wait_time", "max_jitter", "max_jitter_percents", "retry_control_option", "retry_control_options_",
        "Retry_control_options", long_name.c_str()}) {
    auto const* const named = given_->name.put(name);
    bool const accepts = set(named, opaque, " with a pointer that is not to be read") == 0 ||
                         set(named, given_->value.last(1), " with a value of one byte") == 0;
    if (!accepts) continue;
    in_->note = "retry_control_set_option succeeded for " + in_quotes(name) + ", which is no option";
    return 0;
  }
  for (auto const& text : library_->constants) {
    if (std::ranges::count(option_names().first(3), text) > 0) continue;
    for (unsigned const number : {1U, 50U, 1'000U}) {
      unsigned const values[16] = {number, number, number, number};
      if (set(text.c_str(), values, "") != 0) continue;
      in_->note = "retry_control_set_option succeeded for " + in_quotes(text) +
                  ", a text among the library's constants that is no documented option";
      return 0;
    }
  }
  return 1;
}

class bound final : public bound_library {
 public:
  explicit bound(std::span<void* const> at)
      : library_{{function_at<control_create>(at[0]), function_at<control_should_retry>(at[1]),
                  function_at<control_reset>(at[2]), function_at<control_set_option>(at[3]),
                  function_at<control_retrieve_options>(at[4]), function_at<control_destroy>(at[5]),
                  function_at<timeout_reached>(at[6])}} {
    library_.constants = constant_texts(reinterpret_cast<void const*>(library_.functions.set_option));
    scripted_surroundings in;
    in.begin(nothing_, {usual_time, 0});
    look_at_create(in);
    in.fail_nothing();
    look_at_options(in);
  }

  void run(history const& h, result& to) override {
    std::array<scripted_surroundings, instances_max> in;
    unscripted_clock clock(h);
    auto const before = clock.in(nothing_);
    for (auto& s : in) s.begin(nothing_, before);
    std::array<instance, instances_max> instances{instance(library_, given_, in[0]), instance(library_, given_, in[1]),
                                                  instance(library_, given_, in[2])};
    for (auto const& s : h.steps) {
      in[s.on].begin(s, clock.in(s));
      auto const a = one_answer(instances[s.on], in[s.on].script, s);
      if (auto const* const why = in[s.on].misuse; why != nullptr)
        throw broken_contract(std::string("the call ") + why);
      if (!in[s.on].note.empty()) to.why = in[s.on].note;
      to.answers.push_back(a);
    }
    auto const after = clock.in(nothing_);
    for (auto& s : in) s.begin(nothing_, after);
  }

 private:
  static constexpr auto usual_policy = static_cast<int>(model::policy::interval);

  // An allocation may be one that the library does without. Up to the one without which it crashes.
  void look_at_create(scripted_surroundings& in) {
    constexpr std::int64_t many = 64;
    auto const& of = library_.functions;
    for (std::int64_t i = 1; i <= many; ++i) {
      in.fail_nothing();
      in.failing_allocation = i;
      void* handle = nullptr;
      bool const crashes = 0 != signal_in(in, [&] { handle = of.create(usual_policy, 0); });
      bool const was_last = in.allocations < i;
      if (handle == nullptr && !was_last) library_.needed_allocations.push_back(i);
      if (handle != nullptr) signal_in(in, [&] { of.destroy(handle); });
      if (crashes || was_last) break;
    }
  }

  void look_at_options(scripted_surroundings& in) {
    auto const& of = library_.functions;
    void* handle = nullptr;
    void* options = nullptr;
    signal_in(in, [&] { handle = of.create(usual_policy, 0); });
    if (handle == nullptr) return;
    signal_in(in, [&] { options = of.retrieve_options(handle); });
    if (auto const* const all = handler_at(options); all != nullptr) library_.set_saved = all->set;
    signal_in(in, [&] { destroy_handler(options); });
    signal_in(in, [&] { of.destroy(handle); });
  }

  library library_;
  guarded_pages given_;
  step nothing_{reset, 0, {}};  // what instances that are left over are destroyed in
};

// Clocks with smaller units read nothing before 0, and fewer seconds than one of seconds, in the 64 bits that they are
// counted in: where a library has one beside that, no reading is beyond what both can say.
void narrow(domain& d, void const* function) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units{{{"tickcounter_get_current_ms", 1'000},
                                                                            {"clock", CLOCKS_PER_SEC},
                                                                            {"gettimeofday", 1'000'000},
                                                                            {"clock_gettime", a_second},
                                                                            {"timespec_get", a_second}}};
  std::int64_t most = 0;
  for (auto const& [name, in_a_second] : units) most = imports(function, name) ? in_a_second : most;
  if (most == 0) return;
  auto const latest = INT64_MAX / most - 1;
  auto const keep = [&](call::type op, std::size_t from, std::size_t count) {
    for (auto& r : std::span(d.args[op]).subspan(from, count)) {
      r.low = -1;  // a failure
      r.high = latest;
      r.declared = true;
    }
  };
  keep(should_retry, clock_at, readings_max);
  keep(is_timeout_reached, timeout_clock_at, timeout_readings_max);
}

}  // namespace

extern c_interface const azure_c_retry_control_interface;
c_interface const azure_c_retry_control_interface{
    .stem = "azure_c_retry_control",
    .functions = functions,
    .constants = {},
    .draws = {spec::draw_kind::rand, std::uint64_t{RAND_MAX} + 1},
    .features = bit(feature::instances) | bit(feature::clock_script) | bit(feature::nulls) | bit(feature::faults) |
                bit(feature::live),
    .narrow = narrow,
    .bind = [](std::span<void* const> at) -> std::unique_ptr<bound_library> { return std::make_unique<bound>(at); }};

}  // namespace backoff::systems
