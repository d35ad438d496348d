// The verb watch: a program as it runs, without an adapter, against a server that fails as told.
// Checked by: properties/oracle/watch_test.py.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "explain/delay_cycles.hpp"
#include "judge/catalogue.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "oracle/watched_results.hpp"
#include "reports/junit.hpp"
#include "transport/live_groups.hpp"
#include "transport/port_session.hpp"
#include "waits/watched_report.hpp"
#include "watch/client_command.hpp"
#include "watch/faster.hpp"
#include "watch/watch_runs.hpp"

namespace backoff::oracle {
namespace {

// Why a program may not have been watched.
struct troubles {
  std::uint64_t tls = 0;    // attempts that began with a handshake of TLS
  std::uint64_t http2 = 0;  // the same of HTTP/2
  std::string last_words;   // of a run without an attempt
  std::string last_errors;  // what it wrote to standard error
};

watched_program asked_for(watch_options const& options, judged_system const& document) {
  auto const& s = document.shape();
  if (!tells_delays(s)) throw usage_error(fmt::format("{} answers no delays: there is nothing to watch", s.stem));
  watched_program p;
  p.system = s.stem;
  p.document = catalogue_of(s.stem).document_version;
  p.params = options.params;
  p.command = options.program;
  p.failures = options.failures;
  p.retry_after_s = options.retry_after_s;
  p.faster = options.faster;
  p.slack_ms = options.slack_ms;
  if (!options.known_failing.empty()) {
    p.known_failing_name = options.known_failing;
    p.known_failing = read_failure_lines(options.known_failing);
  }
  static_cast<void>(judged(p));  // what is wrong in it is found before the program runs
  return p;
}

// Splits what one run noted where an attempt succeeded.
// Times are those that passed for the program: all.faster times the measured ones.
void take(watch::run const& r, script const& failures, watched_program& all, troubles& why) {
  auto const passed = [&](std::int64_t ns) { return std::llround(static_cast<double>(ns) * all.faster); };
  all.unused += r.notes.unused_connections;
  all.attempts += r.notes.attempts.size();
  if (r.notes.attempts.empty()) {
    ++all.silent;
    why.last_words = r.ended == watch::run::ending::exited ? fmt::format("it ended with status {}", r.status)
                     : r.trouble.empty()                   ? "it was ended"
                                                           : r.trouble;
    why.last_errors = r.standard_error;
  }
  auto const read = std::ranges::find_if(r.notes.attempts, [](attempt const& a) { return !a.method.empty(); });
  auto const method = read == r.notes.attempts.end() ? std::string() : read->method;
  failed_cycle now;
  auto const begin_anew = [&] {
    if (!now.waits.empty()) all.cycles.push_back(std::move(now));
    now = {};
  };
  std::optional<std::int64_t> failed_last_ns;  // when the last attempt failed, if it did
  bool overlapped = false;                     // an attempt is not counted as a retry: how many there were is not known
  for (std::size_t i = 0; i < r.notes.attempts.size(); ++i) {
    auto const& a = r.notes.attempts[i];
    all.hung |= a.client_left;
    why.tls += a.said == attempt::form::tls ? 1U : 0U;
    why.http2 += a.said == attempt::form::http2 ? 1U : 0U;
    failed_last_ns = failures.failures[a.failure].is_success() ? std::nullopt : a.failed_ns;
    if (!failed_last_ns) {
      begin_anew();
      continue;
    }
    if (now.waits.empty()) {
      now.first = i;
      now.method = method;
      now.begun_ns = i == 0 ? passed(a.came_ns - r.started_ns) : 0;
    }
    now.last_tried_ns = passed(*failed_last_ns - a.came_ns);
    if (i + 1 == r.notes.attempts.size()) break;
    auto const& next = r.notes.attempts[i + 1];
    if (next.came_ns < *failed_last_ns) {
      ++all.overlaps;
      overlapped = true;
      begin_anew();
      continue;
    }
    now.waits.push_back({passed(next.came_ns - *failed_last_ns), next.came_ns, passed(*failed_last_ns - a.came_ns)});
  }
  bool const was_cut = r.ended == watch::run::ending::took_too_long || r.ended == watch::run::ending::too_many_attempts;
  all.cut += was_cut ? 1U : 0U;
  all.killed += r.ended == watch::run::ending::killed_by_signal ? 1U : 0U;
  if (failed_last_ns && !overlapped) {
    if (r.ended == watch::run::ending::exited) now.gave_up = {r.status, passed(r.ended_ns - *failed_last_ns)};
    if (r.ended == watch::run::ending::never_came_back || r.ended == watch::run::ending::took_too_long)
      now.open_ns = passed(r.ended_ns - *failed_last_ns);
    all.cycles.push_back(std::move(now));
  } else {
    begin_anew();
  }
}

// Whether waits are as many times too long as time should pass faster: a program under a shell, which libfaketime does
// not lead.
bool is_not_led(watched_report const& r) {
  auto const& rows = r.judged.rows;
  return !rows.empty() && std::ranges::all_of(rows, [&](wait_row const& w) {
    auto const [low, high] = w.documented;
    return w.seen.front().ns > 0.8 * r.seen.faster * low &&
           w.seen.front().ns > 2 * high + static_cast<double>(r.allowed.late_ns);
  });
}

watch_plan plan_of(watch_options const& options, watched_program const& asked_for) {
  auto const milliseconds = [](double s) { return std::chrono::milliseconds(std::llround(1000 * s)); };
  watch_plan plan;
  plan.failures = script_of(asked_for);
  plan.command = options.program;
  if (!names_the_server(plan.command, plan.environment))
    throw usage_error(
        "the program does not learn where the server is: expected {url}, {target}, {host} or {port} in its arguments");
  if (options.faster > 1) {
    try {
      plan.environment = faster_environment(plan.command.front(), options.faster);
    } catch (std::runtime_error const& e) {
      throw usage_error(fmt::format("--faster: {}", e.what()));
    }
  }
  plan.limits.most_time = milliseconds(options.longest_s);
  plan.limits.most_attempts = options.attempts_max;
  plan.limits.idle = milliseconds(options.idle_s);
  for (auto const ns : longest_delays(asked_for)) {
    constexpr double most_ms = 1e9;  // more than a run may take
    plan.limits.longest_delays.emplace_back(std::llround(std::min(ns / options.faster / 1e6, most_ms)));
  }
  plan.jobs = options.jobs;
  plan.stagger = std::chrono::milliseconds(10);
  return plan;
}

// Runs the program as often as the plan says, and notes what it did.
void watch_more(watch_plan const& plan, bool shows_progress, watched_program& seen, troubles& why) {
  progress line(shows_progress);
  line.begin("watching", "runs", plan.runs);
  auto const ended = watch_runs(plan, [&](watch::run const& r, slack const&) {
    if (r.ended == watch::run::ending::cannot_start) throw session_failure(r.trouble, "");
    ++seen.runs;
    ++line.done();
    take(r, plan.failures, seen, why);
    return true;
  });
  if (ended.ended == watched::ending::cannot_watch) throw session_failure(ended.trouble, "");
  seen.interrupted = ended.ended == watched::ending::interrupted;
  seen.slack.insert(seen.slack.end(), ended.slack.before.begin(), ended.slack.before.end());
  seen.slack.insert(seen.slack.end(), ended.slack.during.begin(), ended.slack.during.end());
}

void demand_attempts(watched_program const& seen, watch_plan const& plan, troubles const& why) {
  if (seen.attempts == 0 && !seen.interrupted)
    throw session_failure("the program made no attempt: " + why.last_words, why.last_errors);
  bool const is_unread = seen.attempts > 0 && why.tls + why.http2 == seen.attempts;
  if (plan.failures.is_http() && is_unread)
    throw session_failure(
        fmt::format("the program speaks {}: expected HTTP/1.1 without TLS, or --fail close, reset or hang",
                    why.tls > 0 ? "TLS" : "HTTP/2"),
        "");
}

// Where no number of runs is given: so many that draws which fill half of their range would be found.
watched_report watched_until_told(watch_options const& options, watch_plan plan, watched_program seen) {
  constexpr std::uint64_t runs_at_once = 20;
  constexpr std::uint64_t runs_max = 100;
  troubles why;
  for (;;) {
    plan.first = seen.runs;
    plan.runs = options.runs.value_or(runs_at_once);
    watch_more(plan, !options.report.quiet, seen, why);
    demand_attempts(seen, plan, why);
    auto r = judged(seen);
    bool const tells_half = r.judged.draws == 0 || r.judged.narrowest >= 0.5;
    bool const is_enough = options.runs || seen.interrupted || !r.judged.findings.empty() || tells_half;
    if (is_enough || seen.runs >= runs_max) return r;
  }
}

}  // namespace

exit_code watch_program(watch_options const& options) {
  auto seen = asked_for(options, named_system(options.system));
  auto const plan = plan_of(options, seen);
  demand_different(std::array{output_name{"--results", options.results}, output_name{"--junit", options.report.junit},
                              output_name{"--known-failing", options.known_failing}});
  auto junit = begun_file(options.report.junit, before_junit);
  auto results = begun_file(options.results, "");
  live_groups::interrupt_first();
  auto const r = watched_until_told(options, plan, std::move(seen));
  if (r.seen.faster > 1 && is_not_led(r))
    throw session_failure(
        fmt::format("time does not pass faster for the program: it waits {} times too long; try without --faster",
                    r.seen.faster),
        "");
  if (results) {
    results->write(to_results(r.seen));
    results->commit();
  }
  return show(r, options.report, junit);
}

}  // namespace backoff::oracle
