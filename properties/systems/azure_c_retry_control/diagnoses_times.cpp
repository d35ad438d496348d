// Faults of times: the limit, the clock, timeouts, and what a reset forgets.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "systems/azure_c_retry_control/diagnoses_change.hpp"

namespace backoff::systems::azure_c_diagnoses {
namespace {

void add_limits(changes& all) {
  all.told_by("limit_stops_retrying");
  auto const limit = [&](std::string name, std::string sentence, std::function<std::int64_t(std::int64_t)> of) {
    all.add(std::move(name), std::move(sentence), {.takes = [of = std::move(of)](step& call, model::state&) {
              if (call.op == calls::create) call.args[calls::limit_at].n = of(call.args[calls::limit_at].n);
            }});
  };
  limit("never-gives-up", "never stops", [](std::int64_t) { return 0; });
  limit("limit-late", "stops only when more than max_retry_time_in_secs has passed",
        [](std::int64_t n) { return n == 0 ? 0 : n + 1; });
  limit("limit-early", "stops a second too early", [](std::int64_t n) { return n == 0 ? 0 : n - 1; });
  limit("limit-in-milliseconds", "takes max_retry_time_in_secs for milliseconds",
        [](std::int64_t n) { return n / 1'000; });
  limit("limit-thousandfold", "takes a thousand times max_retry_time_in_secs",
        [](std::int64_t n) { return n * 1'000; });
  for (int const bits : {16, 31}) {
    limit("limit-wraps", fmt::format("keeps max_retry_time_in_secs in {} bits", bits),
          [=](std::int64_t n) { return n % (std::int64_t{1} << bits); });
  }
  all.add("limit-from-the-last-retry", "begins max_retry_time_in_secs anew at each retry",
          {.takes = [](step& call, model::state& s) {
            if (call.op == calls::should_retry && s.at.last_retry_time) s.at.first_retry_time = s.at.last_retry_time;
          }});
  all.add(
      "limit-ignores-a-policy", "has no limit under IMMEDIATE", {.takes = [](step& call, model::state&) {
        if (call.op == calls::create && call.args[calls::policy_at].n == static_cast<std::int64_t>(policy::immediate))
          call.args[calls::limit_at].n = 0;
      }});
}

void add_clocks(changes& all) {
  all.told_by({});
  all.add("waits-from-the-first-retry", "counts each wait from the first retry, not from the last",
          {.takes = [](step& call, model::state& s) {
            if (call.op == calls::should_retry && s.at.last_retry_time) s.at.last_retry_time = s.at.first_retry_time;
          }});
  all.add("counts-calls", "counts calls that it answers RETRY_LATER as retries", {.makes = [](made const& m) {
            bool const may_wait = m.call.op == calls::should_retry && m.outcome.facts.may_wait;
            if (may_wait && m.succeeds()) ++m.after.at.retry_count;
          }});
  all.add(
      "limit-includes-the-wait", "counts the wait towards max_retry_time_in_secs",
      {.takes =
           [](step& call, model::state& s) {
             bool const waits = call.op == calls::should_retry && s.at.retry_count > 0;
             bool const is_limited = s.max_retry_time > 0 && s.max_retry_time != for_ever;
             if (!waits || !is_limited || s.at.wait.low != s.at.wait.high) return;
             auto const left = s.max_retry_time - s.at.wait.low;
             s.max_retry_time = left > 0 ? left : -1;
           },
       .makes =
           [](made const& m) { m.after.max_retry_time = std::max(m.before.max_retry_time, m.after.max_retry_time); }});
  all.add("option-ends-the-wait", "takes a new initial wait for the one that it is waiting",
          {.makes = [](made const& m) {
            bool const is_set = m.call.op == calls::set_option && m.succeeds();
            if (is_set && !(m.after.initial_wait == m.before.initial_wait)) m.after.at.wait = m.after.initial_wait;
          }});
  all.told_by("asking_again_redraws_nothing");
  all.add("poll-starts-the-wait-again", "waits from the last time it was asked", {.makes = [](made const& m) {
            bool const may_wait = m.call.op == calls::should_retry && m.outcome.facts.may_wait;
            if (may_wait) m.after.at.last_retry_time = m.call.args[calls::clock_at].n;
          }});
  all.told_by("limit_stops_retrying");
  // A limit of less than no time is over whenever the clock has not gone back.
  all.add("zero-is-a-limit", "takes a max_retry_time_in_secs of 0 for a limit",
          {.takes = [](step& call, model::state& s) {
            bool const asks = call.op == calls::should_retry && call.args[calls::clock_at].n != -1;
            bool const has_none = s.exists && (s.max_retry_time <= 0 || s.max_retry_time == for_ever);
            if (!asks || !has_none) return;
            bool const is_back = s.at.first_retry_time && call.args[calls::clock_at].n < *s.at.first_retry_time;
            s.max_retry_time = is_back ? for_ever : -1;
          }});
  // Differences of times as 32 bits hold them: each time is moved to where its difference from now is that.
  all.told_by("timeout_is_reached_once_it_has_passed");
  all.add("times-in-32-bits", "keeps 32 bits of the difference of times",
          {.takes =
               [](step& call, model::state& s) {
                 bool const is_timeout = call.op == calls::is_timeout_reached;
                 if (!is_timeout && call.op != calls::should_retry) return;
                 auto const now = call.args[is_timeout ? calls::timeout_clock_at : calls::clock_at].n;
                 auto const nearer = [&](spec::integer since) {
                   spec::integer secs{};
                   if (since == -1 || now < since || __builtin_sub_overflow(now, since, &secs)) return since;
                   return now - secs % (spec::integer{1} << 32U);
                 };
                 if (is_timeout) {
                   call.args[calls::start_at].n = nearer(call.args[calls::start_at].n);
                   return;
                 }
                 for (auto* time : {&s.at.first_retry_time, &s.at.last_retry_time}) {
                   if (*time) *time = nearer(**time);
                 }
               },
           .makes =
               [](made const& m) {
                 if (m.call.op != calls::should_retry) return;
                 for (auto* at : {&m.after.at, m.after.if_granted ? &*m.after.if_granted : &m.after.at}) {
                   if (m.before.at.first_retry_time) at->first_retry_time = m.before.at.first_retry_time;
                 }
                 if (!m.outcome.facts.may_grant) m.after.at.last_retry_time = m.before.at.last_retry_time;
               }});
}

void add_timeouts(changes& all) {
  for (auto const& [bits, sentence] : {std::pair{32, "keeps the difference of times in 32 bits without a sign"},
                                       {63, "takes a negative difference of times for a large one"}}) {
    all.add("timeout-without-a-sign", fmt::format("{} at a timeout", sentence),
            {.takes = [bits](step& call, model::state&) {
              auto& start = call.args[calls::start_at].n;
              auto& now = call.args[calls::timeout_clock_at].n;
              if (call.op != calls::is_timeout_reached || start == -1 || now == -1) return;
              auto const difference = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(start);
              start = 0;
              now = static_cast<spec::integer>(difference & ((std::uint64_t{1} << bits) - 1));
            }});
  }
  all.add("timeout-late", "reaches a timeout only when more has passed", {.takes = [](step& call, model::state&) {
            if (call.op == calls::is_timeout_reached) ++call.args[calls::timeout_at].n;
          }});
  auto const answer = [&](std::string name, std::string sentence, void (*change)(admissible& out, made const&)) {
    all.add(std::move(name), std::move(sentence), {.makes = [=](made const& m) {
              bool const is_answered = m.call.op == calls::is_timeout_reached && m.succeeds();
              if (is_answered) change(m.answer(model::field_timed_out), m);
            }});
  };
  answer("timeout-never", "never reaches a timeout", [](admissible& out, made const&) { out = admissible::word(0); });
  answer("timeout-inverted", "tells a timeout that is reached from one that is not the wrong way round",
         [](admissible& out, made const&) {
           if (out.kind() == admissible_kind::keyword) out = word_of(1 - out.word());
         });
  answer("timeout-in-its-result", "returns 1 where the timeout is reached", [](admissible& out, made const& m) {
    if (!(out == admissible::word(1))) return;
    m.answer(model::field_result) = admissible::exactly(1);
    out = admissible::unjudged();
  });
}

void add_resets(changes& all) {
  all.told_by("reset_starts_a_fresh_cycle");
  auto const keeps = [&](std::string name, std::string sentence, void (*restore)(model::state const&, model::state&)) {
    all.add(std::move(name), std::move(sentence), {.makes = [=](made const& m) {
              if (m.call.op == calls::reset && !m.is_of_null()) restore(m.before, m.after);
            }});
  };
  keeps("reset-does-nothing", "does nothing at a reset", [](model::state const& b, model::state& a) {
    a.at = b.at;
    a.stopped = b.stopped;
  });
  keeps("reset-keeps-the-count", "goes on counting after a reset",
        [](model::state const& b, model::state& a) { a.at.retry_count = b.at.retry_count; });
  keeps("reset-keeps-the-start", "keeps the time of the first retry over a reset",
        [](model::state const& b, model::state& a) { a.at.first_retry_time = b.at.first_retry_time; });
  keeps("reset-keeps-the-last", "keeps the time of the last retry over a reset",
        [](model::state const& b, model::state& a) { a.at.last_retry_time = b.at.last_retry_time; });
  keeps("reset-keeps-the-times", "keeps the times of the first and the last retry over a reset",
        [](model::state const& b, model::state& a) {
          a.at.first_retry_time = b.at.first_retry_time;
          a.at.last_retry_time = b.at.last_retry_time;
        });
  keeps("reset-of-the-start-alone", "forgets the time of the first retry alone at a reset",
        [](model::state const& b, model::state& a) {
          a.at = b.at;
          a.at.first_retry_time.reset();
        });
}

}  // namespace

void add_times(changes& all) {
  add_limits(all);
  add_clocks(all);
  add_timeouts(all);
  add_resets(all);
}

}  // namespace backoff::systems::azure_c_diagnoses
