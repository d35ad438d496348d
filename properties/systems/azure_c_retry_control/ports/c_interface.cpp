// iothub_client_retry_control in C, by the functions that its requirements list. It takes the time, ticks of a clock
// and option handlers from the SDK around it: they are supplied here, as the history scripts them, and fail where it
// says so.
#include "host/c_interface.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "histories/present.hpp"
#include "host/imported.hpp"
#include "host/surroundings.hpp"
#include "systems/azure_c_retry_control/ports/c_hostile.hpp"
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
  bool malloc_fails() noexcept override { return script.fails(fail_malloc); }
  void allocated(std::int64_t more) noexcept override { script.live += more; }
  bool option_create_fails() noexcept override { return script.fails(fail_option_create); }
  // The second, so that there is something to take back.
  bool option_add_fails(std::size_t before) noexcept override { return before != 0 && script.fails(fail_option_add); }
  bool option_feed_fails() noexcept override { return script.fails(fail_option_feed); }

  void begin(step const& s, moment const& now) {
    call_ = &s;
    now_ = now;
    script.begin(s);
  }

  scripted script;

 private:
  [[nodiscard]] bool is_scripted() const noexcept { return !readings_of(*call_).empty(); }
  [[nodiscard]] std::optional<moment> moment_of(std::int64_t reading) const noexcept {
    if (reading == -1) return std::nullopt;
    return moment{reading, now_.nanoseconds};
  }

  step const* call_ = nullptr;
  moment now_;
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

// An instance, as retry_control_port.hpp asks for it.
class instance {
 public:
  instance(control_functions const& of, scripted_surroundings& in) noexcept : of_(&of), in_(&in) {}
  instance(instance const&) = delete;
  ~instance() {
    if (handle_ == nullptr) return;
    in_surroundings const these(in_);
    of_->destroy(handle_);
  }

  bool create(model::policy which, std::uint32_t limit) {
    in_surroundings const these(in_);
    handle_ = of_->create(static_cast<int>(which), limit);
    return handle_ != nullptr;
  }

  int should_retry(model::action& what) {
    constexpr int unset = -1;
    int action = unset;
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

  int set_number(std::int64_t name, unsigned value) { return set(name, &value); }

  int set_saved(std::optional<std::uint32_t> wait, std::optional<std::uint32_t> jitter) {
    auto* const all = new_handler({nullptr, [](char const*, void const*) {}, of_->set_option});
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
    unsigned char answered = unset;  // a bool of the library's, which may hold anything
    int failed = 0;
    {
      in_surroundings const these(in_);
      failed = of_->is_timeout_reached(start, secs, is_null(null_out) ? nullptr : reinterpret_cast<bool*>(&answered));
    }
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
  void* retrieved_handle() {
    in_surroundings const these(in_);
    return of_->retrieve_options(handle());
  }
  int set(std::int64_t name, void const* value) {
    char const* const text = option_names()[static_cast<std::size_t>(name)].data();
    in_surroundings const these(in_);
    return of_->set_option(handle(), is_null(null_name) ? nullptr : text, is_null(null_value) ? nullptr : value);
  }

  control_functions const* of_;
  scripted_surroundings* in_;
  void* handle_ = nullptr;
};

std::optional<options> instance::retrieve() {
  void* const retrieved = retrieved_handle();
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
    if (!found[i]) throw broken_contract("the options that were retrieved lack " + std::string(option_names()[i]));
  }
  return options{present(found[0]), present(found[1])};
}

class bound final : public bound_library {
 public:
  explicit bound(std::span<void* const> at)
      : functions_{function_at<control_create>(at[0]),
                   function_at<control_should_retry>(at[1]),
                   function_at<control_reset>(at[2]),
                   function_at<control_set_option>(at[3]),
                   function_at<control_retrieve_options>(at[4]),
                   function_at<control_destroy>(at[5]),
                   function_at<timeout_reached>(at[6])},
        hostile_(functions_) {}

  void run(history const& h, result& to) override {
    std::array<scripted_surroundings, instances_max> in;
    unscripted_clock clock(h);
    auto const before = clock.in(nothing_);
    for (auto& s : in) s.begin(nothing_, before);
    std::array<instance, instances_max> instances{instance(functions_, in[0]), instance(functions_, in[1]),
                                                  instance(functions_, in[2])};
    for (auto const& s : h.steps) {
      in[s.on].begin(s, clock.in(s));
      auto a = one_answer(instances[s.on], in[s.on].script, s);
      if (auto const* const why = in[s.on].misuse; why != nullptr)
        throw broken_contract(std::string("the call ") + why);
      auto const& [wrong, accepts_unknown_option] = hostile_.wrong_in(s);
      bool const names_one = s.op == set_option && option_of(s) == model::option::unsupported && nulls_of(s) == 0;
      if (!wrong.empty() && !accepts_unknown_option) throw broken_contract(wrong);
      if (accepts_unknown_option && names_one) {  // as the one that the history names stands for them all
        a[model::field_result] = number(0);
        to.why = wrong;
      }
      to.answers.push_back(a);
    }
    auto const after = clock.in(nothing_);
    for (auto& s : in) s.begin(nothing_, after);
  }

 private:
  control_functions functions_;
  hostile_calls hostile_;
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
