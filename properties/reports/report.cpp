#include "reports/report.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "reports/findings.hpp"
#include "reports/not_checked.hpp"

namespace backoff::reports {

namespace {

std::vector<reading_line> reading_lines(run const& judged) {
  auto const& table = judged.system().readings();
  auto const unblemished = judged.readings().admitted_of(judged.readings().never_broken());
  auto const left = unblemished.empty() ? judged.readings().admitted() : unblemished;
  auto const& wide = unblemished.empty() ? judged.readings().with_hazards() : judged.readings().never_broken();
  auto const survives = [](std::vector<spec::cube> const& cubes, std::uint64_t bit) {
    return std::ranges::any_of(cubes, [&](spec::cube c) { return (c.bits & bit) != 0; });
  };
  std::vector<reading_line> lines;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    auto const name = table.readings()[r].name;
    bool const maps = std::ranges::find(spec::draw_mappings, name) != spec::draw_mappings.end();
    bool const is_asked = !maps || judged.about().takes.draws.kind != spec::draw_kind::hidden;
    auto& line = lines.emplace_back(reading_line{std::string(name), {}, {}, is_asked});
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      auto const& alternative = table.readings()[r].alternatives[a];
      if (survives(left, table.bit(r, a))) line.left.emplace_back(alternative.name);
      bool const hazard = alternative.standing == spec::standing::hazard;
      if (hazard && survives(wide, table.bit(r, a))) line.hazards.emplace_back(alternative.name);
    }
  }
  return lines;
}

// How uneven some windows are. This is known only where draws are given and no other mapping explains the port.
std::vector<remainder_bias> uneven_windows(run const& judged, std::vector<reading_line> const& readings) {
  auto const mapping = std::ranges::find(readings, "draw-mapping", &reading_line::name);
  bool const by_remainder = mapping != readings.end() && mapping->left == std::vector<std::string>{"modulo"};
  if (!by_remainder || judged.grade() != grade::exact) return {};
  auto const size = judged.about().takes.draws.size;
  std::vector<remainder_bias> result;
  for (std::uint64_t const window : {100U, 10'000U}) {
    if (size % window == 0) continue;
    auto const least = size / window;
    result.push_back({window, least == 0 ? std::nullopt : std::optional(1 / static_cast<double>(least))});
  }
  return result;
}

// A shard that refutes nothing ends as `conforms`, however little it tells. Only all shards together can be
// inconclusive for that reason.
exit_code ending(report const& r) {
  if (!r.broke.empty()) return port_broke;
  auto const verdict = r.judged->verdict();
  bool const fails = verdict == verdict::does_not_conform || verdict == verdict::breaks_the_interface;
  if (fails || !r.stale.empty()) return does_not_conform;
  if (r.called.interrupted) return inconclusive;
  return verdict == verdict::conforms || !r.called.part.is_whole() ? conforms : inconclusive;
}

// Of the known failures: those that were seen, and those that were not in a run that could have shown them.
void add_known(report& r) {
  auto const& called = r.called;
  for (auto const& l : called.known) {
    if (l.seen()) r.excused.push_back(l);
    bool const asked = l.breaks() ? !called.vector_of && !called.in_process
                                  : (l.claims & (r.judged->options().claims | no_answer_mask)) != 0;
    if (!l.seen() && !l.sometimes && asked && called.part.is_whole() && !called.cut_short) r.stale.push_back(l);
  }
}

void add_not_checked(report& r) {
  if (!r.called.part.is_whole()) {
    r.not_checked.emplace_back("the other shards of the run: backoff-oracle report judges all of them");
  }
  if (r.called.interrupted) {
    r.not_checked.emplace_back(r.called.out_of_time ? "the rest of the run: its time was over"
                                                    : "the rest of the run: it was interrupted");
  }
  std::ranges::move(not_checked(*r.judged, r.readings), std::back_inserter(r.not_checked));
}

bool is_shown(std::vector<counterexample> const& shown, unsigned claim) {
  return std::ranges::any_of(shown, [&](counterexample const& c) { return c.shows.claim == claim; });
}

// The claim whose breach explains this breach.
std::optional<unsigned> cause_of(breach const& b, explanations const& explained) {
  auto const folded = std::ranges::find(explained.dependent, b.claim,
                                        [](explanations::folded const& f) { return f.shown.shows.claim; });
  return folded == explained.dependent.end() ? b.follows_from : std::optional(folded->into);
}

void add_claims(report& r, std::span<breach const> breaches, std::vector<counterexample> const& shown,
                explanations const& explained) {
  auto const& judged = *r.judged;
  auto const claims = judged.system().claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    if (!judged.held_to().selected(i) || judged.counts().at_stake[i] == 0 || judged.is_not_compared(i)) continue;
    auto const b = std::ranges::find(breaches, i, &breach::claim);
    bool const is_broken = b != breaches.end();
    auto& line = r.claims.emplace_back(
        claim_line{&claims[i], judged.counts().at_stake[i], is_broken, is_shown(shown, i), is_known_to_fail(r, i)});
    if (!is_broken) continue;
    if (auto const cause = cause_of(*b, explained)) line.follows_from = claims[*cause].name;
    if (auto const& with = b->told_with) line.told_with = claims[*with].name;
  }
}

