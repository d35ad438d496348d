#include "oracle/recorded_findings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "judge/plan.hpp"
#include "oracle/silent_port.hpp"
#include "session/names.hpp"

namespace backoff::oracle {

namespace {

bool still_breaks(run const& judged, counterexample const& c) {
  if (c.how == how_shown::samples) return false;
  auto const& last = c.histories.back();
  if (c.how != how_shown::together) return breaks_claim(judged, c.shows, last.tried, last.got);
  std::vector<result> results;
  results.reserve(c.histories.size());
  for (auto const& e : c.histories) results.push_back(e.got);
  return still_shown(judged, c, results);
}

// As the part of the run that saw it first has shown it, or another part; as it was seen where none has, because no
// part alone shows it.
counterexample shown_breach(std::span<results_file const> files, run const& judged, breach const& b) {
  silent_port nobody(judged.about());
  // By chance another part of its rule may be what was shown.
  auto const parts = is_chance(judged) ? parts_of_rule(judged, b) : std::vector(1, b);
  std::optional<counterexample> found;
  for (auto const& file : files) {
    bool const saw_it_first = b.first.index >= file.header().ran.first() && b.first.index < file.header().ran.end();
    if (found && !saw_it_first) continue;
    for (auto& f : file.findings(judged.system().shape())) {
      auto const shown =
          std::ranges::find(parts, f.claim, [&](breach const& p) { return claim_name(judged.system(), p.claim); });
      if (shown == parts.end()) continue;
      counterexample c{*shown,     judged.explained_by(), std::move(f.histories), std::move(f.excuses), f.how, f.again,
                       f.cut_short};
      if (still_breaks(judged, c)) {
        if (f.explained_by != judged.explained_by().bits || !files.front().header().ran.which.is_whole())
          c.excuses = excuses_of(judged, c.shows, c.histories.back());
        found = std::move(c);
        break;  // what follows of the claim are its other parts
      }
    }
  }
  return found ? *found : minimise(judged, nobody, b);
}

// With the findings in other regions of a claim, which stand in the file of a whole run, behind the claim's first.
std::vector<counterexample> with_parts(results_file const& file, run const& judged,
                                       std::vector<counterexample> const& firsts) {
  std::vector<counterexample> all;
  for (auto const& first : firsts) {
    all.push_back(first);
    bool is_first = true;
    for (auto& f : file.findings(judged.system().shape())) {
      if (!f.region || f.claim != claim_name(judged.system(), first.shows.claim) || std::exchange(is_first, false))
        continue;
      auto shows = first.shows;
      shows.leads = false;
      all.push_back(
          {shows, judged.explained_by(), std::move(f.histories), std::move(f.excuses), f.how, f.again, f.cut_short});
      if (!still_breaks(judged, all.back())) all.pop_back();
    }
  }
  return all;
}

// As the run has looked for it: it asked what no file holds.
explanations explained(results_file const& file, settled_results const& settled, std::vector<counterexample>& shown) {
  auto const& judged = settled.judged();
  auto const& s = judged.system().shape();
  auto const& header = file.header();
  explanations all;
  plan const planned(s, judged.about().takes, header.ran.total, header.seed, judged.draws().are_tested());
  all.diagnosis = settled.from().diagnosed(planned);
  for (auto const& f : file.findings(s)) {
    auto const c = std::ranges::find(
        shown, f.claim, [&](counterexample const& x) { return claim_name(judged.system(), x.shows.claim); });
    if (f.region && c != shown.end()) all.regions[c->shows.claim].push_back(*f.region);
    if (f.region_cut_short && c != shown.end()) all.cut_short.insert(c->shows.claim);
  }
  all.fold(judged, shown);
  all.tell_apart(s, shown, [&](auto const& elsewhere) { return settled.from().diagnosed(planned, elsewhere); });
  if (auto elsewhere = file.outside(s)) {
    all.outside = std::move(elsewhere->tried);
    all.outside_cut_short = elsewhere->cut_short;
  }
  return all;
}

}  // namespace

explained_findings recorded_findings(std::span<results_file const> files, settled_results const& settled) {
  auto const& judged = settled.judged();
  auto const& first = files.front();
  auto const firsts = shown_breaches(settled, [&](breach const& b) { return shown_breach(files, judged, b); });
  explained_findings all{with_parts(first, judged, firsts)};
  if (first.header().ran.which.is_whole()) all.why = explained(first, settled, all.shown);
  return all;
}

std::vector<broken_port> recorded_breakdowns(std::span<results_file const> files) {
  std::vector<broken_port> all;
  for (auto const& file : files) {
    for (auto& b : file.broke()) {
      if (std::ranges::none_of(all, [&](broken_port const& other) { return are_alike(other.what.what, b.what.what); }))
        all.push_back(std::move(b));
    }
  }
  return all;
}

}  // namespace backoff::oracle
