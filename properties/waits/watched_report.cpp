#include "waits/watched_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "files/policy_file.hpp"
#include "histories/printable.hpp"
#include "histories/text_parts.hpp"
#include "judge/catalogue.hpp"
#include "reports/history_table.hpp"
#include "reports/html.hpp"
#include "reports/junit.hpp"
#include "reports/replay_line.hpp"
#include "session/options.hpp"
#include "session/parameters.hpp"
#include "waits/wait_patterns.hpp"

namespace backoff::waits {
namespace {

using json = nlohmann::ordered_json;
using fault = wait_finding::fault;
using reports::html::counted;

constexpr double alpha = 1e-9;
constexpr std::int64_t clock_ns = 2'000'000;      // by which a program's timer may be early
constexpr std::int64_t program_ns = 100'000'000;  // that a program may take to read a failure and to come again
constexpr std::int64_t varies_ns = 20'000'000;    // by how much that may vary
constexpr std::int64_t around_ns = 50'000'000;    // of a slow sample: the machine may have been slow for so long

constexpr std::array claims{
    wait_claim{"waits_are_not_too_short", "no wait is shorter than the shortest documented delay"},
    wait_claim{"waits_are_not_too_long",
               "waits are longer than the longest documented delay only if the machine is slow"},
    wait_claim{"waits_fill_their_range", "waits are spread over their range as documented"},
    wait_claim{"the_program_comes_back", "after a failure, an attempt comes within the longest documented delay"},
    wait_claim{"retries_are_made", "the program does not give up before the documented number of retries"},
    wait_claim{"retries_are_limited", "the program retries no more often than documented"},
};

tolerance tolerance_of(watched_program const& seen) {
  auto const passed = [&](std::int64_t ns) -> std::int64_t {
    return std::llround(static_cast<double>(ns) * seen.faster);
  };
  auto const machine = watch::slack_quantile_ns(seen.slack, 0.99);
  tolerance t;
  t.late_ns = seen.slack_ms ? std::llround(*seen.slack_ms * per_ms) : passed(program_ns + 4 * machine);
  t.early_ns = passed(clock_ns + machine);
  // A program may count its delay from the start of an attempt, which the server may see late by any slack.
  t.early_most_ns = passed(clock_ns + watch::slack_quantile_ns(seen.slack, 1));
  t.late_most_ns = t.late_ns + passed(10 * watch::slack_quantile_ns(seen.slack, 1));
  t.varies_ns = std::min(t.late_ns, passed(varies_ns + 4 * machine));
  t.early_after_hang_ns = std::max(t.early_ns, t.late_ns);
  if (seen.hung) t.varies_ns = t.late_ns;
  for (auto const& s : seen.slack) {
    auto const around = s.slack_ns + around_ns;
    if (passed(s.slack_ns) > t.late_ns) t.stalls.emplace_back(s.taken_ns - around, s.taken_ns + around);
  }
  return t;
}

// What a program is held to. Throws usage_error.
struct held_to {
  explicit held_to(watched_program const& p)
      : document(&named_system(p.system)),
        given(parts_of(p, true)),
        with(parameters_of(document->shape(), parts_of(p, false))),
        arguments(*document, script_of(p), given) {}

  judged_system const* document;
  std::vector<std::string> given;  // NAME=VALUE, of the arguments
  history with;
  failure_arguments arguments;

