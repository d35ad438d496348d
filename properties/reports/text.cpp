#include "reports/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "explain/documented.hpp"
#include "histories/present.hpp"
#include "histories/ranges.hpp"
#include "histories/text_parts.hpp"
#include "judge/catalogue.hpp"
#include "judge/counterexample.hpp"
#include "reports/replay_line.hpp"
#include "reports/words.hpp"

namespace backoff::reports {
namespace {

using histories::text_parts::listed;

std::string wrapped(std::string_view text, std::size_t indent, look const& seen) {
  return reports::wrapped(text, indent, seen.width());
}

// The line above a part of the report.
void begin_section(std::string& to, look const& seen, std::string_view name) {
  to += fmt::format("\n{}\n", painted(seen, style::heading, std::string(name)));
}

std::string_view histories(std::uint64_t n) { return n == 1 ? "history" : "histories"; }

std::string draws_text(shape const& s, draw_source const& draws) {
  if (!s.has_draws()) return "nothing here is random";
  if (draws.kind == spec::draw_kind::hidden) return "draws hidden in the port";
  if (draws.kind == spec::draw_kind::unit) return "draws injected, in [0, 1)";
  return fmt::format("draws injected, 0..{}", draws.size - 1);
}

std::string narrowed_text(report const& r) {
  return r.called.ranges.empty() ? "" : "; narrowed by --range " + listed(r.called.ranges, ", ");
}

std::string shard_text(report const& r) {
  auto const& part = r.called.part;
  return part.is_whole() ? "" : fmt::format("; shard {}/{}", part.number, part.of);
}

void print_head(std::string& to, report const& r, look const& seen) {
  auto const& judged = *r.judged;
  auto const& about = judged.about();
  auto const& document = catalogue_of(judged.system().shape().stem);
  auto const& counts = judged.counts();
  auto const line = [&](std::string_view label, std::string const& text) {
    to += fmt::format("{:<12}{}\n", label, fitted(text, 12, seen));
  };
  to += fmt::format("{}\n\n",
                    fitted(fmt::format("{}: {}", judged.system().shape().stem, document.document_name), 2, seen));
  line("port", about.name + (about.version.empty() ? "" : " " + about.version) +
                   (about.language.empty() ? "" : " (" + about.language + ")"));
  auto const takes = histories::to_text(judged.system().shape(), about.takes);
  line("takes", (takes.empty() ? "all that the document allows" : takes) + narrowed_text(r));
  line("grade", fmt::format("{}: {}{}", grade_name(judged.grade()),
                            draws_text(judged.system().shape(), about.takes.draws), options_text(judged.options())));
  line("cases", fmt::format("{} judged, {} rejected, {} skipped{}; seed {}{}{}", counts.judged, counts.rejected,
                            counts.skipped, counts.broke == 0 ? "" : fmt::format(", {} broke the port", counts.broke),
                            r.called.seed, shard_text(r),
                            !r.called.interrupted  ? ""
                            : r.called.out_of_time ? "; out of time"
                                                   : "; interrupted"));
}

void print_claims(std::string& to, report const& r, look const& seen) {
  bool const narrow = seen.width() < look().width();
  begin_section(to, seen, narrow ? "claims, and the histories that put each at stake" : "claims");
  for (auto const& line : r.claims) {
    auto const word = !line.broken ? unbroken_word(r, line) : line.shown ? "BROKEN" : "also";
    auto const& in = line.broken ? style::bad : line.known ? style::doubtful : style::good;
    to += fmt::format(
        "  {}  {:<36}  {}{:>6}{}{}\n", painted(seen, in, fmt::format("{:6}", word)), line.claim->name,
        narrow ? "" : "at stake in ", line.at_stake, narrow ? "" : fmt::format(" {}", histories(line.at_stake)),
        line.claim->strength == strength::must ? "" : fmt::format("  ({})", strength_name(line.claim->strength)));
  }
}

void print_readings(std::string& to, report const& r, look const& seen) {
  if (r.readings.empty()) return;  // a policy without a draw may leave nothing open
  bool const refuted = std::ranges::all_of(r.readings, [](auto const& line) { return line.left.empty(); });
  begin_section(to, seen, "readings");
  if (refuted) {
    to += "  no admitted reading explains the port\n";
    return;
  }
  for (auto const& line : r.readings) {
    auto const left = !line.is_asked ? "not tested: the port draws for itself"
                                     : listed(line.left, " or ") + (line.left.size() > 1 ? ", not told apart" : "");
    to += fmt::format("  {:<18}  {}\n", line.name, fitted(left, 22, seen));
  }
}

void print_requirement(std::string& to, report const& r, std::string const& id, look const& seen) {
  auto const* requirement = catalogue_of(r.judged->system().shape().stem).find_requirement(id);
  to += fmt::format("\n  requirement {}\n              {}\n",
                    fitted(fmt::format("{} ({}), {}", id, requirement->strength, requirement->place), 14, seen),
                    wrapped(requirement->text, 14, seen));
}

std::string sixteenths_text(sampled_finding const& s) {
  auto text = fmt::format("each sixteenth of what can be drawn, from the least up, in % of all {} draws:", s.all_draws);
  for (auto const share : s.sixteenths) text += fmt::format(" {:.1f}", 100 * share);
  return text + "; each should have 6.25";
}

void print_samples(std::string& to, report const& r, sampled_finding const& s, look const& seen) {
  to += fmt::format("\n  shown by    {}\n",
                    fitted(fmt::format("{} {}, the last in: {}", s.draws,
                                       r.judged->about().takes.draws.kind == spec::draw_kind::hidden
                                           ? "hidden draws"
                                           : "draws that the port was given",
                                       s.windows),
                           14, seen));
  to += fmt::format("  found       {} (test {})\n", wrapped(s.found, 14, seen), s.test);
  if (!s.sixteenths.empty()) to += fmt::format("  drawn       {}\n", wrapped(sixteenths_text(s), 14, seen));
  if (!s.probably.empty())
    to +=
        fmt::format("  probably    {}\n",
                    fitted(fmt::format("the port {}: this explains all {} draws", s.probably, s.all_draws), 14, seen));
  to += fmt::format("  evidence    {} to 1 against it, where {:.0e} to 1 refutes\n", odds_text(s.odds),
                    1 / r.judged->draws().alpha_of_a_test());
}

void print_randomness(std::string& to, report const& r, look const& seen) {
  if (!r.uneven.empty()) {
    std::vector<std::string> windows;
    windows.reserve(r.uneven.size());
    for (auto const& [window, excess] : r.uneven) {
      windows.push_back(excess ? fmt::format("{} by {:.2g} %", window, 100 * *excess)
                               : fmt::format("{} without ever drawing some", window));
    }
    begin_section(to, seen, "randomness");
    to += fmt::format(
        "  {}\n", wrapped(fmt::format("the remainder of a draw from {} values favours some values of a window of {}",
                                      r.judged->about().takes.draws.size, listed(windows, ", of ")),
                          4, seen));
  }
  auto const* samples = r.judged->samples();
  if (samples == nullptr || r.judged->draws().powers().empty()) return;
  begin_section(to, seen, "randomness");
  to += fmt::format(
      "  {}\n",
      fitted(fmt::format("{} hidden draws tested; chance fails a correct port with a probability of at most {:.0e}",
                         samples->bets().draws(), r.judged->options().alpha),
             4, seen));
  std::vector<std::string> caught;
  for (auto const& p : r.judged->draws().powers()) caught.push_back(fmt::format("{} {}", p.fault->name, p.caught));
  to += fmt::format("  draws tested up to attempt {}\n", r.judged->draws().attempts().tested);
  to += fmt::format("  {}\n", wrapped(fmt::format("caught, of {} simulated runs with each fault: {}",
                                                  r.judged->draws().powers().front().tried, listed(caught, ", ")),
                                      4, seen));
}

std::string otherwise(report const& r, finding const& f) {
  if (!f.excuses.empty()) return "matches the " + readings_text(r, f.excuses);
  if (f.fits.empty()) return "no other reading explains it";
  return fmt::format("the {} explains {}; no reading explains all answers of the port", readings_text(r, f.fits),
                     f.shown.size() == 1 ? "this history" : "these histories");
}

void print_finding(std::string& to, report const& r, finding const& f, std::size_t number, look const& seen) {
  auto const named = fmt::format("{} {}: {}", f.fails ? "violation" : "finding", number, f.claim);
  auto const regions = f.regions > 1 ? fmt::format(" in {} regions", f.regions) : std::string();
  auto const broken = f.sampled ? "" : fmt::format(", broken in {} {}{}", f.histories, histories(f.histories), regions);
  to += fmt::format("\n{} ({}){}\n  {}\n",
                    painted(seen, style::heading + (f.fails ? style::bad : style::doubtful), named), f.strength, broken,
                    wrapped(fmt::format("rule: {}", f.sentence), 2, seen));
  if (f.sampled) print_samples(to, r, *f.sampled, seen);
  for (std::size_t i = 0; i < f.shown.size(); ++i) {
    auto const& vector = f.shown[i].vector;
    auto const shown = fmt::format(
        "{}{}: {}{}", history_word(f), f.shown.size() == 1 ? "" : fmt::format(" {} of {}", i + 1, f.shown.size()),
        vector.id.empty() ? "" : fmt::format("{} vector {}, ", vector.is_whole ? "from" : "some calls of", vector.id),
        f.shown[i].parameters.empty() ? "no parameters" : f.shown[i].parameters);
    to += fmt::format("\n  {}\n\n", fitted(shown, 4, seen));
    to += table_text(f.shown[i], seen);
  }
  auto const labelled = [&](std::string_view label, std::string const& text) {
    to += fmt::format("\n  {:<13}{}\n", label, fitted(text, 15, seen));
  };
  if (f.how == how_shown::sequence) {
    labelled("in sequence",
             "one process, in this order; by itself, the last one gets other answers, so the port keeps state");
  } else if (f.how == how_shown::lost) {
    labelled("lost", "it did not happen again, in a fresh process or after the same earlier histories");
  } else if (f.how == how_shown::seen) {
    labelled("as seen", std::string(as_seen_text(f)));
  } else if (f.how == how_shown::unsteady) {
    labelled("unsteady", "asked again, the port answered as documented: it keeps state, or draws for itself");
  } else if (f.shown.size() > 1) {
    labelled("together", fmt::format("{}no admitted reading fits them all",
                                     f.each_fits_some ? "an admitted reading fits each of these; " : ""));
  }
  if (auto const again = again_text(r, f); !again.empty())
    to += fmt::format("\n  by chance    {}\n", wrapped(again, 15, seen));
  if (auto const where = region_text(r, f); !where.empty())
    to += fmt::format("\n  where        {}\n", wrapped(where, 15, seen));
  if (f.diagnosis && f.why.empty())
    to += fmt::format("\n  why          {}\n", wrapped(diagnosis_text(r, *f.diagnosis), 15, seen));
  if (!f.consequences.empty()) {
    to += fmt::format("\n  explains     {}\n", wrapped(fmt::format("{}, {}", listed(f.consequences, ", "),
                                                                   are_accounted_for(f.consequences.size())),
                                                       15, seen));
  }
  if (!f.same_rule.empty()) to += fmt::format("\n  same rule    {}\n", wrapped(also_of_its_rule(f), 15, seen));
  if (!f.why.empty()) labelled("the port", "says: " + f.why.substr(0, 200));
  if (!f.requirements.empty()) print_requirement(to, r, f.requirements.front(), seen);
  if (!f.reading.empty())
    to += fmt::format("  shown under {}\n",
                      fitted(listed(f.reading, ", ") + ", the reading that explains the port best", 14, seen));
  to += fmt::format("  otherwise   {}\n", wrapped(otherwise(r, f), 14, seen));
  to += fmt::format("  replay      {}\n", replay_line(r, f));
}

void print_breakdown(std::string& to, report const& r, shown_breakdown const& b, look const& seen) {
  to += fmt::format("\n{} {}\n", painted(seen, style::heading + style::bad, "broke:"), fitted(b.what, 7, seen));
  if (b.shown) {
    auto const on = b.cut_short ? "on a history, shrunk until time ran out: " : "on the history: ";
    auto const with = b.shown->parameters.empty() ? "no parameters" : b.shown->parameters;
    to += fmt::format("\n  {}\n\n", fitted(on + with, 4, seen));
    to += table_text(*b.shown, seen);
  }
  if (!b.where.empty()) to += fmt::format("\n  where        {}\n", wrapped(b.where, 15, seen));
  if (!b.stderr_tail.empty()) to += fmt::format("\n  the end of its standard error\n{}", quoted_lines(b.stderr_tail));
  if (!b.token.empty()) to += fmt::format("\n  replay       {}\n", replay_line(r, b));
}

void print_known(std::string& to, report const& r, look const& seen) {
  if (r.called.known.empty()) return;
  begin_section(to, seen, "known to fail");
  for (auto const& l : r.excused) {
    to += fmt::format("  excused  {} {}, in {} {}: {}\n", l.id, l.pattern, l.failed, histories(l.failed),
                      wrapped(l.reason, 11, seen));
  }
  for (auto const& l : r.stale) {
    to += fmt::format("  {}    {} {}, nothing failed: {}\n", painted(seen, style::bad, "STALE"), l.id, l.pattern,
                      l.place);
  }
}

}  // namespace

std::string readings_text(report const& r, std::vector<std::string> const& excuses) {
  auto const& table = r.judged->system().readings();
  std::vector<std::string> hazards;
  std::vector<std::string> others;
  for (auto const& text : excuses) {
    auto const equals = text.find('=');
    unsigned const reading = present(table.find(text.substr(0, equals)));
    unsigned const alternative = present(table.find(reading, text.substr(equals + 1)));
    bool const is_hazard = table.readings()[reading].alternatives[alternative].standing == spec::standing::hazard;
    (is_hazard ? hazards : others).push_back(text);
  }
  if (hazards.empty()) return "reading " + listed(others, ", ");
  return "hazard reading " + listed(hazards, ", ") + (others.empty() ? "" : ", with " + listed(others, ", "));
}

std::string options_text(run_options const& options) {
  return std::string(options.strict ? "; strict: canonical readings of the document only" : "") +
         (options.document_only ? "; by the document only: what breaks the interface is reported" : "");
}

std::string verdict_text(report const& r) {
  auto const& judged = *r.judged;
  std::string stem(judged.system().shape().stem);
  if (catalogue_of(stem).is_yours) stem.insert(0, "your policy ");
  auto const given = judged.counts().all() == 1 ? "the one history given" : "the histories given";
  std::vector<std::string> failing;
  std::vector<std::string> of_the_interface;
  std::vector<std::string> noted;
  std::vector<std::string> excuses;
  for (auto const& f : r.findings) {
    bool const interface = f.strength == strength_name(strength::interface);
    auto& names = !f.fails ? noted : interface ? of_the_interface : failing;
    if (std::ranges::count(names, f.claim) == 0) names.push_back(f.claim);
    for (auto const& part : f.same_rule) names.push_back(part.claim);
    if (f.fails && excuses.empty()) excuses = f.excuses;
  }
  auto const matching = excuses.empty() ? "" : fmt::format(" (matches {})", readings_text(r, excuses));
  if (!r.broke.empty()) {
    failing.insert(failing.end(), of_the_interface.begin(), of_the_interface.end());
    auto const too = failing.empty() ? std::string() : fmt::format("; also broken: {}", listed(failing, ", "));
    return fmt::format("the port broke: {}{}", r.broke.front().what, too);
  }
  if (judged.verdict() == verdict::does_not_conform) {
    return fmt::format("does not conform to {}: {}{}", stem, listed(failing, ", "), matching);
  }
  auto const as_judged = [&] {
    auto const followed = deviations(judged.system().readings(), judged.explained_by());
    return fmt::format("{}{}, grade {}{}", stem, judged.options().whole ? "" : fmt::format(" in {}", given),
                       grade_name(judged.grade()),
                       followed.empty() ? "" : fmt::format(", as read with {}", listed(followed, ", ")));
  };
  if (judged.verdict() == verdict::breaks_the_interface) {
    if (!r.called.interrupted && !r.called.part.is_whole()) {
      return fmt::format("breaks the interface on shard {}/{} of {}: {}{}; the verdict is that of all shards together",
                         r.called.part.number, r.called.part.of, stem, listed(of_the_interface, ", "), matching);
    }
    bool const follows = judged.verdict_by_the_document() == verdict::conforms && !r.called.interrupted;
    return fmt::format("{} the document {}; breaks the interface: {}{}", follows ? "follows" : "inconclusive on",
                       follows ? as_judged() : stem, listed(of_the_interface, ", "), matching);
  }
  if (!r.stale.empty()) {
    std::vector<std::string> lines;
    lines.reserve(r.stale.size());
    for (auto const& l : r.stale) lines.push_back(fmt::format("{} {} ({})", l.id, l.pattern, l.place));
    return fmt::format("known to fail on {}, but nothing failed there: {}", stem, listed(lines, "; "));
  }
  auto aside = noted.empty() ? std::string() : fmt::format("; findings that do not fail it: {}", listed(noted, ", "));
  if (!r.excused.empty()) {
    std::vector<std::string> ids;
    for (auto const& l : r.excused) {
      if (std::ranges::find(ids, l.id) == ids.end()) ids.push_back(l.id);
    }
    aside += "; known to fail: " + listed(ids, ", ");
  }
  if (r.called.interrupted) {
    return fmt::format("inconclusive on {}: {} after {} histories, nothing refutes the port so far{}", stem,
                       r.called.out_of_time ? "out of time" : "interrupted", judged.counts().all(), aside);
  }
  if (!r.called.part.is_whole()) {
    return fmt::format("nothing refutes the port on shard {}/{} of {}; the verdict is that of all shards together{}",
                       r.called.part.number, r.called.part.of, stem, aside);
  }
  if (judged.verdict() == verdict::conforms && !judged.options().whole && judged.grade() != grade::exact) {
    return fmt::format("nothing refutes the port in {} for {}; check tests its draws{}", given, stem, aside);
  }
  if (judged.verdict() == verdict::conforms) return fmt::format("conforms to {}{}", as_judged(), aside);
  if (judged.counts().judged == 0) return fmt::format("inconclusive on {}: nothing was judged", stem);
  if (judged.is_unexplained()) {
    return fmt::format("inconclusive on {}: no admitted reading explains all answers, and no finding shows why{}", stem,
                       aside);
  }
  if (auto const& n = judged.counts(); judged.options().whole && n.turned_most_away()) {
    return fmt::format(
        "inconclusive on {}: nothing refutes the port, but {} of {} histories were rejected or skipped{}", stem,
        n.rejected + n.skipped, n.all(), aside);
  }
  auto const lacking = judged.unexercised_musts();
  std::vector<std::string> wanting;
  for (unsigned i = 0; i < judged.system().claims().size(); ++i) {
    if (((lacking >> i) & 1U) != 0) wanting.emplace_back(judged.system().claims()[i].name);
  }
  if (judged.grade() == grade::exact && !wanting.empty()) {
    return fmt::format("inconclusive on {}: nothing refutes the port, but no history that it takes put at stake: {}{}",
                       stem, listed(wanting, ", "), aside);
  }
  return fmt::format("inconclusive on {}: nothing refutes the port, but see what was not checked{}", stem, aside);
}

std::string also_of_its_rule(finding const& f) {
  std::vector<std::string> parts;
  parts.reserve(f.same_rule.size());
  for (auto const& p : f.same_rule)
    parts.push_back(fmt::format("{} ({} {})", p.claim, p.histories, histories(p.histories)));
  return fmt::format("other parts of this rule ({}) are broken too: {}; --claim NAME shows one", f.rule,
                     listed(parts, ", "));
}

// Which usual type the factor 2^(attempt - 1) of a doubling window overflows at that attempt for the first time; empty:
// none.
std::string_view overflow_at(std::int64_t attempt) noexcept {
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 5> all{
      {{32, ", where 2^31 overflows a signed 32-bit integer"},
       {33, ", where 2^32 overflows 32 bits"},
       {64, ", where 2^63 overflows a signed 64-bit integer"},
       {65, ", where 2^64 overflows 64 bits"},
       {1025, ", where 2^1024 overflows a double"}}};
  auto const known = std::ranges::find(all, attempt, &std::pair<std::int64_t, std::string_view>::first);
  return known == all.end() ? std::string_view() : known->second;
}

std::string diagnosis_text(report const& r, probable const& d) {
  bool const doubles = std::ranges::any_of(r.judged->system().claims(),
                                           [](claim_text const& c) { return c.name.starts_with("window_doubles_"); });
  auto const late = d.from > 1 ? fmt::format(", from attempt {} of a cycle on{}", d.from,
                                             doubles ? overflow_at(d.from) : std::string_view())
                               : std::string();
  return fmt::format("the port probably {}{}: this explains its answers in all {} histories{}", d.sentence, late,
                     d.histories, d.apart ? ", outside of the other findings' regions" : "");
}

std::string outside_text(report const& r) {
  auto const& judged = *r.judged;
  if (!r.outside) return r.outside_cut_short ? "not known: the time to try histories elsewhere was over" : "";
  return fmt::format("conforms where {}: {} of {} fresh histories there{}",
                     to_words(judged.system().shape(), judged.about().takes, *r.outside), r.outside->held,
                     r.outside->tried, r.outside_cut_short ? "; time ran out" : "");
}

std::string region_text(report const& r, finding const& f) {
  if (!f.region) return f.region_cut_short ? "not known: the time to look for it was over" : "";
  auto const& region = *f.region;
  auto const& judged = *r.judged;
  std::string_view const early = f.region_cut_short ? "; time ran out" : "";
  auto const words = to_words(judged.system().shape(), judged.about().takes, region.where);
  auto const tried = region.inside + region.elsewhere;
  if (tried == 0)
    return f.region_cut_short ? "not tried: the time for it was over"
                              : "not known: the search for it used up its calls";
  auto const draws = region.with_some_draws ? ", with some draws" : "";
  if (!region.separates()) {
    auto const broke = region.broke + region.elsewhere - region.held;
    constexpr std::uint64_t nearly_all = 10;  // but for one in so many
    if ((tried - broke) * nearly_all <= tried)
      return fmt::format("breaks almost everywhere: in {} of {} fresh histories{}", broke, tried, early);
    if (draws_for_itself(judged)) return "";  // chance breaks it here and not there
    return fmt::format(
        "no rule was found: {} of {} fresh histories break it, and no comparison of parameters and calls tells which{}",
        broke, tried, early);
  }
  if (region.where.empty())
    return fmt::format("breaks wherever it is at stake{}: in {} of {} fresh histories{}", draws, region.broke, tried,
                       early);
  bool const is_sure = region.broke == region.inside;
  auto const* const word = is_sure ? "breaks where" : draws_for_itself(judged) ? "seen where" : "breaks only where";
  auto const elsewhere = region.elsewhere == 0 ? "nothing was tried elsewhere"
                                               : fmt::format("{} it holds in {} of {}",
                                                             f.regions > 1 ? "outside of all its regions" : "elsewhere",
                                                             region.held, region.elsewhere);
  return fmt::format("{} {}{}: in {} of {} fresh histories there; {}{}", word, words, draws, region.broke,
                     region.inside, elsewhere, early);
}

std::string_view are_accounted_for(std::size_t claims) noexcept {
  return claims == 1 ? "which breaks only with this claim: fix this claim first"
                     : "which break only with this claim: fix this claim first";
}

std::string finding_text(report const& r, finding const& f, std::size_t number) {
  std::string text;
  print_finding(text, r, f, number, {});
  return text.substr(1);  // without the empty line before it
}

std::string verdict_line(report const& r, look const& seen) {
  auto const& in = r.ends_with == conforms ? style::good : r.ends_with == inconclusive ? style::doubtful : style::bad;
  return painted(seen, style::heading + in, "verdict: " + fitted(verdict_text(r), 9, seen)) + "\n";
}

std::string quoted_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const line = text.substr(0, text.find('\n'));
    out.append("  | ").append(line).append("\n");
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return out;
}

