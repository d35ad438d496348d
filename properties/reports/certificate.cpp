#include "reports/certificate.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>

#include "files/policy_file.hpp"
#include "files/sha256.hpp"
#include "histories/json.hpp"
#include "histories/printable.hpp"
#include "judge/catalogue.hpp"
#include "protocol/messages.hpp"
#include "reports/print_report.hpp"

namespace backoff::reports {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t size_max = std::size_t{64} << 20U;  // bytes of the histories in a file

std::string dump(json const& j) {
  return histories::printable_json(j.dump(-1, ' ', false, json::error_handler_t::replace));
}

json names_of(run const& judged, claim_mask mask) {
  json names = json::array();
  for (; mask != 0; mask &= mask - 1)
    names.push_back(claim_name(judged.system(), static_cast<unsigned>(std::countr_zero(mask))));
  return names;
}

// A cube: each reading with its alternatives in the cube.
json cube_json(spec::reading_table const& table, spec::cube c) {
  json j = json::object();
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    json& of = j[std::string(table.readings()[r].name)] = json::array();
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      if ((c.bits & table.bit(r, a)) != 0) of.push_back(table.readings()[r].alternatives[a].name);
    }
  }
  return j;
}

json cubes_json(spec::reading_table const& table, std::vector<spec::cube> const& cubes) {
  json j = json::array();
  for (auto const c : cubes) j.push_back(cube_json(table, c));
  return j;
}

// A history and its result, in the words of the protocol.
std::string evidence_text(run const& judged, history const& tried, result const& got) {
  auto const& s = judged.system().shape();
  std::string out = R"("case":)";
  append_case(out, s, judged.about().takes.draws, tried);
  if (got.kind == result_kind::broke || got.kind == result_kind::unsent)
    return out + R"(,"result":{"broke":)" + dump(got.why) + "}";
  auto const reply = run_reply(s, 0, std::span(&tried, 1), std::span(&got, 1));
  auto const first = reply.find('[') + 1;
  return out + R"(,"result":)" + reply.substr(first, reply.size() - first - 2);
}

// Assignments, and the call of a history that refutes them. Under these assignments the call breaks the claims of `by`.
struct refutation {
  std::vector<spec::cube> where;
  std::size_t history;
  std::size_t step;
  claim_mask by;
};

struct refutations {
  std::vector<refutation> all;
  std::vector<spec::cube> left;
};

// How these histories, one after the other, refute the assignments in `from`.
refutations refuted_by(run const& judged, known_failing const& known, std::vector<evidence const*> const& histories,
                       std::vector<spec::cube> from) {
  auto const& system = judged.system();
  auto const& draws = judged.about().takes.draws;
  refutations result{{}, std::move(from)};
  for (std::size_t i = 0; i < histories.size() && !result.left.empty(); ++i) {
    auto const& e = *histories[i];
    if (!judged.counts_as_answered(e.got)) continue;
    claim_mask const selected = judged.options().claims & ~known.excused(e.tried);
    std::vector<spec::cube> alive;
    std::map<std::pair<std::size_t, claim_mask>, std::vector<spec::cube>> dead;
    for (auto const& f :
         system.judge(e.tried, e.got.answers, draws, result.left, selected, judged.held_to().must_claims())) {
      if (f.alive) {
        alive.push_back(f.where);
        continue;
      }
      auto const report = system.broken_claims(e.tried, e.got.answers, draws, system.readings().simplest(f.where));
      claim_mask const kills = selected & judged.held_to().must_claims();
      auto const at = std::ranges::find_if(report.broken_at, [&](claim_mask m) { return (m & kills) != 0; });
      dead[{static_cast<std::size_t>(at - report.broken_at.begin()), *at & kills}].push_back(f.where);
    }
    for (auto& [place, where] : dead) {
      spec::join_cubes(system.readings(), where);
      result.all.push_back({std::move(where), i, place.first, place.second});
    }
    spec::join_cubes(system.readings(), alive);
    result.left = std::move(alive);
  }
  return result;
}

json refutations_json(run const& judged, std::vector<refutation> const& all) {
  json j = json::array();
  for (auto const& r : all) {
    j.push_back({{"readings", cubes_json(judged.system().readings(), r.where)},
                 {"history", r.history},
                 {"step", r.step},
                 {"claims", names_of(judged, r.by)}});
  }
  return j;
}

// Those of `all` that are in none of `without`.
std::vector<spec::cube> less(spec::reading_table const& table, std::vector<spec::cube> const& all,
                             std::vector<spec::cube> const& without) {
  auto const gone = one_by_one(table, without);
  auto left = one_by_one(table, all);
  std::erase_if(left, [&](spec::cube c) { return std::ranges::count(gone, c) != 0; });
  spec::join_cubes(table, left);
  return left;
}

