// The clock and the limit, first calls, and what a reset keeps.
#include "systems/azure_c_retry_control/ports/wrong.hpp"

namespace backoff::systems::retry_control {
namespace {

struct unsigned_difference : reference_port {
  bool elapsed(std::int64_t since, std::int64_t now, seconds secs) override {
    return now < since || reference_port::elapsed(since, now, secs);
  }
};
struct absolute_difference : reference_port {
  bool elapsed(std::int64_t since, std::int64_t now, seconds secs) override {
    return reference_port::elapsed(std::min(since, now), std::max(since, now), secs);
  }
};
struct thirty_two_bits : reference_port {
  bool elapsed(std::int64_t since, std::int64_t now, seconds secs) override {
    auto const difference = static_cast<std::uint32_t>(now) - static_cast<std::uint32_t>(since);
    return now >= since && difference >= secs;
  }
};
struct more_than_the_wait : reference_port {
  action decide(std::int64_t now) override {
    auto const what = reference_port::decide(now);
    bool const just = what == action::retry_now && policy != model::policy::immediate && !elapsed(last, now, wait + 1);
    return just ? action::retry_later : what;
  }
};
struct more_than_the_limit : reference_port {
  bool is_over(std::int64_t now) override { return max_retry_time != 0 && elapsed(first, now, max_retry_time + 1ULL); }
};
struct zero_is_a_limit : reference_port {
  bool is_over(std::int64_t now) override { return elapsed(first, now, max_retry_time); }
};
struct limit_from_the_last_retry : reference_port {
  bool is_over(std::int64_t now) override {
    return max_retry_time != 0 && elapsed(policy == model::policy::immediate ? first : last, now, max_retry_time);
  }
};
struct limit_of_waits_alone : reference_port {  // the time that the operations themselves took is forgotten
  bool is_over(std::int64_t) override { return max_retry_time != 0 && waited >= max_retry_time; }
  seconds next_wait() override {
    waited += wait;
    return reference_port::next_wait();
  }
  void clear() override {
    waited = 0;
    reference_port::clear();
  }
  seconds waited = 0;
};
struct no_limit : reference_port {
  bool is_over(std::int64_t) override { return false; }
};
struct limit_before_the_first : reference_port {
  int evaluate(action& what) override {
    if (count != 0) return reference_port::evaluate(what);
    auto const now = world_->get_time();
    if (!has(now)) return 1;
    what = is_over(now) ? action::stop_retrying : action::retry_now;
    return 0;
  }
};
struct first_waits_too : reference_port {
  int evaluate(action& what) override {
    bool const asked = count == 0 && policy == model::policy::interval && last == -1;
    if (!asked) return reference_port::evaluate(what);
    what = action::retry_later;
    last = first;
    return 0;
  }
};
struct immediate_waits : reference_port {
  action decide(std::int64_t now) override {
    auto const what = reference_port::decide(now);
    bool const at_once = policy == model::policy::immediate && what == action::retry_now && !elapsed(first, now, 1);
    return at_once ? action::retry_later : what;
  }
};
struct none_retries_once : reference_port {
  int none(action& what) override {
    what = count++ == 0 ? action::retry_now : action::stop_retrying;
    return 0;
  }
};
struct failed_clock_is_later : reference_port {
  int evaluate(action& what) override {
    if (reference_port::evaluate(what) == 0) return 0;
    what = action::retry_later;
    return 0;
  }
};
struct sticky : reference_port {
  int evaluate(model::action& what) override {
    if (stopped) {
      what = model::action::stop_retrying;
      return 0;
    }
    int const failed = reference_port::evaluate(what);
    stopped = failed == 0 && what == model::action::stop_retrying;
    return failed;
  }
  void clear() override {
    stopped = false;
    reference_port::clear();
  }
  bool stopped = false;
};
struct reads_twice : reference_port {
  action decide(std::int64_t) override { return reference_port::decide(world_->get_time()); }
};
struct reads_for_none : reference_port {
  int none(action& what) override {
    static_cast<void>(world_->get_time());
    return reference_port::none(what);
  }
};

struct zero_is_no_time : reference_port {  // a time that is not set is 0, and -1 is one
  bool has(std::int64_t time) override { return time != 0; }
  void clear() override {
    reference_port::clear();
    first = last = 0;
  }
};

struct reset_keeps_the_count : reference_port {
  void reset() override {
    auto const kept = count;
    reference_port::reset();
    count = kept;
  }
};
struct reset_keeps_the_start : reference_port {
  void reset() override {
    auto const kept = first;
    reference_port::reset();
    first = kept;
  }
};
struct reset_is_forgotten : reference_port {
  void reset() override {}
};
// All instances are the one that was created last: a variable of the file.
std::vector<answer> run_shared(history const& h) {
  std::array<scripted, instances_max> worlds;
  std::vector<answer> answers;
  std::optional<reference_port> one;
  for (auto const& s : h.steps) {
    auto& world = worlds[0];
    world.begin(s);
    if (!one || s.op == create) one.emplace(world);
    answers.push_back(one_answer(*one, world, s));
  }
  return answers;
}

}  // namespace

std::vector<built_in> wrong_times() {
  return {
      wrong<unsigned_difference>("unsigned-difference", "subtracts unsigned times", "clock_going_back_is_too_early",
                                 {"clock-backwards=unsigned"}),
      wrong<absolute_difference>("absolute-difference", "takes the absolute difference of times",
                                 "clock_going_back_is_too_early", {"clock-backwards=absolute"}),
      wrong<thirty_two_bits>("thirty-two-bits", "subtracts times of 32 bits", "timeout_is_reached_once_it_has_passed"),
      wrong<more_than_the_wait>("more-than-the-wait", "waits a second too long", "interval_waits_the_initial_time"),
      wrong<more_than_the_limit>("more-than-the-limit", "stops a second too late", "limit_stops_retrying"),
      wrong<zero_is_a_limit>("zero-is-a-limit", "stops at once without a limit", "interval_waits_the_initial_time"),
      wrong<limit_from_the_last_retry>("limit-from-the-last-retry", "begins the limit anew at each retry",
                                       "limit_stops_retrying"),
      wrong<limit_of_waits_alone>("limit-of-waits-alone", "does not count the time that operations take",
                                  "limit_stops_retrying"),
      wrong<no_limit>("no-limit", "never stops", "limit_stops_retrying"),
      wrong<limit_before_the_first>("limit-before-the-first", "looks at the limit before the first retry",
                                    "first_retry_is_granted_at_once", {"first-call=limit-first"}),
      wrong<first_waits_too>("first-waits-too", "waits before the first retry", "first_retry_is_granted_at_once"),
      wrong<immediate_waits>("immediate-waits", "waits a second under IMMEDIATE", "immediate_grants_every_retry"),
      wrong<none_retries_once>("none-retries-once", "retries once under NONE", "policy_none_stops"),
      wrong<failed_clock_is_later>("failed-clock-is-later", "answers RETRY_LATER where the clock fails",
                                   "failed_clock_fails_the_call"),
      wrong<zero_is_no_time>("zero-is-no-time", "takes 0 for a time that is not set", "should_retry_succeeds"),
      wrong<sticky>("stops-for-good", "asks nothing more after it has stopped", "failed_clock_fails_the_call",
                    {"stop-sticky=sticky"}),
      wrong<reads_twice>("reads-twice", "reads the clock twice to decide", "interval_waits_the_initial_time"),
      wrong<reads_for_none>("reads-for-none", "reads the clock under NONE", "clock_is_read_where_documented"),
      wrong<reset_keeps_the_count>("reset-keeps-the-count", "goes on counting after a reset", "should_retry_succeeds"),
      wrong<reset_keeps_the_start>("reset-keeps-the-start", "keeps the time of the first retry over a reset",
                                   "limit_stops_retrying"),
      wrong<reset_is_forgotten>("reset-is-forgotten", "does nothing at a reset", "first_retry_is_granted_at_once"),
      wrong("shared", "all instances are one", run_shared, "instances_are_independent"),
  };
}

}  // namespace backoff::systems::retry_control
