// The verb watch: a program as it runs, without an adapter, against a server that fails as told.
// Checked by: properties/oracle/watch_test.py.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "explain/formulas.hpp"
#include "histories/text_parts.hpp"
#include "oracle/judged_waits.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "transport/live_groups.hpp"
#include "transport/port_session.hpp"
#include "watch/client_command.hpp"
#include "watch/faster.hpp"
#include "watch/watch_runs.hpp"

namespace backoff::oracle {
namespace {

using json = nlohmann::ordered_json;

constexpr double alpha = 1e-9;
constexpr std::int64_t clock_ns = 2'000'000;      // by which a program's timer may be early
constexpr std::int64_t program_ns = 100'000'000;  // that a program may take to read a failure and to come again
constexpr std::int64_t around_ns = 50'000'000;    // of a slow sample: the machine may have been slow for so long
constexpr double per_ms = 1e6;

// What the runs showed, and how far it can be trusted.
struct watched_program {
  std::vector<failed_cycle> cycles;
  std::uint64_t attempts = 0;
  std::uint64_t overlaps = 0;  // attempts that came before the failure of the one before
  std::uint64_t silent = 0;    // runs without an attempt
  std::uint64_t cut = 0;       // runs that were ended, by their time or the number of attempts
  std::uint64_t killed = 0;    // by a signal of their own
  std::uint64_t unused = 0;    // connections
  bool hung = false;           // clients were left to hang: when they gave up is known less well
  std::uint64_t tls = 0;       // attempts that began with a handshake of TLS
  std::uint64_t http2 = 0;     // the same of HTTP/2
  std::string last_words;      // of a run without an attempt
  std::string last_errors;     // what it wrote to standard error
};

history parameters_of(shape const& s, std::vector<std::string> const& given) {
  domain const d = documented_domain(s, {});
  history h;
  auto const names = text_parts::comma_separated(s.params, &field::name);
  for (std::string_view const text : given) {
    auto const equals = text.find('=');
    auto const key = text.substr(0, equals);
    auto const i = s.find_param(key);
    if (equals == std::string_view::npos || !i)
      throw usage_error(fmt::format("--param {}: expected NAME=VALUE with NAME one of: {}", text, names));
    if (h.params[*i].kind != value_kind::absent) throw usage_error(fmt::format("--param {} is given twice", key));
    try {
      h.params[*i] = parse_value(s.params[*i], d.params[*i], text.substr(equals + 1));
    } catch (text_error const& e) {
      throw usage_error(fmt::format("--param {}: {}", text, e.what()));
    }
  }
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (h.params[i].kind == value_kind::absent) h.params[i] = s.defaults[i];
    if (h.params[i].kind == value_kind::absent && !s.params[i].optional())
      throw usage_error(fmt::format("--param {}=… is missing: the document has no default for it", s.params[i].name));
  }
  try {
    text_parts::demand_allowed(s, h);
  } catch (text_error const& e) {
    throw usage_error(fmt::format("--param: {}", e.what()));
  }
  return h;
}

// Splits what one run noted where an attempt succeeded.
// Times are those that passed for the program, `faster` times the measured ones.
void take(watch::run const& r, script const& failures, double faster, watched_program& all) {
  auto const passed = [&](std::int64_t ns) { return std::llround(static_cast<double>(ns) * faster); };
  all.unused += r.notes.unused_connections;
  all.attempts += r.notes.attempts.size();
  if (r.notes.attempts.empty()) {
    ++all.silent;
    all.last_words = r.ended == watch::run::ending::exited ? fmt::format("it ended with status {}", r.status)
                     : r.trouble.empty()                   ? "it was ended"
                                                           : r.trouble;
    all.last_errors = r.standard_error;
  }
  failed_cycle now;
  auto const begin_anew = [&] {
    if (!now.waits.empty()) all.cycles.push_back(std::move(now));
    now = {};
    now.retry_after_s = failures.retry_after_s;
  };
  begin_anew();
  bool failed_last = false;
  for (std::size_t i = 0; i < r.notes.attempts.size(); ++i) {
    auto const& a = r.notes.attempts[i];
    all.hung |= a.client_left;
    all.tls += a.said == attempt::form::tls ? 1U : 0U;
    all.http2 += a.said == attempt::form::http2 ? 1U : 0U;
    failed_last = a.failed_ns && !failures.failures[a.failure].is_success();
    if (!failed_last) {
      begin_anew();
      continue;
    }
    if (i + 1 == r.notes.attempts.size()) break;
    auto const& next = r.notes.attempts[i + 1];
    if (next.came_ns < *a.failed_ns) {
      ++all.overlaps;
      begin_anew();
      continue;
    }
    now.waits.push_back({passed(next.came_ns - *a.failed_ns), next.came_ns});
  }
  bool const was_cut = r.ended == watch::run::ending::took_too_long || r.ended == watch::run::ending::too_many_attempts;
  all.cut += was_cut ? 1U : 0U;
  all.killed += r.ended == watch::run::ending::killed_by_signal ? 1U : 0U;
  if (failed_last) {
    auto const& last = r.notes.attempts.back();
    now.gave_up = r.ended == watch::run::ending::exited;
    if (r.ended == watch::run::ending::never_came_back || r.ended == watch::run::ending::took_too_long)
      now.open_ns = passed(r.ended_ns - *last.failed_ns);
    all.cycles.push_back(std::move(now));
  } else {
    begin_anew();
  }
}

tolerance tolerance_of(std::span<slack_sample const> all, watch_options const& options, bool hung) {
  auto const passed = [&](std::int64_t ns) { return std::llround(static_cast<double>(ns) * options.faster); };
  auto const slow = program_ns + 4 * slack_quantile_ns(all, 0.99);
  tolerance t;
  t.late_ns = options.slack_ms ? std::llround(*options.slack_ms * per_ms) : passed(slow);
  t.early_ns = passed(clock_ns + slack_quantile_ns(all, 0.99));
  if (hung) t.early_ns = std::max(t.early_ns, t.late_ns);
  for (auto const& s : all) {
    auto const around = s.slack_ns + around_ns;
    if (passed(s.slack_ns) > t.late_ns) t.stalls.emplace_back(s.taken_ns - around, s.taken_ns + around);
  }
  return t;
}

std::string ms(double ns) { return fmt::format("{:.1f}", ns / per_ms); }

std::string_view name_of(wait_finding::fault f) {
  constexpr std::array<std::string_view, 6> names{"waits_are_not_too_short", "waits_are_not_too_long",
                                                  "waits_fill_their_range",  "the_program_comes_back",
                                                  "retries_are_made",        "retries_are_limited"};
  return names[static_cast<std::size_t>(f)];
}

std::string where(wait_finding const& f) { return f.retry == 0 ? "all retries" : fmt::format("retry {}", f.retry); }

struct told {
  watch_options const* options;
  shape const* document;
  history with;
  watched_program seen;
  judged_waits judged;
  tolerance allowed;
  std::vector<slack_sample> samples;
  std::uint64_t runs = 0;
  bool interrupted = false;