std::vector<text_part> text_parts_of(report const& r, look const& seen) {
  std::vector<text_part> parts;
  auto const part = [&](bool kept = false) -> std::string& { return parts.emplace_back(text_part{"", kept}).text; };
  auto const section = [&](std::string_view name, std::string const& text) {
    auto& to = part(true);
    begin_section(to, seen, name);
    to += fmt::format("  {}\n", wrapped(text, 4, seen));
  };
  auto& to = part();
  print_head(to, r, seen);
  if (!answered_nothing(r)) {
    print_claims(to, r, seen);
    print_readings(to, r, seen);
  }
  print_randomness(to, r, seen);
  if (!r.not_checked.empty()) begin_section(to, seen, "not checked");
  for (auto const& line : r.not_checked) to += fmt::format("  {}\n", wrapped(line, 4, seen));
  for (std::size_t i = 0; i < r.findings.size(); ++i) print_finding(part(), r, r.findings[i], i + 1, seen);
  if (!r.also_broken.empty()) {
    part(true) += fmt::format("\n{} {}\n", painted(seen, style::heading, "also broken:"),
                              wrapped(listed(r.also_broken, ", "), 13, seen));
  }
  if (r.diagnosis) section("diagnosis", diagnosis_text(r, *r.diagnosis));
  if (auto const text = outside_text(r); !text.empty()) section("elsewhere", text);
  print_known(part(), r, seen);
  for (auto const& b : r.broke) print_breakdown(part(), r, b, seen);
  part(true) += "\n";
  parts.back().text += verdict_line(r, seen);
  return parts;
}

std::string to_text(report const& r, look const& seen) {
  std::string text;
  for (auto const& part : text_parts_of(r, seen)) text += part.text;
  return text;
}

}  // namespace backoff::reports