// Writes the members of the certificate, and computes the digest of what it writes.
class writer {
 public:
  explicit writer(output_file& file) : file_(&file) { digest_.add(before_certificate); }
  void text(std::string_view t) {
    file_->write(t);
    digest_.add(t);
    written_ += t.size();
  }
  void member(char const* name, json const& value) { text(dump(name) + ":" + dump(value) + ",\n"); }
  [[nodiscard]] std::size_t written() const noexcept { return written_; }
  void end() {
    text("\"sha256\":\"");
    file_->write(digest_.digest() + "\"}\n");
    file_->commit();
  }

 private:
  output_file* file_;
  sha256 digest_;
  std::size_t written_ = 0;
};

// As it was read, so that the certificate needs no other file.
json policy_json(policy_source const& policy) {
  sha256 digest;
  digest.add(policy.text);
  return {{"file", policy.file}, {"sha256", digest.digest()}, {"text", policy.text}};
}

json options_json(report const& r) {
  auto const& judged = *r.judged;
  auto const& o = judged.options();
  auto const& table = judged.system().readings();
  json pinned = json::object();
  for (auto const& [reading, alternative] : o.pinned)
    pinned[std::string(table.readings()[reading].name)] = table.readings()[reading].alternatives[alternative].name;
  json claims = json::array();
  for (unsigned i = 0; i < judged.system().claims().size(); ++i) {
    if (judged.held_to().selected(i)) claims.push_back(judged.system().claims()[i].name);
  }
  return {{"claims", std::move(claims)},
          {"strict", o.strict},
          {"document_only", o.document_only},
          {"alpha", o.alpha},
          {"pinned", std::move(pinned)},
          {"ranges", r.called.ranges},
          {"seed", r.called.seed},
          {"cases", r.called.cases},
          {"shard", {r.called.part.number, r.called.part.of}}};
}

json claims_json(run const& judged) {
  json all = json::object();
  auto const claims = judged.system().claims();
  auto const breaches = judged.breaches();
  auto const wanting = judged.unexercised_musts();
  for (unsigned i = 0; i < claims.size(); ++i) {
    json& j = all[std::string(claims[i].name)];
    j = {{"strength", strength_name(claims[i].strength)}, {"at_stake", judged.counts().at_stake[i]}};
    if (((wanting >> i) & 1U) != 0) j["wanting"] = true;
  }
  for (auto const& b : breaches) {
    json& j = all[std::string(claim_name(judged.system(), b.claim))];
    if (!b.is_of_a_claim()) j = {{"strength", strength_name(strength::must)}, {"at_stake", judged.counts().all()}};
    j["broken"] = b.histories;
    j["fails"] = b.fails;
    if (b.follows_from) j["follows_from"] = claims[*b.follows_from].name;
    if (b.told_with) j["told_with"] = claims[*b.told_with].name;
  }
  return all;
}

// A finding on its own histories. They were shrunk under all claims, so known failures excuse nothing here.
std::string finding_text(run const& judged, finding const& f, counterexample const& c) {
  auto const& table = judged.system().readings();
  json j{{"claim", f.claim},
         {"strength", f.strength},
         {"fails", f.fails},
         {"histories", f.histories},
         {"requirements", f.requirements},
         {"shown", how_shown_names[static_cast<std::size_t>(c.how)]},
         {"under", cube_json(table, c.explained_by)},
         {"excused_by", c.excuses},
         {"fits", f.fits},
         {"consequences", f.consequences}};
  json same = json::array();
  for (auto const& part : f.same_rule) same.push_back(part.claim);
  j["same_rule"] = std::move(same);
  std::vector<evidence const*> set;
  set.reserve(c.histories.size());
  for (auto const& e : c.histories) set.push_back(&e);
  if (c.how != how_shown::samples && c.shows.is_of_a_claim()) {
    auto const& last = c.histories.back();
    auto const report =
        judged.system().broken_claims(last.tried, last.got.answers, judged.about().takes.draws, c.explained_by);
    auto const at =
        std::ranges::find_if(report.broken_at, [&](claim_mask m) { return ((m >> c.shows.claim) & 1U) != 0; });
    j["step"] = at - report.broken_at.begin();
    auto const refuted = refuted_by(judged, {}, set, judged.readings().initial());
    j["refuted"] = refutations_json(judged, refuted.all);
    j["left"] = cubes_json(table, refuted.left);
  }
  auto text = dump(j);
  text.back() = ',';
  text += "\"set\":[";
  for (auto const* e : set) text += (e == set.front() ? "{" : ",{") + evidence_text(judged, e->tried, e->got) + "}";
  return text + "]}";
}

