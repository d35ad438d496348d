// A report as people read it on a terminal: the verdict is the last line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "history/ranges.hpp"
#include "judge/catalogue.hpp"
#include "judge/counterexample.hpp"
#include "report/report.hpp"

namespace backoff::oracle {
namespace {

using namespace conformance;
using out = std::back_insert_iterator<std::string>;

constexpr std::size_t width = 100;

// The text in lines of at most `width`, those after the first behind `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    auto const space = text.find(' ');
    auto const word = text.substr(0, space);
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return result;
}

std::string_view histories(std::uint64_t n) { return n == 1 ? "history" : "histories"; }

std::string listed(std::vector<std::string> const& items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

std::string draws_text(shape const& s, draw_source const& draws) {
  if (!s.has_draws()) return "nothing here is random";
  if (draws.is == spec::draw::kind::hidden) return "draws hidden in the port";
  if (draws.is == spec::draw::kind::unit) return "draws injected, in [0, 1)";
  return fmt::format("draws injected, 0..{}", draws.size - 1);
}

std::string narrowed_text(report const& r) {
  return r.called.ranges.empty() ? "" : "; narrowed by --range " + listed(r.called.ranges, ", ");
}

std::string shard_text(report const& r) {
  auto const& part = r.called.part;
  return part.is_whole() ? "" : fmt::format("; shard {}/{}", part.number, part.of);
}

void print_head(out to, report const& r) {
  auto const& judged = *r.judged;
  auto const& about = judged.about();
  auto const& document = catalogue_of(judged.system().shape().stem);
  auto const& counts = judged.counts();
  fmt::format_to(to, "{}: {} {}, {}\n\n", judged.system().shape().stem, document.publisher,
                 document.title.substr(0, document.title.find(':')), document.document_version);
  fmt::format_to(to, "port        {}{}{}{}\n", about.name, about.version.empty() ? "" : " ", about.version,
                 about.language.empty() ? "" : " (" + about.language + ")");
  fmt::format_to(to, "takes       {}{}\n", conformance::to_text(judged.system().shape(), about.takes),
                 narrowed_text(r));
  fmt::format_to(to, "grade       {}: {}{}\n", grade_name(judged.grade()),
                 draws_text(judged.system().shape(), about.takes.draws), options_text(judged.options()));
  fmt::format_to(to, "cases       {} judged, {} rejected, {} skipped{}; seed {}{}{}\n", counts.judged, counts.rejected,
                 counts.skipped, counts.broke == 0 ? "" : fmt::format(", {} broke the port", counts.broke),
                 r.called.seed, shard_text(r),
                 !r.called.interrupted  ? ""
                 : r.called.out_of_time ? "; out of time"
                                        : "; interrupted");
}

void print_claims(out to, report const& r) {
  fmt::format_to(to, "\nclaims\n");
  for (auto const& line : r.claims) {
    fmt::format_to(to, "  {:6}  {:<36}  at stake in {:>6} {}{}\n",
                   !line.broken ? unbroken_word(r, line)
                   : line.shown ? "BROKEN"
                                : "also",
                   line.claim->name, line.at_stake, histories(line.at_stake),
                   line.claim->is == strength::must ? "" : fmt::format("  ({})", strength_name(line.claim->is)));
  }
}

void print_readings(out to, report const& r) {
  bool const refuted = std::ranges::all_of(r.readings, [](auto const& line) { return line.left.empty(); });
  if (refuted) {
    fmt::format_to(to, "\nreadings\n  none of the admitted ones explains the port\n");
    return;
  }
  fmt::format_to(to, "\nreadings\n");
  for (auto const& line : r.readings) {
    fmt::format_to(to, "  {:<18}  {}{}\n", line.name, listed(line.left, " or "),
                   line.left.size() > 1 ? ", not told apart" : "");
  }
}

void print_requirement(out to, report const& r, std::string const& id) {
  auto const* requirement = catalogue_of(r.judged->system().shape().stem).find_requirement(id);
  fmt::format_to(to, "\n  requirement {} ({}), {}\n              {}\n", id, requirement->strength, requirement->place,
                 wrapped(requirement->text, 14));
}

// Whether a hazard is among these "reading=alternative".
std::string reading_word(report const& r, std::vector<std::string> const& excuses) {
  auto const& table = r.judged->system().readings();
  bool const hazard = std::ranges::any_of(excuses, [&](std::string const& text) {
    auto const equals = text.find('=');
    unsigned const reading = *table.find(text.substr(0, equals));
    unsigned const alternative = *table.find(reading, text.substr(equals + 1));
    return table.readings()[reading].alternatives[alternative].is == spec::standing::hazard;
  });
  return hazard ? "hazard reading" : "reading";
}

std::string sixteenths_text(sampled_finding const& s) {
  std::string text = "each sixteenth of the window, from 0 up, in %:";
  for (auto const share : s.sixteenths) text += fmt::format(" {:.0f}", 100 * share);
  return text + "; each should have 6";
}

void print_samples(out to, report const& r, sampled_finding const& s) {
  fmt::format_to(to, "\n  shown by    {} hidden draws, the last in: {}\n", s.draws, s.windows);
  fmt::format_to(to, "  found       {} (test {})\n", wrapped(s.found, 14), s.test);
  if (!s.sixteenths.empty()) fmt::format_to(to, "  drawn       {}\n", wrapped(sixteenths_text(s), 14));
  if (!s.probably.empty())
    fmt::format_to(to, "  probably    the port {}: this explains all {} draws\n", s.probably, s.draws);
  fmt::format_to(to, "  evidence    {} to 1 against it, where {:.0e} to 1 refutes\n", odds_text(s.odds),
                 1 / r.judged->alpha_of_a_test());
}

void print_randomness(out to, report const& r) {
  if (!r.uneven.empty()) {
    std::vector<std::string> windows;
    for (auto const& [window, excess] : r.uneven) {
      windows.push_back(excess ? fmt::format("{} by {:.2g} %", window, 100 * *excess)
                               : fmt::format("{} without ever drawing some", window));
    }
    fmt::format_to(
        to, "\nrandomness\n  {}\n",
        wrapped(fmt::format("draws are mapped by remainder, which with a generator of {} values favours some values "
                            "of a window of {}",
                            r.judged->about().takes.draws.size, listed(windows, ", of ")),
                4));
  }
  auto const* samples = r.judged->samples();
  if (samples == nullptr || r.judged->powers().empty()) return;
  fmt::format_to(
      to, "\nrandomness\n  {} hidden draws tested; a right port is refuted with a probability of {:.0e} at most\n",
      samples->bets().draws(), r.judged->options().alpha);
  std::vector<std::string> caught;
  for (auto const& p : r.judged->powers()) caught.push_back(fmt::format("{} {}", p.fault->name, p.caught));
  fmt::format_to(to, "  draws tested up to attempt {}\n", r.judged->attempts().tested);
  fmt::format_to(to, "  {}\n",
                 wrapped(fmt::format("of {} such runs with a fault, so many would have been caught: {}",
                                     r.judged->powers().front().tried, listed(caught, ", ")),
                         4));
}

std::string otherwise(report const& r, finding const& f) {
  if (!f.excuses.empty()) return fmt::format("matches the {} {}", reading_word(r, f.excuses), listed(f.excuses, ", "));
  if (f.fits.empty()) return "no other reading of the document would explain it";
  return fmt::format("the {} {} would explain {}; no reading explains all that the port answered",
                     reading_word(r, f.fits), listed(f.fits, ", "),
                     f.shown.size() == 1 ? "this history" : "these histories");
}

void print_finding(out to, report const& r, finding const& f, std::size_t number) {
  fmt::format_to(to, "\n{} {}: {} ({}), broken in {} {}\n  {}\n", f.fails ? "violation" : "finding", number, f.claim,
                 f.strength, f.histories, histories(f.histories), wrapped(f.sentence, 2));
  if (f.sampled) print_samples(to, r, *f.sampled);
  for (std::size_t i = 0; i < f.shown.size(); ++i) {
    auto const& vector = f.shown[i].vector;
    fmt::format_to(to, "\n  {}history{}: {}{}\n\n", is_as_found(f) ? "" : "smallest ",
                   f.shown.size() == 1 ? "" : fmt::format(" {} of {}", i + 1, f.shown.size()),
                   vector.empty() ? "" : "vector " + vector + ", ", f.shown[i].parameters);
    to = std::ranges::copy(table_text(f.shown[i]), to).out;
  }
  if (f.how == how_shown::sequence) {
    fmt::format_to(
        to, "\n  in sequence  one process, in this order; it answers the last one otherwise when that comes first\n");
  } else if (f.how == how_shown::lost) {
    fmt::format_to(
        to,
        "\n  lost         it did not show again, neither in a fresh process nor after the histories sent before it\n");
  } else if (f.how == how_shown::seen) {
    fmt::format_to(to, "\n  as seen      the port broke, or the time was over, before it could be shown again\n");
  } else if (f.how == how_shown::unsteady) {
    fmt::format_to(
        to, "\n  unsteady     asked again, the port answered this as documented: it remembers, or draws by itself\n");
  } else if (f.shown.size() > 1) {
    fmt::format_to(to, "\n  together     {}no one reading fits them all\n",
                   f.each_fits_some ? "each of these alone could be read in the port's favour; " : "");
  }
  if (f.region) fmt::format_to(to, "\n  where        {}\n", wrapped(region_text(r, *f.region), 15));
  if (!f.consequences.empty()) {
    fmt::format_to(
        to, "\n  explains     {}\n",
        wrapped(fmt::format("{}, {}", listed(f.consequences, ", "), are_accounted_for(f.consequences.size())), 15));
  }
  if (!f.same_rule.empty()) fmt::format_to(to, "\n  same rule    {}\n", wrapped(also_of_its_rule(f), 15));
  if (!f.why.empty()) fmt::format_to(to, "\n  the port     says: {}\n", f.why.substr(0, 200));
  if (!f.requirements.empty()) print_requirement(to, r, f.requirements.front());
  if (!f.reading.empty())
    fmt::format_to(to, "  shown under {}, the reading that explains the port best\n", listed(f.reading, ", "));
  fmt::format_to(to, "  otherwise   {}\n", wrapped(otherwise(r, f), 14));
  fmt::format_to(to, "  replay      {}\n", replay_line(r, f));
}

void print_breakdown(out to, report const& r, shown_breakdown const& b) {
  fmt::format_to(to, "\nbroke: {}\n", b.what);
  if (b.shown) {
    fmt::format_to(to, "\n  on the history: {}\n\n", b.shown->parameters);
    to = std::ranges::copy(table_text(*b.shown), to).out;
  }
  if (!b.where.empty()) fmt::format_to(to, "\n  where        {}\n", wrapped(b.where, 15));
  if (!b.stderr_tail.empty()) fmt::format_to(to, "\n  the end of its standard error\n{}", quoted_lines(b.stderr_tail));
  if (!b.token.empty()) fmt::format_to(to, "\n  replay       {}\n", replay_line(r, b.token));
}

void print_known(out to, report const& r) {
  if (r.called.known.empty()) return;
  fmt::format_to(to, "\nknown to fail\n");
  for (auto const& l : r.excused) {
    fmt::format_to(to, "  excused  {} {}, in {} {}: {}\n", l.id, l.pattern, l.failed, histories(l.failed),
                   wrapped(l.reason, 11));
  }
  for (auto const& l : r.stale) fmt::format_to(to, "  STALE    {} {}, nothing failed: {}\n", l.id, l.pattern, l.place);
}

}  // namespace

std::string options_text(run_options const& options) {
  return std::string(options.strict ? "; strict: canonical readings of the document only" : "") +
         (options.document_only ? "; by the document only: what breaks the interface is reported" : "");
}

std::string verdict_text(report const& r) {
  auto const& judged = *r.judged;
  bool const declared = std::ranges::find(declared_systems(), &judged.system()) != declared_systems().end();
  auto const stem = std::string(judged.system().shape().stem) + (declared ? ", as you declared it" : "");
  std::vector<std::string> failing;
  std::vector<std::string> of_the_interface;
  std::vector<std::string> noted;
  std::vector<std::string> excuses;
  for (auto const& f : r.findings) {
    bool const interface = f.strength == strength_name(strength::interface);
    auto& names = !f.fails ? noted : interface ? of_the_interface : failing;
    names.push_back(f.claim);
    for (auto const& part : f.same_rule) names.push_back(part.claim);
    if (f.fails && excuses.empty()) excuses = f.excuses;
  }
  auto const matching =
      excuses.empty() ? "" : fmt::format(" (matches {} {})", reading_word(r, excuses), listed(excuses, ", "));
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
    return fmt::format("{}{}, grade {}{}", stem, judged.options().whole ? "" : " on the given histories",
                       grade_name(judged.grade()),
                       followed.empty() ? "" : fmt::format(", as read with {}", listed(followed, ", ")));
  };
  if (judged.verdict() == verdict::breaks_the_interface) {
    bool const follows =
        judged.verdict_by_the_document() == verdict::conforms && !r.called.interrupted && r.called.part.is_whole();
    return fmt::format("{} the document {}; breaks the interface: {}{}", follows ? "follows" : "inconclusive on",
                       follows ? as_judged() : stem, listed(of_the_interface, ", "), matching);
  }
  if (!r.stale.empty()) {
    std::vector<std::string> lines;
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
  if (judged.verdict() == verdict::conforms) return fmt::format("conforms to {}{}", as_judged(), aside);
  if (judged.counts().judged == 0) return fmt::format("inconclusive on {}: nothing was judged", stem);
  if (judged.is_unexplained()) {
    return fmt::format("inconclusive on {}: no admitted reading explains all answers, and no finding shows why{}", stem,
                       aside);
  }
  auto const lacking = judged.wanting();
  std::vector<std::string> wanting;
  for (unsigned i = 0; i < judged.system().claims().size(); ++i) {
    if (((lacking >> i) & 1U) != 0) wanting.emplace_back(judged.system().claims()[i].name);
  }
  if (judged.grade() == grade::exact && !wanting.empty()) {
    bool hardly = false;
    for (unsigned i = 0; i < judged.system().claims().size(); ++i)
      hardly = hardly || (((lacking >> i) & 1U) != 0 && judged.at_stake(i) != 0);
    return fmt::format("inconclusive on {}: nothing refutes the port, but {} history that it takes put at stake: {}{}",
                       stem, hardly ? "hardly any" : "no", listed(wanting, ", "), aside);
  }
  return fmt::format("inconclusive on {}: nothing refutes the port, but see what was not checked{}", stem, aside);
}

// Long runs of steps are cut in the middle: the first and the last ones tell the story.
std::string table_text(shown_history const& h) {
  std::string text;
  out const to(text);
  constexpr std::size_t head = 3;
  constexpr std::size_t tail = 4;
  constexpr std::size_t whole = 12;
  std::size_t call = 4;
  std::size_t draw = 4;
  std::size_t admitted = 8;
  for (auto const& row : h.rows) {
    call = std::max(call, row.call.size());
    draw = std::max(draw, row.draw.size());
    admitted = std::max(admitted, row.admitted.size());
  }
  fmt::format_to(to, "    step  {:<{}}  {:>{}}  {:<{}}  port\n", "call", call, "draw", draw, "admitted", admitted);
  for (std::size_t i = 0; i < h.rows.size(); ++i) {
    if (h.rows.size() > whole && i == head) {
      fmt::format_to(to, "     ...  {} more\n", h.rows.size() - head - tail);
      i = h.rows.size() - tail;
    }
    auto const& row = h.rows[i];
    fmt::format_to(to, "    {:>4}  {:<{}}  {:>{}}  {:<{}}  {}{}\n", row.step, row.call, call, row.draw, draw,
                   row.admitted, admitted, row.port, row.breaks ? "   <--" : "");
  }
  return text;
}

std::string also_of_its_rule(finding const& f) {
  std::vector<std::string> parts;
  for (auto const& p : f.same_rule)
    parts.push_back(fmt::format("{} ({} {})", p.claim, p.histories, histories(p.histories)));
  return fmt::format("other parts of this rule ({}) are broken too: {}; --claim NAME shows one", f.rule,
                     listed(parts, ", "));
}

// What may overflow where a window that doubles with each retry is multiplied by 2^(attempt - 1); empty: nothing usual.
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

std::string diagnosis_text(report const& r) {
  auto const& d = *r.diagnosis;
  bool const doubles = std::ranges::any_of(r.judged->system().claims(),
                                           [](claim_text const& c) { return c.name.starts_with("window_doubles_"); });
  auto const late = d.from > 1 ? fmt::format(" from attempt {} of a cycle on{}", d.from,
                                             doubles ? overflow_at(d.from) : std::string_view())
                               : std::string();
  return fmt::format("the port probably {}{}: this explains all {} histories that it answered", d.sentence, late,
                     d.histories);
}

std::string outside_text(report const& r) {
  auto const& judged = *r.judged;
  return fmt::format("conforms where {}: {} of {} fresh histories there",
                     to_words(judged.system().shape(), judged.about().takes, *r.outside), r.outside->held,
                     r.outside->tried);
}

std::string region_text(report const& r, tested_region const& region) {
  auto const& judged = *r.judged;
  auto const words = to_words(judged.system().shape(), judged.about().takes, region.where);
  if (region.inside + region.elsewhere == 0) return "not tried: the port was too slow for it";
  if (!region.separates())
    return "not separable: no comparison of parameters and calls tells where it breaks from where it holds";
  if (region.where.empty()) return fmt::format("breaks everywhere: {} of {} tried", region.broke, region.inside);
  auto const word = region.broke == region.inside ? "breaks where" : "breaks only where";
  auto const elsewhere = region.elsewhere == 0
                             ? "nothing was tried elsewhere"
                             : fmt::format("holds elsewhere: {} of {}", region.held, region.elsewhere);
  return fmt::format("{} {}: {} of {} tried; {}", word, words, region.broke, region.inside, elsewhere);
}

std::string_view are_accounted_for(std::size_t claims) noexcept {
  return claims == 1 ? "which breaks only where a finding accounts for it: mend this first"
                     : "which break only where a finding accounts for it: mend this first";
}

std::string finding_text(report const& r, finding const& f, std::size_t number) {
  std::string text;
  print_finding(out(text), r, f, number);
  return text.substr(1);  // without the empty line before it
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

std::string to_text(report const& r) {
  std::string text;
  out const to(text);
  print_head(to, r);
  print_claims(to, r);
  print_readings(to, r);
  print_randomness(to, r);
  if (!r.not_checked.empty()) fmt::format_to(to, "\nnot checked\n");
  for (auto const& line : r.not_checked) fmt::format_to(to, "  {}\n", wrapped(line, 4));
  for (std::size_t i = 0; i < r.findings.size(); ++i) print_finding(to, r, r.findings[i], i + 1);
  if (!r.also_broken.empty()) {
    fmt::format_to(to, "\nalso broken: {}\n", wrapped(listed(r.also_broken, ", "), 13));
  }
  if (r.diagnosis) fmt::format_to(to, "\ndiagnosis\n  {}\n", wrapped(diagnosis_text(r), 4));
  if (r.outside) fmt::format_to(to, "\nelsewhere\n  {}\n", wrapped(outside_text(r), 4));
  print_known(to, r);
  for (auto const& b : r.broke) print_breakdown(to, r, b);
  fmt::format_to(to, "\nverdict: {}\n", verdict_text(r));
  return text;
}

}  // namespace backoff::oracle
