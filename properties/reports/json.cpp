// A report as JSON, for other programs: the same facts as the text, in one object.
#include <nlohmann/json.hpp>

#include "histories/present.hpp"
#include "histories/printable.hpp"
#include "judge/catalogue.hpp"
#include "reports/print_report.hpp"
#include "reports/replay_line.hpp"

namespace backoff::reports {
namespace {

using json = nlohmann::ordered_json;

json region_json(report const& r, finding const& f) {
  auto const& region = present(f.region);
  auto const& s = r.judged->system().shape();
  json patterns = json::array();
  for (auto const& c : region.where) patterns.push_back(to_text(s, c));
  json j{{"separable", region.separates()},
         {"says", region_text(r, f)},
         {"constraints", patterns},
         {"inside", {{"tried", region.inside}, {"broke", region.broke}}},
         {"elsewhere", {{"tried", region.elsewhere}, {"held", region.held}}}};
  if (f.region_cut_short) j["cut_short"] = true;
  return j;
}

json diagnosis_json(report const& r, probable const& d) {
  return {{"name", d.name}, {"says", diagnosis_text(r, d)}, {"from_attempt", d.from}, {"histories", d.histories}};
}

json finding_json(report const& r, finding const& f) {
  json j{{"claim", f.claim},
         {"strength", f.strength},
         {"fails", f.fails},
         {"histories", f.histories},
         {"requirements", f.requirements},
         {"shown_under", f.reading},
         {"excused_by", f.excuses},
         {"fits", f.fits},
         {"token", f.token},
         {"replay", replay_line(r, f)}};
  constexpr char const* how[] = {"together", "in sequence", "lost", "by samples", "unsteady", "as seen"};
  j["shown"] = how[static_cast<std::size_t>(f.how)];
  if (f.cut_short) j["cut_short"] = true;
  if (f.again.asked != 0) j["again"] = {{"tries", f.again.asked}, {"broke", f.again.broke}};
  if (f.sampled) {
    j["sampled"] = {{"draws", f.sampled->draws},
                    {"test", f.sampled->test},
                    {"found", f.sampled->found},
                    {"log_odds", f.sampled->odds},
                    {"last", f.sampled->windows}};
    if (!f.sampled->sixteenths.empty()) j["sampled"]["sixteenths"] = f.sampled->sixteenths;
    if (!f.sampled->probably.empty()) j["sampled"]["probably"] = f.sampled->probably;
    return j;
  }
  if (f.region) j["region"] = region_json(r, f);
  if (f.diagnosis) j["diagnosis"] = diagnosis_json(r, *f.diagnosis);
  j["history"] = json::parse(f.json);
  for (auto const& h : f.shown) {
    json steps = json::array();
    for (auto const& row : h.rows) {
      std::string with;
      for (auto const& a : row.with) with.append(with.empty() ? "" : " ").append(a.text);
      steps.push_back({{"step", row.step},
                       {"call", row.call},
                       {"draw", with},
                       {"admitted", row.admitted},
                       {"port", row.port},
                       {"breaks", row.breaks}});
    }
    j["tables"].push_back(std::move(steps));
    if (!h.vector.id.empty()) j["vectors"].push_back(h.vector.id);
  }
  if (!f.why.empty()) j["why"] = f.why;
  return j;
}

json known_json(std::vector<known_failing::line> const& lines) {
  json all = json::array();
  for (auto const& l : lines) {
    all.push_back(
        {{"id", l.id}, {"pattern", l.pattern}, {"reason", l.reason}, {"place", l.place}, {"histories", l.failed}});
  }
  return all;
}

}  // namespace

std::string verdict_word(report const& r) {
  if (r.ends_with == port_broke) return "port broke";
  if (r.judged->verdict() == verdict::does_not_conform) return "does not conform";
  if (r.judged->verdict() == verdict::breaks_the_interface) return "breaks the interface";
  if (!r.stale.empty()) return "known failure is stale";
  if (r.ends_with != conforms) return "inconclusive";
  return r.called.part.is_whole() ? "conforms" : "nothing refuted";
}

std::string failed_start_json(shape const& s, std::vector<std::string> const& command, session_failure const& e) {
  json j;
  j["system"] = s.stem;
  j["verdict"] = "port broke";
  j["exit"] = static_cast<int>(port_broke);
  j["port"] = {{"command", command}};
  j["broke"].push_back({{"what", e.what()}, {"token", ""}, {"stderr", e.stderr_tail}});
  return histories::printable_json(j.dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

std::string to_json(report const& r) {
  auto const& judged = *r.judged;
  auto const& about = judged.about();
  auto const& counts = judged.counts();
  json j;
  j["tool"] = "backoff-oracle " BACKOFF_VERSION;
  j["system"] = judged.system().shape().stem;
  j["document"] = catalogue_of(judged.system().shape().stem).document_version;
  j["verdict"] = verdict_word(r);
  j["exit"] = static_cast<int>(r.ends_with);
  j["says"] = verdict_text(r);
  j["port"] = {
      {"name", about.name}, {"version", about.version}, {"language", about.language}, {"command", r.called.command}};
  j["grade"] = grade_name(judged.grade());
  j["strict"] = judged.options().strict;
  j["document_only"] = judged.options().document_only;
  if (!r.called.ranges.empty()) j["ranges"] = r.called.ranges;
  j["seed"] = r.called.seed;
  j["cases"] = {
      {"judged", counts.judged}, {"rejected", counts.rejected}, {"skipped", counts.skipped}, {"broke", counts.broke}};
  if (!r.called.part.is_whole()) j["shard"] = {r.called.part.number, r.called.part.of};
  if (r.called.interrupted) j[r.called.out_of_time ? "out_of_time" : "interrupted"] = true;
  if (!r.called.known.empty())
    j["known_failing"] = {{"excused", known_json(r.excused)}, {"stale", known_json(r.stale)}};
  j["claims"] = json::array();
  for (auto const& line : r.claims) {
    j["claims"].push_back({{"name", line.claim->name},
                           {"strength", strength_name(line.claim->strength)},
                           {"holds", !line.broken && !line.known},
                           {"at_stake", line.at_stake}});
    if (line.known) j["claims"].back()["known_to_fail"] = true;
    if (!line.follows_from.empty()) j["claims"].back()["follows_from"] = line.follows_from;
    if (!line.told_with.empty()) j["claims"].back()["told_with"] = line.told_with;
  }
  j["readings"] = json::array();
  for (auto const& line : r.readings) {
    j["readings"].push_back({{"name", line.name}, {"left", line.left}, {"hazards_left", line.hazards}});
  }
  j["not_checked"] = r.not_checked;
  for (auto const& [window, excess] : r.uneven) {
    j["randomness"]["remainder"].push_back({{"window", window}, {"excess", excess ? json(*excess) : json()}});
  }
  if (auto const* samples = judged.samples()) {
    j["randomness"] = {{"draws", samples->bets().draws()}, {"alpha", judged.options().alpha}, {"power", json::array()}};
    if (!judged.draws().powers().empty()) j["randomness"]["up_to_attempt"] = judged.draws().attempts().tested;
    for (auto const& p : judged.draws().powers()) {
      j["randomness"]["power"].push_back({{"fault", p.fault->name}, {"caught", p.caught}, {"tried", p.tried}});
    }
  }
  j["findings"] = json::array();
  for (auto const& f : r.findings) j["findings"].push_back(finding_json(r, f));
  if (r.diagnosis) j["diagnosis"] = diagnosis_json(r, *r.diagnosis);
  if (r.outside) {
    j["conforms_where"] = {{"says", to_words(judged.system().shape(), judged.about().takes, *r.outside)},
                           {"tried", r.outside->tried}};
    if (r.outside_cut_short) j["conforms_where"]["cut_short"] = true;
  }
  j["also_broken"] = r.also_broken;
  for (auto const& line : r.claims) {
    bool const is_named = std::ranges::count(r.also_broken, line.claim->name) != 0;
    if (line.broken && !line.shown && !is_named) j["also_broken"].push_back(line.claim->name);
  }
  for (auto const& b : r.broke) {
    j["broke"].push_back({{"what", b.what}, {"token", b.token}, {"stderr", b.stderr_tail}});
    if (!b.where.empty()) j["broke"].back()["where"] = b.where;
    if (b.cut_short) j["broke"].back()["cut_short"] = true;
  }
  return histories::printable_json(j.dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace backoff::reports