  [[nodiscard]] exit_code code() const {
    if (!judged.findings.empty()) return does_not_conform;
    return judged.waits == 0 || !judged.doubt.empty() || interrupted ? inconclusive : conforms;
  }

  [[nodiscard]] std::string verdict() const {
    if (code() == does_not_conform) return fmt::format("does not conform: {}", name_of(judged.findings.front().what));
    if (judged.waits == 0) return "inconclusive: no wait was seen";
    if (!judged.doubt.empty()) return "inconclusive: " + judged.doubt + "; more runs tell";
    if (interrupted) return "inconclusive: interrupted";
    return fmt::format("conforms, by {} waits in {} runs{}", judged.waits, runs,
                       draws_untested() ? "; how delays are drawn was not tested" : "");
  }

  [[nodiscard]] bool draws_untested() const {
    return judged.draws == 0 &&
           std::ranges::any_of(judged.rows, [](wait_row const& r) { return r.documented.low < r.documented.high; });
  }

  [[nodiscard]] std::string parameters() const {
    std::string text;
    for (std::size_t i = 0; i < document->params.size(); ++i) {
      if (with.params[i].kind == value_kind::absent) continue;
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", document->params[i].name,
                          to_text(document->params[i], with.params[i]));
    }
    return text;
  }

  [[nodiscard]] std::vector<std::string> not_judged() const {
    std::vector<std::string> all;
    auto const add = [&](std::uint64_t n, std::string_view what) {
      if (n > 0) all.push_back(fmt::format("{} {}", n, what));
    };
    add(judged.in_stalls, "waits that ended while the machine was slow");
    add(seen.overlaps, "attempts that came before the failure of the one before: the program has several connections");
    add(seen.silent, "runs without an attempt");
    add(seen.cut, "runs that were ended by --max-time or --max-attempts: what would have followed");
    add(seen.killed, "programs that a signal killed: how they would have ended");
    add(seen.unused, "connections that were closed without a byte");
    std::uint64_t late = 0;
    for (auto const& r : judged.rows) late += r.late;
    if (judged.findings.empty() && judged.doubt.empty())
      add(late, "waits that were too long: a slow machine may explain one in a hundred");
    if (draws_untested()) all.emplace_back("how delays are drawn: no range is 10 times as wide as the slack");
    if (!judged.limits_retries) all.emplace_back("when the program gives up: the document sets no limit here");
    return all;
  }
};

