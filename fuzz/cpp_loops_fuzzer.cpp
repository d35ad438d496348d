// Fuzz target: the loops of the library for C++, among operations, policies, clocks and sleeps that do what the bytes
// say: fail, throw, last, are interrupted. Every call is made when it is its turn, with what it is due, and each loop
// ends for the reason that it gives. Waits are held against the functions for C.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <stop_token>
#include <type_traits>

#include "backoff.h"
#include "backoff/hosted/aws_prescriptive_sample.hpp"
#include "backoff/hosted/aws_retry_utils_loop.hpp"
#include "backoff/hosted/azure_c_retry_control_handle.hpp"
#include "backoff/hosted/azure_java_retry_loop.hpp"
#include "backoff/hosted/policies.hpp"
#include "backoff/hosted/policy.hpp"
#include "backoff/hosted/retry.hpp"
#include "backoff/hosted/stop.hpp"
#include "bytes.hpp"

namespace {

using namespace backoff;
using fuzz::demand;
using fuzz::source;
using std::chrono::nanoseconds;
__extension__ using i128 = __int128;

nanoseconds time_from(source& in) { return nanoseconds(static_cast<std::int64_t>(in.number() >> 1U)); }

// -- retry --

struct passing {};  // an exception that is worth a retry
struct lasting {};  // and one that is not

struct no_numbers {
  using result_type = std::uint32_t;
  static constexpr std::uint32_t min() noexcept { return 0; }
  static constexpr std::uint32_t max() noexcept { return 0xffff'ffff; }
  std::uint32_t operator()() const { std::abort(); }
};

// What a loop meets, and whose turn it is. Where the bytes end, operations succeed.
struct world {
  enum class turn { attempt, policy, sleep };
  enum class result { success, failure, passing, lasting };

  explicit world(source& from) : in(&from), clock(time_from(from)), began(clock) {
    if (from.byte() % 2 == 0) total = time_from(from);
  }
  void pass(nanoseconds time) { clock = saturated_sum(clock, time); }

  result attempt() {
    demand(next == turn::attempt);
    next = turn::policy;
    ++tries;
    static constexpr std::array results{result::success, result::failure, result::passing, result::failure,
                                        result::lasting, result::passing, result::failure, result::failure};
    last = results[in->byte() % 8];
    if (last != result::success) pass(time_from(*in));
    return last;
  }
  next_step ask(nanoseconds elapsed) {
    demand(next == turn::policy && last != result::success && last != result::lasting && elapsed == clock - began);
    next = turn::sleep;
    asked = {static_cast<advice>(in->byte() % 4), nanoseconds::zero()};
    if (asked.advice == advice::try_again || asked.advice == advice::ask_again) asked.wait = time_from(*in);
    return asked;
  }
  bool sleep(nanoseconds wait, bool is_interrupted) {
    demand(next == turn::sleep && wait == asked.wait && !exceeds_total());
    demand(asked.advice == advice::try_again || asked.advice == advice::ask_again);
    pass(wait);
    interrupted = is_interrupted;
    next = asked.advice == advice::try_again ? turn::attempt : turn::policy;
    return !interrupted;
  }
  [[nodiscard]] bool exceeds_total() const {
    return total.has_value() && i128{(clock - began).count()} + asked.wait.count() > total->count();
  }
  // That it ended where it had to, for this reason.
  void demand_end(ending why, std::uint32_t counted) const {
    demand(counted == tries);
    switch (why) {
      case ending::answered:
        return demand(last == result::success && next == turn::policy);
      case ending::gave_up:
        return demand(next == turn::sleep && asked.advice == advice::give_up);
      case ending::out_of_time:
        return demand(next == turn::sleep && asked.advice != advice::give_up &&
                      (asked.advice == advice::out_of_time || exceeds_total()));
      case ending::interrupted:
        return demand(interrupted);
    }
    std::abort();
  }
  // That it was right to let the last try's exception through: it is not worth a retry, or there is none.
  void demand_thrown(result by) const {
    demand(last == by);
    if (by == result::lasting) return demand(next == turn::policy);
    demand(interrupted || (next == turn::sleep && (asked.advice == advice::give_up ||
                                                   asked.advice == advice::out_of_time || exceeds_total())));
  }