void add_findings(report& r, std::vector<counterexample> const& shown, explanations const& explained) {
  auto const& judged = *r.judged;
  for (auto const& c : shown) {
    auto& f = r.findings.emplace_back(make_finding(judged, c));
    if (!explained.apart.empty()) f.diagnosis = explained.apart[r.findings.size() - 1];
    f.region_cut_short = explained.cut_short.contains(c.shows.claim);
    if (auto const* region = explained.region_of(judged.system().shape(), c)) {
      f.region = *region;
      f.regions = explained.regions.at(c.shows.claim).size();
    }
    for (std::size_t i = 0; r.called.vector_of && i < f.shown.size(); ++i)
      f.shown[i].vector = r.called.vector_of(c.histories[i].tried);
  }
}

// What is broken and no finding: the finding that explains it names it, or the report does.
void name_the_others(report& r, std::span<breach const> breaches, std::vector<counterexample> const& shown,
                     explanations const& explained) {
  auto const claims = r.judged->system().claims();
  for (auto const& b : breaches) {
    if (is_shown(shown, b.claim)) continue;
    std::string name(claim_name(r.judged->system(), b.claim));
    auto const cause = cause_of(b, explained);
    auto const told_with = cause ? cause : b.told_with;
    auto const named_by =
        told_with ? std::ranges::find(r.findings, claims[*told_with].name, &finding::claim) : r.findings.end();
    if (named_by == r.findings.end()) {
      r.also_broken.push_back(std::move(name));
    } else if (cause) {
      named_by->consequences.push_back(std::move(name));
    } else {
      named_by->rule = claims[b.claim].rule;
      named_by->same_rule.push_back({std::move(name), b.histories});
    }
  }
}

}  // namespace

bool answered_nothing(report const& r) noexcept {
  return r.judged->counts().judged == 0 && r.judged->counts().rejected == 0;
}

bool is_known_to_fail(report const& r, unsigned claim) noexcept {
  return std::ranges::any_of(r.excused,
                             [&](known_failing::line const& l) { return ((l.claims_seen >> claim) & 1U) != 0; });
}

report make_report(run const& judged, std::vector<counterexample> const& shown, std::vector<broken_port> const& broke,
                   invocation called, explanations const& explained) {
  report r{&judged, std::move(called), {}, reading_lines(judged), {}, {}, {}, {}, {}, {}, {}, conforms};
  add_known(r);
  for (auto const& b : broke) r.broke.push_back(make_breakdown(judged, b));
  add_not_checked(r);
  r.uneven = uneven_windows(judged, r.readings);
  auto const breaches = judged.breaches();
  add_claims(r, breaches, shown, explained);
  add_findings(r, shown, explained);
  name_the_others(r, breaches, shown, explained);
  r.ends_with = ending(r);
  if (!r.findings.empty()) r.diagnosis = explained.diagnosis;
  if (!r.findings.empty() && r.broke.empty()) {
    if (explained.outside && explained.outside->conforms()) r.outside = explained.outside;
    r.outside_cut_short = explained.outside_cut_short;
  }
  return r;
}

}  // namespace backoff::reports