std::string to_text(told const& t) {
  std::string text;
  auto const to = std::back_inserter(text);
  auto const at = [&](double p) { return ms(static_cast<double>(slack_quantile_ns(t.samples, p))); };
  fmt::format_to(to, "document    {}{}{}\n", t.document->stem, t.parameters().empty() ? "" : ", ", t.parameters());
  fmt::format_to(to, "program     {}\n", fmt::join(t.options->program, " "));
  fmt::format_to(to, "runs        {}, answered with {}: {} attempts, {} waits judged, {} draws tested\n", t.runs,
                 t.options->failures, t.seen.attempts, t.judged.waits, t.judged.draws);
  fmt::format_to(to,
                 "slack       median {} ms, 99th percentile {} ms, greatest {} ms, of {} clients that did not wait\n",
                 at(0.5), at(0.99), at(1), t.samples.size());
  if (t.options->faster > 1)
    fmt::format_to(to, "            time passed {} times faster for the program: the slack counts so many times\n",
                   t.options->faster);
  fmt::format_to(to, "            a wait may be {} ms too short, and {} ms too long\n",
                 ms(static_cast<double>(t.allowed.early_ns)), ms(static_cast<double>(t.allowed.late_ns)));
  fmt::format_to(to, "\n  retry  waits  documented, in ms      seen, in ms: least     median       most\n");
  for (auto const& r : t.judged.rows) {
    auto const range = r.documented.low == r.documented.high
                           ? ms(r.documented.low)
                           : fmt::format("{} to {}", ms(r.documented.low), ms(r.documented.high));
    fmt::format_to(to, "  {:>5}  {:>5}  {:<22} {:>18} {:>10} {:>10}{}\n", r.retry, r.seen_ns.size(), range,
                   ms(r.seen_ns.front()), ms(r.seen_ns[r.seen_ns.size() / 2]), ms(r.seen_ns.back()),
                   r.is_wide ? "  draws tested" : "");
  }
  if (!t.judged.findings.empty()) text += "\nfindings\n";
  for (auto const& f : t.judged.findings)
    fmt::format_to(to, "  {}: {}, {} of {}\n      {}\n", name_of(f.what), where(f), f.seen, f.of, f.sentence);
  bool const are_late =
      std::ranges::any_of(t.judged.findings, [](wait_finding const& f) { return f.what == wait_finding::fault::late; });
  if (are_late) text += "  a program that is slow itself needs --slack\n";
  if (auto const rest = t.not_judged(); !rest.empty()) {
    text += "\nnot judged\n";
    for (auto const& line : rest) fmt::format_to(to, "  {}\n", line);
  }
  fmt::format_to(to, "\nverdict: {}\n", t.verdict());
  return text;
}