  source* in;
  nanoseconds clock;
  nanoseconds began;
  std::optional<nanoseconds> total{};
  turn next = turn::attempt;
  result last = result::success;
  next_step asked{};
  std::uint32_t tries = 0;
  bool interrupted = false;
};

struct scripted_policy {
  world* of;
  next_step what_next(nanoseconds elapsed, no_numbers&) const { return of->ask(elapsed); }
};
// Halves even waits, and turns odd ones into no wait.
struct halved {
  world* of;
  nanoseconds operator()(nanoseconds wait) const {
    bool const even = wait.count() % 2 == 0;
    of->asked.wait = even ? wait / 2 : nanoseconds::zero();
    return even ? wait / 2 : -wait;
  }
};
struct sleep_through {
  world* of;
  void operator()(nanoseconds wait) const { static_cast<void>(of->sleep(wait, false)); }
};
struct sleep_or_not {
  world* of;
  bool operator()(nanoseconds wait) const { return of->sleep(wait, of->in->byte() == 255); }
};
struct clock_of {
  world* of;
  nanoseconds operator()() const noexcept { return of->clock; }
};
struct is_failure {
  bool operator()(world::result got) const noexcept { return got == world::result::failure; }
};

template <class Sleep, class Exceptions, class Operation>
void retried_as_told(source& in, Operation operation, auto const& policy_of) {
  world w(in);
  no_numbers none;
  try {
    auto const got = retry(policy_of(w), std::bind_front(operation, std::ref(w)), none,
                           retry_options<is_failure, Exceptions, Sleep, clock_of>{w.total, {}, {}, {&w}, {&w}});
    if constexpr (std::is_same_v<decltype(got.result), world::result>) demand(got.result == w.last);
    demand(got.answered() == (got.ending == ending::answered));
    w.demand_end(got.ending, got.tries);
  } catch (passing const&) {
    demand(!no_exception()(std::current_exception()));
    w.demand_thrown(world::result::passing);
  } catch (lasting const&) {
    w.demand_thrown(world::result::lasting);
  }
}
world::result thrown_where_told(world& w) {
  auto const got = w.attempt();
  if (got == world::result::passing) throw passing();
  if (got == world::result::lasting) throw lasting();
  return got;
}
// Every failure is an exception.
void nothing_returned(world& w) {
  auto const got = w.attempt();
  if (got == world::result::lasting) throw lasting();
  if (got == world::result::success) return;
  w.last = world::result::passing;
  throw passing();
}
// No failure is one.
world::result never_thrown(world& w) {
  auto const got = w.attempt();
  return w.last = got == world::result::success ? got : world::result::failure;
}

scripted_policy as_scripted(world& w) { return {&w}; }
adjusted<scripted_policy, halved> at_half(world& w) { return {{&w}, {&w}}; }

void retry_results(source& in) { retried_as_told<sleep_or_not, no_exception>(in, never_thrown, at_half); }
void retry_results_or_exceptions(source& in) {
  retried_as_told<sleep_or_not, exceptions_of<passing>>(in, thrown_where_told, as_scripted);
}
void retry_exceptions(source& in) {
  retried_as_told<sleep_through, exceptions_of<std::exception, passing>>(in, nothing_returned, as_scripted);
}

// With nothing said: the steady clock, and a sleep of no time.
void retry_by_default(source& in) {
  auto const granted = in.byte() % 8U;
  auto const failing = in.byte() % 16U;
  std::mt19937 numbers(in.u32());
  std::uint32_t tries = 0;
  auto const got = retry(
      policies::aws_backoff_algorithm(milliseconds_u32(0), milliseconds_u32(in.u32()),
                                      aws_backoff_algorithm::attempt_limit::of(granted)),
      [&] { return ++tries > failing; }, numbers);
  demand(got.tries == tries && got.result == got.answered() && tries == std::min(granted, failing) + 1);
  demand(got.ending == (failing <= granted ? ending::answered : ending::gave_up));
  std::stop_source const stop;
  sleep_unless_stopped const sleep(stop.get_token());
  demand(sleep(nanoseconds::zero()));
  stop.request_stop();
  demand(!sleep(nanoseconds::max()));
}

// -- the loops of the systems --

template <class W>
void retry_utils(source& in) {
  namespace core = aws_retry_utils;
  core::parameters<W> const of{static_cast<W>(in.number()), static_cast<W>(in.number()), static_cast<W>(in.number()),
                               in.byte() % 8U};
  backoff_aws_retry_utils_parameters const same{of.initial_backoff_s, of.max_backoff_s, of.max_jitter_s,
                                                of.max_attempts};
  backoff_aws_retry_utils c;
  std::uint32_t draws = 0;
  std::uint32_t drawn = 0;
  std::uint32_t tries = 0;
  std::uint32_t slept = 0;
  bool last = false;
  auto const random = [&] {
    if (draws++ == 0)
      backoff_aws_retry_utils_init(&c, &same, drawn = in.u32());
    else
      drawn = in.u32();
    return drawn;
  };
  auto const sleep = [&](core::seconds<W> time) {
    std::uint32_t due = 0;
    demand(backoff_aws_retry_utils_back_off(&c, drawn, &due) == BACKOFF_OK && time.count() == due);
    demand(++slept == tries);
  };
  auto const operation = [&] {
    ++tries;
    return last = in.byte() % 8 == 0;
  };
  auto const end = core::retry(of, random, sleep, operation);
  demand((end == core::outcome::succeeded) == last && draws == tries + (last ? 0U : 1U) && slept == tries - 1);
  demand(last || (of.max_attempts != 0 && tries == of.max_attempts + 1));
}

void sample(source& in) {
  auto const limit = in.byte() % 40U;
  backoff_aws_prescriptive_sample c;
  backoff_aws_prescriptive_sample_init(&c, limit);
  std::uint32_t sleeps = 0;
  std::uint32_t requests = 0;
  int last = 0;
  bool again = true;
  auto const sleep = [&](std::chrono::milliseconds time) {
    demand(again && time.count() == backoff_aws_prescriptive_sample_delay_ms(&c) && sleeps++ == requests);
  };
  auto const request = [&] {
    ++requests;
    static constexpr std::array statuses{200, 429, 504, 429, 504, 500, 429};
    auto const which = in.byte();
    last = which == 255 ? in.i32() : statuses[which % statuses.size()];
    again = backoff_aws_prescriptive_sample_retry_after(&c, last) == 1;
    return last;
  };
  auto const run = aws_prescriptive_sample::run_with_backoff(limit, sleep, request);
  bool const failed = backoff_aws_prescriptive_sample_delay_ms(&c) == BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_NO_DELAY;
  demand(again == failed && run.failed == failed);
  demand(run.http_status == last && run.requests == requests && sleeps == requests);
}

void java_loop(source& in) {
  namespace core = azure_java_retry_policy;
  backoff_azure_java_retry_policy_parameters of{in.u32(), in.u32(), in.u32(), in.u32(), in.u32()};
  auto const made = core::exponential_backoff_with_jitter::with(
      {of.c_ms, of.cmin_ms, of.cmax_ms, of.jd_millionths, of.ju_millionths});
  if (made.error != core::parameter_error::none) backoff_azure_java_retry_policy_defaults(&of);
  backoff_azure_java_retry_policy c;
  demand(backoff_azure_java_retry_policy_init(&c, &of) == BACKOFF_OK);
  auto clock = nanoseconds(static_cast<std::int64_t>(in.u32()));
  auto const began = clock;
  auto const total = in.byte() % 2 == 0 ? std::optional(time_from(in)) : std::nullopt;
  std::uint32_t tries = 0;
  std::uint32_t consulted = 0;
  std::optional<core::error> last;
  backoff_azure_java_retry_policy_wait due{};
  auto const draw = [&] {
    demand(++consulted == tries);
    auto const drawn = in.u32();
    backoff_azure_java_retry_policy_delay(&c, tries, drawn, &due);
    return drawn;
  };
  auto const left_after_wait = [&] {
    i128 const left = i128{total->count()} - (clock - began).count() - static_cast<i128>(due.ns);
    return due.part == 0 ? left : left - 1;  // rounded down
  };
  auto const sleep = [&](nanoseconds time) {
    demand(consulted == tries && static_cast<std::uint64_t>(time.count()) == due.ns + (due.part != 0 ? 1U : 0U));
    demand(!total.has_value() || left_after_wait() >= 0);
    clock = saturated_sum(clock, time);
  };
  auto const operation = [&]() -> std::optional<core::error> {
    ++tries;
    clock = saturated_sum(clock, nanoseconds(static_cast<std::int64_t>(in.u32())));
    static constexpr std::array<int, 8> errors{-1, 0, 1, 0, 1, 2, 0, 3};
    auto const error = errors[in.byte() % errors.size()];
    last = error < 0 ? std::nullopt : std::optional(static_cast<core::error>(error));
    return last;
  };
  auto const end =
      core::run_with_retries(core::jittered(made.value, draw), total, sleep, [&] { return clock; }, operation);
  demand(end.failure == last && end.retries == tries - 1);
  if (!last.has_value()) return;
  bool const retryable = *last == core::error::protocol || *last == core::error::service;
  demand(consulted == tries - (retryable ? 0U : 1U) && (!retryable || (total.has_value() && left_after_wait() < 0)));
}

// Surroundings of handles, of which anything may fail. Its feed hands each saved option to the document's set_option,
// instance and all, as applications do.
struct surroundings {
  struct options {
    std::uint32_t wait;
    std::uint32_t jitter;
  };
  source* in;
  int live = 0;
  azure_c_retry_control::handle fed{};
  azure_c_retry_control::handle_api<surroundings>* api{};

