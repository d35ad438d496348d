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
  failed_cycle now;
  auto const begin_anew = [&] {
    if (!now.waits.empty()) all.cycles.push_back(std::move(now));
    now = {};
    now.retry_after_s = failures.retry_after_s;
  };
  begin_anew();
  bool failed_last = false;
  bool overlapped = false;  // an attempt is not counted as a retry: how many there were is not known
  for (std::size_t i = 0; i < r.notes.attempts.size(); ++i) {
    auto const& a = r.notes.attempts[i];
    all.hung |= a.client_left;
    why.tls += a.said == attempt::form::tls ? 1U : 0U;
    why.http2 += a.said == attempt::form::http2 ? 1U : 0U;
    failed_last = a.failed_ns && !failures.failures[a.failure].is_success();
    if (!failed_last) {
      begin_anew();
      continue;
    }
    if (i + 1 == r.notes.attempts.size()) break;
    auto const& next = r.notes.attempts[i + 1];
    if (next.came_ns < *a.failed_ns) {
      ++all.overlaps;
      overlapped = true;
      begin_anew();
      continue;
    }
    now.waits.push_back({passed(next.came_ns - *a.failed_ns), next.came_ns});
  }
  bool const was_cut = r.ended == watch::run::ending::took_too_long || r.ended == watch::run::ending::too_many_attempts;
  all.cut += was_cut ? 1U : 0U;
  all.killed += r.ended == watch::run::ending::killed_by_signal ? 1U : 0U;
  if (failed_last && !overlapped) {
    auto const& last = r.notes.attempts.back();
    if (r.ended == watch::run::ending::exited) now.gave_up = {r.status, passed(r.ended_ns - *last.failed_ns)};
    if (r.ended == watch::run::ending::never_came_back || r.ended == watch::run::ending::took_too_long)
      now.open_ns = passed(r.ended_ns - *last.failed_ns);
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

watch_plan plan_of(watch_options const& options) {
  auto const milliseconds = [](double s) { return std::chrono::milliseconds(std::llround(1000 * s)); };
  watch_plan plan;
  auto read = read_script(options.failures, options.retry_after_s);
  if (auto const* const wrong = std::get_if<std::string>(&read)) throw usage_error("--fail: " + *wrong);
  plan.failures = std::get<script>(std::move(read));
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
  plan.runs = options.runs;
  plan.jobs = std::min<std::uint64_t>(options.jobs, options.runs);
  plan.stagger = std::chrono::milliseconds(10);
  return plan;
}

}  // namespace

exit_code watch_program(watch_options const& options) {
  auto seen = asked_for(options, named_system(options.system));
  auto const plan = plan_of(options);
  demand_different(std::array{output_name{"--results", options.results}, output_name{"--junit", options.report.junit},
                              output_name{"--known-failing", options.known_failing}});
  auto junit = begun_file(options.report.junit, before_junit);
  auto results = begun_file(options.results, "");
  live_groups::interrupt_first();
  progress line(!options.report.quiet);
  line.begin("watching", "runs", options.runs);
  troubles why;
  auto const ended = watch_runs(plan, [&](watch::run const& r, slack const&) {
    if (r.ended == watch::run::ending::cannot_start) throw session_failure(r.trouble, "");
    ++seen.runs;
    ++line.done();
    take(r, plan.failures, seen, why);
    return true;
  });
  line.end();
  if (ended.ended == watched::ending::cannot_watch) throw session_failure(ended.trouble, "");
  seen.interrupted = ended.ended == watched::ending::interrupted;
  if (seen.attempts == 0 && !seen.interrupted)
    throw session_failure("the program made no attempt: " + why.last_words, why.last_errors);
  bool const is_unread = seen.attempts > 0 && why.tls + why.http2 == seen.attempts;
  if (plan.failures.is_http() && is_unread)
    throw session_failure(
        fmt::format("the program speaks {}: expected HTTP/1.1 without TLS, or --fail close, reset or hang",
                    why.tls > 0 ? "TLS" : "HTTP/2"),
        "");
  seen.slack = ended.slack.before;
  seen.slack.insert(seen.slack.end(), ended.slack.during.begin(), ended.slack.during.end());
  auto const r = judged(std::move(seen));
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