json to_json(told const& t) {
  auto const at = [&](double p) { return static_cast<double>(slack_quantile_ns(t.samples, p)) / per_ms; };
  json params = json::object();
  for (std::size_t i = 0; i < t.document->params.size(); ++i) {
    if (t.with.params[i].kind != value_kind::absent)
      params[std::string(t.document->params[i].name)] = to_text(t.document->params[i], t.with.params[i]);
  }
  json rows = json::array();
  for (auto const& r : t.judged.rows) {
    json seen = json::array();
    for (auto const ns : r.seen_ns) seen.push_back(ns / per_ms);
    rows.push_back({{"retry", r.retry},
                    {"documented_ms", {r.documented.low / per_ms, r.documented.high / per_ms}},
                    {"too_short", r.early},
                    {"too_long", r.late},
                    {"draws_tested", r.is_wide},
                    {"seen_ms", seen}});
  }
  json findings = json::array();
  for (auto const& f : t.judged.findings) {
    findings.push_back(
        {{"claim", name_of(f.what)}, {"retry", f.retry}, {"seen", f.seen}, {"of", f.of}, {"says", f.sentence}});
  }
  return {{"document", t.document->stem},
          {"parameters", params},
          {"program", t.options->program},
          {"failures", t.options->failures},
          {"faster", t.options->faster},
          {"runs", t.runs},
          {"attempts", t.seen.attempts},
          {"waits", t.judged.waits},
          {"draws", t.judged.draws},
          {"slack_ms", {{"median", at(0.5)}, {"p99", at(0.99)}, {"most", at(1)}, {"samples", t.samples.size()}}},
          {"allowed_ms",
           {{"too_short", static_cast<double>(t.allowed.early_ns) / per_ms},
            {"too_long", static_cast<double>(t.allowed.late_ns) / per_ms}}},
          {"retries", rows},
          {"findings", findings},
          {"not_judged", t.not_judged()},
          {"verdict", t.verdict()},
          {"exit_code", static_cast<int>(t.code())}};
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
  plan.limits = {milliseconds(options.longest_s), options.attempts_max, milliseconds(options.idle_s),
                 std::chrono::milliseconds(2000)};
  plan.runs = options.runs;
  plan.jobs = std::min<std::uint64_t>(options.jobs, options.runs);
  plan.stagger = std::chrono::milliseconds(10);
  return plan;
}

}  // namespace

exit_code watch_program(watch_options const& options) {
  auto const& document = named_system(options.system);
  auto const& s = document.shape();
  if (!tells_delays(s)) throw usage_error(fmt::format("{} answers no delays: there is nothing to watch", s.stem));
  told t{.options = &options,
         .document = &s,
         .with = parameters_of(s, options.params),
         .seen = {},
         .judged = {},
         .allowed = {},
         .samples = {}};
  auto const plan = plan_of(options);
  live_groups::interrupt_first();
  progress line(!options.quiet);
  line.begin("watching", "runs", options.runs);
  auto const ended = watch_runs(plan, [&](watch::run const& r, slack const&) {
    if (r.ended == watch::run::ending::cannot_start) throw session_failure(r.trouble, "");
    ++t.runs;
    ++line.done();
    take(r, plan.failures, options.faster, t.seen);
    return true;
  });
  line.end();
  if (ended.ended == watched::ending::cannot_watch) throw session_failure(ended.trouble, "");
  t.interrupted = ended.ended == watched::ending::interrupted;
  if (t.seen.attempts == 0 && !t.interrupted)
    throw session_failure("the program made no attempt: " + t.seen.last_words, t.seen.last_errors);
  bool const is_unread = t.seen.attempts > 0 && t.seen.tls + t.seen.http2 == t.seen.attempts;
  if (plan.failures.is_http() && is_unread)
    throw session_failure(
        fmt::format("the program speaks {}: expected HTTP/1.1 without TLS, or --fail close, reset or hang",
                    t.seen.tls > 0 ? "TLS" : "HTTP/2"),
        "");
  t.samples = ended.slack.before;
  t.samples.insert(t.samples.end(), ended.slack.during.begin(), ended.slack.during.end());
  t.allowed = tolerance_of(t.samples, options, t.seen.hung);
  t.judged = judge_waits(document, t.with, t.seen.cycles, t.allowed, alpha);
  auto const text = options.format == "json" ? to_json(t).dump(2) + "\n" : fitting(to_text(t));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return t.code();
}

}  // namespace backoff::oracle