  [[nodiscard]] bool fails() const noexcept { return in->byte() == 255; }
  void* allocate(std::size_t bytes) noexcept {
    if (fails()) return nullptr;
    ++live;
    return std::malloc(bytes);
  }
  void release(void* memory) noexcept {
    --live;
    std::free(memory);
  }
  std::int64_t get_time() const noexcept { return in->i64(); }
  azure_c_retry_control::draw rand() const noexcept { return {in->u32(), 0xffff'ffff}; }
  options* option_create() noexcept {
    auto* const all = fails() ? nullptr : new (std::nothrow) options();
    if (all != nullptr) ++live;
    return all;
  }
  bool option_add(options* to, char const* name, std::uint32_t value) const noexcept {
    if (fails()) return false;
    bool const is_wait = azure_c_retry_control::names(name, azure_c_retry_control::initial_wait_time_in_secs_option);
    (is_wait ? to->wait : to->jitter) = value;
    return true;
  }
  bool option_feed(options const* from, azure_c_retry_control::option_sink sink) noexcept {
    namespace control = azure_c_retry_control;
    fed = sink.destination();
    demand(!sink("unknown", from->wait));
    return !fails() && api->set_option(fed, control::initial_wait_time_in_secs_option, &from->wait) == 0 &&
           api->set_option(fed, control::max_jitter_percent_option, &from->jitter) == 0;
  }
  void option_destroy(options* of) noexcept {
    --live;
    delete of;
  }
};

// Some of the arguments are null: then the call fails, and does nothing.
void handles(source& in) {
  namespace control = azure_c_retry_control;
  static constexpr std::array names{control::initial_wait_time_in_secs_option, control::max_jitter_percent_option,
                                    control::saved_options_option, "unknown", static_cast<char const*>(nullptr)};
  surroundings around{&in};
  control::handle_api<surroundings> api(around);
  around.api = &api;
  auto* const made = api.create(static_cast<control::policy>(in.byte() % 7), in.u32());
  for (auto calls = in.byte() % 32; calls > 0; --calls) {
    auto* const of = in.byte() == 255 ? nullptr : made;
    auto const* const name = names[in.byte() % names.size()];
    bool const is_there = in.byte() != 255;
    switch (in.byte() % 6) {
      case 0: {
        auto what = control::action::retry_later;
        auto const result = api.should_retry(of, is_there ? &what : nullptr);
        demand(result == 0 || (result == control::failure && what == control::action::retry_later));
        demand(result != 0 || (of != nullptr && is_there));
        break;
      }
      case 1: {
        auto const number = in.u32();
        auto const result = api.set_option(of, name, is_there ? &number : nullptr);
        bool const fits = name == names[0] ? number != 0 : name == names[1] && number <= 100;
        demand((result == 0) == (of != nullptr && is_there && fits));
        break;
      }
      case 2: {
        surroundings::options const given{in.u32(), in.u32()};
        around.fed = nullptr;
        auto const result = api.set_option(of, name, is_there ? &given : nullptr);
        demand(around.fed == (of != nullptr && is_there && name == names[2] ? of : nullptr));
        demand(result != 0 || (around.fed != nullptr && given.wait != 0 && given.jitter <= 100));
        break;
      }
      case 3: {
        auto const before = around.live;
        auto* const saved = api.retrieve_options(of);
        demand(around.live == before + (saved != nullptr ? 1 : 0));
        if (saved == nullptr) break;
        demand(of != nullptr && saved->wait != 0 && saved->jitter <= 100);
        around.option_destroy(saved);
        break;
      }
      case 4:
        api.reset(of);
        break;
      default: {
        bool timed_out = false;
        auto const start = in.i64();
        auto const timeout = in.u32();
        source ahead = in;
        auto const now = ahead.i64();  // what the clock will say
        auto const result = api.is_timeout_reached(start, timeout, is_there ? &timed_out : nullptr);
        demand((result == 0) == (is_there && start != control::indefinite_time && now != control::indefinite_time));
        demand(timed_out == (result == 0 && i128{now} - start >= timeout));
      }
    }
  }
  api.destroy(made);
  demand(around.live == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static constexpr void (*loops[])(source&) = {retry_results,
                                               retry_results_or_exceptions,
                                               retry_exceptions,
                                               retry_by_default,
                                               retry_utils<std::uint32_t>,
                                               retry_utils<std::uint16_t>,
                                               sample,
                                               java_loop,
                                               handles};
  backoff::fuzz::each_of(loops, data, size);
  return 0;
}