// The tests of hidden draws, for each group of assignments under which the draws are the same.
json draws_json(run const& judged, std::vector<spec::cube> const& by_draws, std::vector<spec::cube> const& survivors) {
  draw_tests_mask kills = 0;
  auto const claims = judged.system().claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    auto const& draws = claims[i].draws;
    if (judged.held_to().selected(i) && draws && judged.held_to().refutes_readings(i)) kills |= tests_of(*draws);
  }
  json tests = json::array();
  for (std::size_t t = 0; t < draw_tests; ++t) {
    if (((kills >> t) & 1U) != 0) tests.push_back(text_of(static_cast<draw_test>(t)).name);
  }
  json seen = json::array();
  auto const& table = judged.system().readings();
  for (bool const refuted : {true, false}) {
    std::map<sampled_draws const*, std::vector<spec::cube>> groups;
    for (auto const c : one_by_one(table, refuted ? by_draws : survivors)) {
      if (auto const* s = judged.draws().samples_under(c)) groups[s].push_back(c);
    }
    std::vector<std::pair<spec::cube, json>> sorted;  // in an order that does not depend on addresses
    for (auto& [s, where] : groups) {
      auto const first = where.front();
      spec::join_cubes(table, where);
      json gained = json::object();
      for (std::size_t t = 0; t < draw_tests; ++t) {
        draw_test const test{static_cast<std::uint8_t>(t)};
        if (((kills >> t) & 1U) != 0) gained[std::string(text_of(test).name)] = s->bets().gained_by(test);
      }
      sorted.emplace_back(first, json{{"readings", cubes_json(table, where)},
                                      {"refuted", refuted},
                                      {"draws", s->bets().draws()},
                                      {"log_e_value", s->bets().gained()},
                                      {"log_by_test", std::move(gained)}});
    }
    std::ranges::sort(sorted, {}, [](auto const& g) { return g.first.bits; });
    for (auto& g : sorted) seen.push_back(std::move(g.second));
  }
  return {{"alpha_of_a_test", judged.draws().alpha_of_a_test()},
          {"tests", std::move(tests)},
          {"refuted_by_draws", judged.draws().refute_all()},
          {"excused", judged.draws().are_excused()},
          {"seen", std::move(seen)}};
}

}  // namespace