 private:
  [[nodiscard]] std::vector<std::string> parts_of(watched_program const& p, bool of_arguments) const {
    std::vector<std::string> all;
    std::ranges::copy_if(p.params, std::back_inserter(all), [&](std::string const& text) {
      return failure_arguments::is_about(document->shape(), text) == of_arguments;
    });
    return all;
  }
};

bool covers(session::failure_line const& line, wait_finding const& f) {
  return line.id == claim_of(f.what).name && (line.pattern == "*" || line.pattern == fmt::format("retry={}", f.retry));
}

bool is_pattern(std::string_view text) {
  constexpr std::string_view retry = "retry=";
  return text == "*" || (text.starts_with(retry) && text.size() > retry.size() && text.size() <= retry.size() + 5 &&
                         text.find_first_not_of("0123456789", retry.size()) == std::string_view::npos);
}

// Whether too little was seen for a program without a finding to conform.
bool is_open(watched_report const& r) { return r.judged.waits == 0 || !r.judged.doubt.empty() || r.seen.interrupted; }

void excuse(watched_report& r) {
  r.known = session::failure_lines(r.seen.known_failing_name, r.seen.known_failing);
  for (auto const& line : r.known) {
    if (std::ranges::find(claims, line.id, &wait_claim::name) == claims.end())
      throw session::usage_error(fmt::format("{}: '{}' is not a claim of watch, expected one of: {}", line.place,
                                             line.id, text_parts::comma_separated(claims, &wait_claim::name)));
    if (!is_pattern(line.pattern))
      throw session::usage_error(fmt::format("{}: pattern '{}': expected * or retry=N", line.place, line.pattern));
    auto const of_line = [&](wait_finding const& f) { return covers(line, f); };
    std::ranges::copy_if(r.judged.findings, std::back_inserter(r.excused), of_line);
    std::erase_if(r.judged.findings, of_line);
    if (!line.sometimes && !is_open(r) && std::ranges::none_of(r.excused, of_line)) r.stale.push_back(line);
  }
}

bool draws_are_untested(watched_report const& r) {
  return r.judged.draws == 0 && has_draws(*r.document) &&
         std::ranges::any_of(r.judged.rows, [](wait_row const& w) { return w.documented.low < w.documented.high; });
}

std::string ms(double ns) { return fmt::format("{:.1f}", ns / per_ms); }

// The waits that are as long as the header Retry-After of the failures says, all and wrong ones.
struct header_waits {
  double ns = 0;  // what the header says
  std::uint64_t seen = 0;
  std::uint64_t wrong = 0;
  std::uint64_t all_wrong = 0;
};

// Nothing without that header, or where the document says something of it.
std::optional<header_waits> as_the_header_says(watched_report const& r) {
  bool const is_documented = std::ranges::any_of(r.document->shape().operations, [](auto const& o) {
    return std::ranges::any_of(o.args, [](field const& a) { return a.name.starts_with("retry_after"); });
  });
  if (!r.seen.retry_after_s || is_documented) return std::nullopt;
  double const ns = *r.seen.retry_after_s * 1e9;
  header_waits of{.ns = ns};
  for (auto const& row : r.judged.rows) {
    for (auto const& w : row.seen) {
      bool const is_as_long =
          w.ns >= ns - static_cast<double>(r.allowed.early_ns) && w.ns <= ns + static_cast<double>(r.allowed.late_ns);
      of.seen += is_as_long ? 1U : 0U;
      of.wrong += is_as_long && !w.is_right ? 1U : 0U;
      of.all_wrong += w.is_right ? 0U : 1U;
    }
  }
  return of;
}

// Unless a known failure covers it.
bool draws_are_in_doubt(watched_report const& r) {
  auto const name = claim_of(fault::draws).name;
  return draws_are_untested(r) && std::ranges::find(r.known, name, &session::failure_line::id) == r.known.end();
}

std::vector<std::string_view> broken_claims(watched_report const& r) {
  std::vector<std::string_view> all;
  for (auto const& f : r.judged.findings) {
    if (std::ranges::find(all, claim_of(f.what).name) == all.end()) all.push_back(claim_of(f.what).name);
  }
  return all;
}

double slack_ms(watched_report const& r, double p) {
  return static_cast<double>(watch::slack_quantile_ns(r.seen.slack, p)) / per_ms;
}

json to_json(std::vector<wait_finding> const& all) {
  json findings = json::array();
  for (auto const& f : all) {
    findings.push_back(
        {{"claim", claim_of(f.what).name}, {"retry", f.retry}, {"seen", f.seen}, {"of", f.of}, {"says", f.sentence}});
  }
  return findings;
}

json to_json(std::vector<session::failure_line> const& lines) {
  json all = json::array();
  for (auto const& l : lines)
    all.push_back({{"claim", l.id}, {"pattern", l.pattern}, {"reason", l.reason}, {"place", l.place}});
  return all;
}

// By how much the longest wait exceeds its range.
double latest_ns(watched_report const& r) {
  double most = 0;
  for (auto const& w : r.judged.rows) most = std::max(most, w.seen.back().ns - w.documented.high);
  return most;
}

std::string finding_text(wait_finding const& f) {
  return fmt::format("{}: {}\n      {}\n", claim_of(f.what).name, place_of(f), f.sentence);
}

// Where waits before many retries are wrong on one side, the first one stands for all.
std::string findings_text(std::vector<wait_finding> const& all) {
  constexpr std::size_t shown_max = 3;
  std::string text;
  for (auto at = all.begin(); at != all.end();) {
    auto const end = std::find_if(at, all.end(), [&](wait_finding const& f) { return f.what != at->what; });
    bool const is_storm = static_cast<std::size_t>(end - at) > shown_max;
    auto const shown = is_storm ? at + 1 : end;
    for (; at != shown; ++at) text += "  " + finding_text(*at);
    if (!is_storm) continue;
    std::uint64_t seen = 0;
    std::uint64_t of = 0;
    for (auto f = at; f != end; ++f) seen += f->seen, of += f->of;
    text += fmt::format("      and before {} more retries, up to retry {}: {} of {} waits\n", end - at,
                        std::prev(end)->retry, seen, of);
    at = end;
  }
  return text;
}

// Why a claim says nothing of the program; empty where it does.
std::string why_skipped(watched_report const& r, fault f) {
  if (std::ranges::find(r.excused, f, &wait_finding::what) != r.excused.end()) return "known to fail";
  bool const is_of_limits = f == fault::gave_up || f == fault::too_many;
  if (is_of_limits && !r.judged.limits_retries) return "the document sets no limit";
  if (f == fault::draws && r.judged.draws == 0)
    return draws_are_untested(r) ? "no draw was tested" : "no delay is drawn";
  return r.judged.waits == 0 && f != fault::never_came_back ? "no wait was seen" : "";
}

}  // namespace

std::span<wait_claim const> wait_claims() { return claims; }

wait_claim const& claim_of(fault f) { return claims[static_cast<std::size_t>(f)]; }

std::string place_of(wait_finding const& f) {
  bool const is_of_runs = f.what == fault::never_came_back || f.what == fault::gave_up || f.what == fault::too_many;
  if (is_of_runs) return fmt::format("{} of {}", f.seen, counted(f.of, "cycle", "cycles"));
  auto const of = fmt::format("{} of {}", f.seen, counted(f.of, "wait", "waits"));
  return f.retry == 0 ? of : fmt::format("retry {}, {}", f.retry, of);
}

std::string range_text(range_ns r) {
  return r.low == r.high ? ms(r.low) : fmt::format("{} to {}", ms(r.low), ms(r.high));
}

watched_report judged(watched_program seen) {
  held_to const to(seen);
  watched_report r;
  r.seen = std::move(seen);
  r.document = to.document;
  r.with = to.with;
  r.arguments = to.given;
  r.allowed = tolerance_of(r.seen);
  r.judged = judge_waits(*to.document, r.with, to.arguments, r.seen.cycles, r.allowed, alpha);
  excuse(r);
  return r;
}

std::vector<double> longest_delays(watched_program const& asked_for) {
  constexpr std::size_t retries = 100;
  held_to const to(asked_for);
  return longest_delays(*to.document, to.with, to.arguments, retries);
}

std::string settings_of(watched_report const& r) {
  auto all = parameters_text(r.document->shape(), r.with);
  for (auto const& argument : r.arguments) all += (all.empty() ? "" : " ") + histories::printable(argument);
  return all;
}

exit_code code_of(watched_report const& r) {
  if (!r.judged.findings.empty() || !r.stale.empty()) return does_not_conform;
  return is_open(r) || draws_are_in_doubt(r) ? inconclusive : conforms;
}

std::string verdict_of(watched_report const& r) {
  if (!r.judged.findings.empty())
    return fmt::format("does not conform: {}", text_parts::comma_separated(broken_claims(r)));
  if (!r.stale.empty()) {
    auto const& line = r.stale.front();
    return fmt::format("known to fail, but nothing failed there: {} {} ({})", line.id, line.pattern, line.place);
  }
  if (!r.judged.doubt.empty()) return "inconclusive: " + r.judged.doubt;
  if (r.judged.waits == 0) return "inconclusive: no wait was seen";
  if (r.seen.interrupted) return "inconclusive: interrupted";
  if (draws_are_in_doubt(r))
    return "inconclusive: how delays are drawn was not tested, and a program without jitter would pass; "
           "longer delays or a smaller --slack tell";
  return fmt::format("conforms{}, by {} in {}", r.excused.empty() ? "" : ", but for what is known to fail",
                     counted(r.judged.waits, "wait", "waits"), counted(r.seen.runs, "run", "runs"));
}

std::optional<std::string> in_common(watched_report const& r) {
  auto const& all = r.judged.findings;
  bool const are_wrong =
      std::ranges::any_of(all, [](wait_finding const& f) { return f.what == fault::early || f.what == fault::late; });
  if (!are_wrong) return std::nullopt;
  auto const of = as_the_header_says(r);
  if (of && of->wrong > 0 && of->wrong == of->all_wrong)
    return fmt::format("each wrong wait is about {} ms long, as Retry-After says; the document says nothing of it",
                       ms(of->ns));
  return pattern_of(r.judged.rows, r.judged.next, r.allowed);
}

std::vector<std::string> ends_of(watched_report const& r) {
  std::map<int, std::vector<std::int64_t>> after;
  for (auto const& c : r.seen.cycles) {
    if (c.gave_up) after[c.gave_up->status].push_back(c.gave_up->after_ns);
  }
  std::vector<std::string> all;
  for (auto const& [status, times] : after) {
    auto const [least, most] = std::ranges::minmax(times);
    all.push_back(fmt::format("{} with status {}, {} ms after the last failure", counted(times.size(), "run", "runs"),
                              status, range_text({static_cast<double>(least), static_cast<double>(most)})));
  }
  std::vector<std::int64_t> alive;
  for (auto const& c : r.seen.cycles) {
    if (c.open_ns) alive.push_back(*c.open_ns);
  }
  if (!alive.empty()) {
    auto const [least, most] = std::ranges::minmax(alive);
    all.push_back(fmt::format(
        "{} had not ended {} ms after the last failure, and `watch` ended {}", counted(alive.size(), "run", "runs"),
        range_text({static_cast<double>(least), static_cast<double>(most)}), alive.size() == 1 ? "it" : "them"));
  }
  return all;
}

std::string methods_of(watched_program const& seen) {
  std::vector<std::string> all;
  for (auto const& c : seen.cycles) {
    if (std::ranges::find(all, c.method) == all.end()) all.push_back(c.method);
  }
  return histories::printable(text_parts::comma_separated(all));
}

std::vector<std::string> not_judged(watched_report const& r) {
  std::vector<std::string> all;
  auto const add = [&](std::uint64_t n, std::string_view one, std::string_view more, std::string_view rest = "") {
    if (n > 0) all.push_back(counted(n, one, more) + std::string(rest));
  };
  if (r.seen.interrupted)
    all.push_back(fmt::format("what came after {}: interrupted", counted(r.seen.runs, "run", "runs")));
  add(r.judged.in_stalls, "wait", "waits", " that ended while the machine was slow");
  add(r.seen.overlaps, "attempt", "attempts",
      " that came before the failure of the one before: there are several connections");
  add(r.seen.silent, "run", "runs", " without an attempt");
  add(r.seen.cut, "run", "runs", " that --max-time or --max-attempts ended: what would have followed");
  add(r.judged.left_open, "run", "runs",
      " that ended before the longest documented delay had passed: whether the program would have come back");
  add(r.judged.open_ends, "run", "runs",
      ": whether another retry is granted depends on how the program counts the time");
  add(r.judged.of_no_method, "cycle", "cycles",
      fmt::format(" of requests with a method that the document does not have: {}", methods_of(r.seen)));
  add(r.seen.killed, "program", "programs", " that a signal killed: how it would have ended");
  add(r.seen.unused, "connection", "connections", " closed without a byte");
  std::uint64_t early = 0;
  std::uint64_t late = 0;
  for (auto const& w : r.judged.rows) early += w.early, late += w.late;
  auto const is_told = [&](fault what) {
    return std::ranges::find(r.excused, what, &wait_finding::what) != r.excused.end();
  };
  if (r.judged.findings.empty() && r.judged.doubt.empty()) {
    if (!is_told(fault::early)) add(early, "wait", "waits", " too short: a slow machine may explain one in a hundred");
    if (!is_told(fault::late)) add(late, "wait", "waits", " too long: a slow machine may explain one in a hundred");
  }
  auto const longer = static_cast<double>(r.allowed.late_ns);
  std::vector<std::size_t> brief;
  for (auto const& w : r.judged.rows) {
    if (w.documented.high > 0 && w.documented.high <= longer) brief.push_back(w.retry);
  }
  if (!brief.empty())
    all.push_back(fmt::format("whether waits before retry {} are twice as long: a wait may be {} ms too long",
                              listed_retries(brief), ms(longer)));
  auto const varies = ms(10 * static_cast<double>(r.allowed.varies_ns));
  if (r.judged.narrowest > 0 && r.judged.narrowest < 0.9)
    all.push_back(
        fmt::format("draws that fill more than {:.0f} % of their range, but not all of it", 100 * r.judged.narrowest));
  std::vector<std::size_t> narrow;
  std::vector<std::size_t> outside;
  std::vector<std::size_t> chosen;
  for (auto const& w : r.judged.rows) {
    bool const is_drawn = has_draws(*r.document) && w.documented.low < w.documented.high;
    if (w.draws_tested || !is_drawn) continue;
    bool const is_wide = w.documented.high - w.documented.low >= 10 * static_cast<double>(r.allowed.varies_ns);
    (!w.is_kept() ? outside : is_wide ? chosen : narrow).push_back(w.retry);
  }
  auto const add_untested = [&](std::vector<std::size_t> const& retries, std::string_view why) {
    if (!retries.empty())
      all.push_back(fmt::format("how delays are drawn before retry {}: {}", listed_retries(retries), why));
  };
  add_untested(outside, "too many waits are outside of the range");
  add_untested(chosen,
               "the draw may also decide whether the retries end, or the range depends on how the time is counted");
  if (r.judged.draws > 0 || !outside.empty()) {
    add_untested(narrow, fmt::format("the range is less than {} ms wide", varies));
  } else if (!narrow.empty()) {
    all.push_back(fmt::format("how delays are drawn: no range is {} ms wide", varies));
  }
  if (auto const of = as_the_header_says(r); of && r.judged.findings.empty())
    all.push_back(fmt::format("Retry-After, of which the document says nothing: {} of {} as long as it says", of->seen,
                              counted(r.judged.waits, "wait is", "waits are")));
  if (!r.judged.limits_retries) all.emplace_back("when the program gives up: the document sets no limit");
  return all;
}

// The failure before each retry, where there are several and each cycle begins with the first of them; the last one is
// that before all further retries.
std::vector<std::string> failures_before_retries(watched_report const& r) {
  auto const all = script_of(r.seen).failures;
  bool const is_one = all.size() < 2;
  if (is_one || std::ranges::any_of(r.seen.cycles, [](failed_cycle const& c) { return c.first > 0; })) return {};
  std::vector<std::string> names;
  names.reserve(all.size());
  for (auto const& each : all) names.push_back(watch::text_of(each));
  return names;
}

std::string to_text(watched_report const& r) {
  std::string text;
  auto const at = [&](double p) { return fmt::format("{:.1f}", slack_ms(r, p)); };
  auto const with = settings_of(r);
  text += fmt::format("document    {}{}{}\n", r.seen.system, with.empty() ? "" : ", ", with);
  std::vector<std::string> words;
  words.reserve(r.seen.command.size());
  for (auto const& word : r.seen.command) words.push_back(reports::quoted(word));
  text += fmt::format("program     {}\n", text_parts::listed(words, " "));
  auto const header = r.seen.retry_after_s ? fmt::format(" and Retry-After: {}", *r.seen.retry_after_s) : "";
  text += fmt::format("runs        {}, answered with {}{}: {}, {} judged, {} tested\n", r.seen.runs, r.seen.failures,
                      header, counted(r.seen.attempts, "attempt", "attempts"), counted(r.judged.waits, "wait", "waits"),
                      counted(r.judged.draws, "draw", "draws"));
  text +=
      fmt::format("slack       median {} ms, 99th percentile {} ms, greatest {} ms, of {} clients that did not wait\n",
                  at(0.5), at(0.99), at(1), r.seen.slack.size());
  if (r.seen.faster > 1)
    text += fmt::format("            time passed {} times faster for the program: the slack counts so many times\n",
                        r.seen.faster);
  text += fmt::format("            a wait may be {} ms too short, and {} ms too long\n",
                      ms(static_cast<double>(r.allowed.early_ns)), ms(static_cast<double>(r.allowed.late_ns)));
  if (!r.judged.followed.empty())
    text += fmt::format("reading     {}\n", text_parts::comma_separated(r.judged.followed));
  bool const is_told = r.judged.draws > 0 && r.judged.doubt.empty() && r.judged.findings.empty();
  if (is_told && r.judged.narrowest > 0)
    text += fmt::format("power       draws that fill {:.0f} % of their range or less would be found\n",
                        100 * r.judged.narrowest);
  if (is_told && r.judged.narrowest <= 0)
    text += "power       draws without any jitter would be found, and no others\n";
  text += "\n  retry  waits  documented, in ms      seen, in ms: least     median       most\n";
  auto const failures = failures_before_retries(r);
  for (auto const& w : r.judged.rows) {
    text += fmt::format("  {:>5}  {:>5}  {:<22} {:>18} {:>10} {:>10}{}{}\n", w.retry, w.seen.size(),
                        range_text(w.documented), ms(w.seen.front().ns), ms(w.seen[w.seen.size() / 2].ns),
                        ms(w.seen.back().ns), w.draws_tested ? "  draws tested" : "",
                        failures.empty() ? "" : "  after " + failures[std::min(w.retry, failures.size()) - 1]);
  }
  if (auto const ends = ends_of(r); !ends.empty())
    text += fmt::format("\ngave up     {}\n", text_parts::listed(ends, "\n            "));
  if (!r.judged.findings.empty()) text += "\nfindings\n" + findings_text(r.judged.findings);
  bool const are_late =
      std::ranges::find(r.judged.findings, fault::late, &wait_finding::what) != r.judged.findings.end();
  if (are_late && latest_ns(r) < 5 * static_cast<double>(r.allowed.late_ns))
    text += "  if the program itself takes so long, say --slack\n";
  if (auto const rule = in_common(r)) text += fmt::format("\nin common   {}\n", *rule);
  if (!r.excused.empty() || !r.stale.empty()) text += "\nknown to fail\n";
  for (auto const& f : r.excused) text += "  " + finding_text(f);
  for (auto const& l : r.stale)
    text += fmt::format("  {}: nothing failed under '{} {}': remove the line\n", l.place, l.id, l.pattern);
  if (auto const rest = not_judged(r); !rest.empty()) {
    text += "\nnot judged\n";
    for (auto const& line : rest) text += fmt::format("  {}\n", line);
  }
  text += fmt::format("\nverdict: {}\n", verdict_of(r));
  return text;
}

std::string to_json(watched_report const& r) {
  auto const& s = r.document->shape();
  json params = json::object();
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (r.with.params[i].kind != value_kind::absent)
      params[std::string(s.params[i].name)] = to_text(s.params[i], r.with.params[i]);
  }
  json rows = json::array();
  for (auto const& w : r.judged.rows) {
    json seen = json::array();
    for (auto const& each : w.seen) seen.push_back(each.ns / per_ms);
    rows.push_back({{"retry", w.retry},
                    {"documented_ms", {w.documented.low / per_ms, w.documented.high / per_ms}},
                    {"too_short", w.early},
                    {"too_long", w.late},
                    {"draws_tested", w.draws_tested},
                    {"seen_ms", seen}});
  }
  auto const rule = in_common(r);
  json const all{{"document", r.seen.system},
                 {"parameters", params},
                 {"program", r.seen.command},
                 {"failures", r.seen.failures},
                 {"faster", r.seen.faster},
                 {"runs", r.seen.runs},
                 {"attempts", r.seen.attempts},
                 {"waits", r.judged.waits},
                 {"draws", r.judged.draws},
                 {"slack_ms",
                  {{"median", slack_ms(r, 0.5)},
                   {"p99", slack_ms(r, 0.99)},
                   {"most", slack_ms(r, 1)},
                   {"samples", r.seen.slack.size()}}},
                 {"allowed_ms",
                  {{"too_short", static_cast<double>(r.allowed.early_ns) / per_ms},
                   {"too_long", static_cast<double>(r.allowed.late_ns) / per_ms},
                   {"varying", static_cast<double>(r.allowed.varies_ns) / per_ms}}},
                 {"retries", rows},
                 {"gave_up", ends_of(r)},
                 {"findings", to_json(r.judged.findings)},
                 {"in_common", rule ? json(*rule) : json()},
                 {"known_failing", {{"excused", to_json(r.excused)}, {"stale", to_json(r.stale)}}},
                 {"not_judged", not_judged(r)},
                 {"verdict", verdict_of(r)},
                 {"exit_code", static_cast<int>(code_of(r))}};
  return histories::printable_json(all.dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

std::string to_junit(watched_report const& r) {
  std::vector<reports::test_case> cases;
  cases.push_back({"run"});
  if (code_of(r) == inconclusive) cases.back() = {"run", "error", verdict_of(r), ""};
  for (std::size_t i = 0; i < claims.size(); ++i) {
    auto const what = static_cast<fault>(i);
    reports::test_case c{std::string(claims[i].name)};
    for (auto const& f : r.judged.findings) {
      if (f.what != what) continue;
      if (c.outcome.empty()) c.message = f.sentence;
      c.outcome = "failure";
      c.text += finding_text(f);
    }
    if (auto const why = why_skipped(r, what); c.outcome.empty() && !why.empty()) {
      c.outcome = "skipped";
      c.message = why;
    }
    cases.push_back(std::move(c));
  }
  for (auto const& l : r.stale)
    cases.push_back({fmt::format("known to fail: {} {}", l.id, l.pattern), "failure",
                     "nothing failed there: the line is stale", l.place});
  return reports::junit_suite(fmt::format("{}.{}", r.seen.system, histories::printable(r.seen.command.front())), cases);
}

}  // namespace backoff::waits