void end_certificate(std::optional<output_file>& file, report const& r, std::vector<counterexample> const& shown,
                     result_feed const& from) {
  if (!file) return;
  auto const& judged = *r.judged;
  auto const& table = judged.system().readings();
  auto const& about = judged.about();
  auto const& s = judged.system().shape();
  auto const& counts = judged.counts();

  // The histories of the certificate: those that refute readings, those that blame rests on, the first that breaks each
  // claim, and samples of draws.
  struct held {
    history const* tried;
    result const* got;
    std::vector<answer> const* elsewhere = nullptr;
    bool witness = false;
    bool sample = false;
  };
  std::map<std::uint64_t, held> all;
  for (auto const& e : judged.refuting()) all[e.index] = {&e.tried, &e.got};
  for (auto const& w : judged.witnesses()) {
    auto& at = all.try_emplace(w.seen.index, held{&w.seen.tried, &w.seen.got}).first->second;
    at.witness = true;
  }
  for (auto const& d : from.kept().all()) {
    auto& at = all.try_emplace(d.seen.index, held{&d.seen.tried, &d.seen.got}).first->second;
    at.sample = true;
    if (!d.elsewhere.empty()) at.elsewhere = &d.elsewhere;
  }
  auto const breaches = judged.breaches();
  for (auto const& b : breaches) {
    // The first history of a claim that compares may be from another run.
    if (b.claim != breach::no_answer && judged.system().claims()[b.claim].compares) continue;
    all.try_emplace(b.first.index, held{&b.first.tried, &b.first.got});
  }

  std::vector<evidence const*> refuting;
  for (auto const& e : judged.refuting()) refuting.push_back(&e);
  auto refuted = refuted_by(judged, from.known(), refuting, judged.readings().initial());
  auto const survivors = judged.readings().admitted();
  auto const by_draws = less(table, refuted.left, survivors);

  writer out(*file);
  out.text("\n");
  out.member("tool", "backoff-oracle " BACKOFF_VERSION);
  out.member("system", s.stem);
  out.member("document", catalogue_of(s.stem).document_version);
  if (auto const policy = policy_source_of(s.stem)) out.member("policy", policy_json(*policy));
  out.member("verdict", verdict_word(r));
  out.member("exit", static_cast<int>(r.ends_with));
  out.member("says", verdict_text(r));
  out.member("port", json::parse(start_reply(s, about)));
  out.member("declares_all_ranges", all_declared(s, about.takes));
  out.member("options", options_json(r));
  out.member("grade", grade_name(judged.grade()));
  constexpr std::array<std::string_view, 3> mappings{"listed", "near", "unlisted"};
  auto const kind_of = [&](std::string_view name) {
    return mappings[static_cast<std::size_t>(mapping_of(judged.held_to(), judged.readings(), name))];
  };
  out.member("mapping", kind_of("draw-mapping"));
  bool const shows_jitter = mapping_of(judged.held_to(), judged.readings(), "draw-mapping") == mapped::exactly &&
                            table.find("jitter-mapping");
  if (shows_jitter) out.member("jitter_mapping", kind_of("jitter-mapping"));
  out.member(
      "counts",
      {{"judged", counts.judged}, {"rejected", counts.rejected}, {"skipped", counts.skipped}, {"broke", counts.broke}});
  if (r.called.interrupted) out.member("interrupted", true);
  json broke = json::array();
  for (auto const& b : r.broke) broke.push_back(b.what);
  out.member("broke", broke);
  json seen = json::array();
  for (auto const& l : r.excused) {
    claim_mask const claims = l.breaks() ? 0 : l.claims_seen & (judged.options().claims | no_answer_mask);
    seen.push_back({{"id", l.id}, {"pattern", l.pattern}, {"claims", names_of(judged, claims)}});
  }
  json stale = json::array();
  for (auto const& l : r.stale) stale.push_back(l.pattern);
  out.member("known_failing", {{"lines", from.known().text()}, {"seen", std::move(seen)}, {"stale", std::move(stale)}});
  out.member("admitted", cubes_json(table, judged.readings().initial()));
  out.member("survivors", cubes_json(table, survivors));
  out.member("explained_by", cube_json(table, judged.explained_by()));
  out.member("claims", claims_json(judged));

  // The texts of the histories are made first, because the members before them name their places and counts. Histories
  // that refute readings or first break a claim are never left out.
  std::map<std::uint64_t, std::size_t> place;
  std::string texts;
  std::size_t left_out = 0;
  auto const is_needed = [&](std::uint64_t index) {
    return std::ranges::any_of(judged.refuting(), [&](evidence const& e) { return e.index == index; }) ||
           std::ranges::any_of(breaches, [&](breach const& b) { return b.first.index == index; });
  };
  std::map<std::uint64_t, std::string> text_of_history;
  std::size_t size = 0;
  for (bool const needed : {true, false}) {
    for (auto const& [index, h] : all) {
      if (is_needed(index) != needed) continue;
      std::string text = "{\"index\":" + std::to_string(index) + "," + evidence_text(judged, *h.tried, *h.got);
      if (h.witness) text += ",\"witness\":true";
      if (h.sample) text += ",\"sample\":true";
      if (h.elsewhere != nullptr) {
        result const other{result_kind::answered, *h.elsewhere, {}};
        auto const also = evidence_text(judged, *h.tried, other);
        text += ",\"elsewhere\":" + also.substr(also.find(",\"result\":") + std::string_view(",\"result\":").size());
      }
      if (auto const excused = from.known().excused(*h.tried); excused != 0)
        text += ",\"excused\":" + dump(names_of(judged, excused & (judged.options().claims | no_answer_mask)));
      text += "}";
      size += text.size();
      if (!needed && size > size_max) {
        size -= text.size();
        ++left_out;
      } else {
        text_of_history[index] = std::move(text);
      }
    }
  }
  for (auto const& [index, text] : text_of_history) {
    place.emplace(index, place.size());
    texts += (texts.empty() ? "\n" : ",\n") + text;
  }
  for (auto& step : refuted.all) step.history = place.at(refuting[step.history]->index);
  out.member("held", {{"histories", place.size()},
                      {"of", counts.all()},
                      {"left_out", left_out},
                      {"draws_left_out", from.kept().left_out()}});
  out.member("refuted", refutations_json(judged, refuted.all));
  out.member("refuted_by_draws", cubes_json(table, by_draws));
  if (judged.grade() == grade::distribution && !judged.draws().are_excused()) {
    out.member("draws", draws_json(judged, by_draws, survivors));
    json powers = json::array();
    for (auto const& p : judged.draws().powers())
      powers.push_back({{"fault", p.fault->name}, {"gross", p.fault->gross}, {"caught", p.caught}, {"tried", p.tried}});
    out.member("power", {{"faults", std::move(powers)},
                         {"up_to_attempt", judged.draws().attempts().tested},
                         {"drawn_up_to", judged.draws().attempts().drawn}});
  }
  std::string findings;
  for (std::size_t i = 0; i < shown.size(); ++i)
    findings += (i == 0 ? "\n" : ",\n") + finding_text(judged, r.findings[i], shown[i]);
  out.text("\"findings\":[" + findings + "],\n");
  std::string probes;
  for (auto const& e : from.probes())
    probes += (probes.empty() ? "{" : ",{") + evidence_text(judged, e.tried, e.got) + "}";
  out.text("\"probes\":[" + probes + "],\n");
  out.text("\"histories\":[" + texts + "],\n");
  out.end();
  file.reset();
}

}  // namespace backoff::reports
