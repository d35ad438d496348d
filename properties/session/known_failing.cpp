#include "session/known_failing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "explain/documented.hpp"
#include "histories/text.hpp"
#include "histories/text_parts.hpp"
#include "session/exit_codes.hpp"

namespace backoff::session {
namespace {

constexpr std::size_t kept_max = 256;                    // of a line
constexpr claim_mask broke_mask = no_answer_mask >> 1U;  // beyond all claims of a system, too

// The claims that have this name or this requirement; 0: none.
claim_mask named_claims(judged_system const& system, std::string_view id) {
  if (id == no_answer_name) return no_answer_mask;
  if (id == no_break_name) return broke_mask;
  claim_mask mask = 0;
  auto const claims = system.claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    bool const required = std::ranges::find(claims[i].requirements, id) != claims[i].requirements.end();
    if (claims[i].name == id || required) mask |= claim_mask{1} << i;
  }
  return mask;
}

claim_mask about_draws(judged_system const& system) {
  claim_mask mask = 0;
  for (unsigned i = 0; i < system.claims().size(); ++i) {
    if (system.claims()[i].draws) mask |= claim_mask{1} << i;
  }
  return mask;
}

}  // namespace

// --- patterns ---

history_pattern::history_pattern(shape const& s, std::string_view text) : shape_(&s) {
  if (text == "*") return;
  if (text.find('/') != std::string_view::npos) {
    auto set = parse_token(text);
    if (set.system != &s) throw text_error("is a history of another system");
    if (set.cases.size() != 1) throw text_error("is several histories, expected one");
    exactly_ = std::move(set.cases.front());
    return;
  }
  for (;;) {
    auto const comma = text.find(',');
    constraints_.push_back(parse_constraint(*shape_, text.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

bool history_pattern::matches(history const& h) const {
  return exactly_ ? *exactly_ == h : explain::matches(*shape_, constraints_, h);
}

// --- the file ---

known_failing known_failing::read(judged_system const& system, std::string const& path) {
  return parse(system, path, read_failure_lines(path));
}

known_failing known_failing::parse(judged_system const& system, std::string const& name,
                                   std::vector<std::string> const& lines) {
  known_failing all;
  all.name_ = name;
  all.text_ = lines;
  for (auto& each : failure_lines(name, lines)) {
    auto const fail = [&](std::string const& why) { throw usage_error(each.place + ": " + why); };
    claim_mask const claims = named_claims(system, each.id);
    if (claims == 0)
      fail("'" + each.id + "' is not a claim or checked requirement of " + std::string(system.shape().stem));
    try {
      history_pattern on(system.shape(), each.pattern);
      bool const uneven = (claims & about_draws(system)) == claims;
      if (uneven && !on.everything()) fail("a claim about hidden draws takes only the pattern *");
      all.lines_.push_back({std::move(each), claims, std::move(on)});
    } catch (text_error const& e) {
      fail("pattern " + std::string(e.what()));
    }
  }
  return all;
}

claim_mask known_failing::excused(history const& h) const {
  claim_mask mask = 0;
  for (auto const& l : lines_) {
    if (!l.breaks() && l.on.matches(h)) mask |= l.claims;
  }
  return mask;
}

void known_failing::hide(claim_mask claims, std::span<history const> tried, std::span<result> got) const {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if ((excused(tried[i]) & claims) != 0) got[i] = {result_kind::broke, {}, "known to fail"};
  }
}

bool known_failing::holds_back(history const& h) const {
  return !may_break_anywhere() &&
         std::ranges::any_of(lines_, [&](line const& l) { return l.breaks() && l.on.matches(h); });
}

bool known_failing::may_break_anywhere() const noexcept {
  return std::ranges::any_of(lines_, [](line const& l) { return l.breaks() && l.on.everything(); });
}

bool known_failing::note_break(history const& h) {
  bool known = false;
  for (auto& l : lines_) {
    if (!l.breaks() || !l.on.matches(h)) continue;
    known = true;
    ++l.failed;
    l.claims_seen = l.claims;
  }
  return known;
}

run_options known_failing::added_to(run_options options) const {
  for (auto const& l : lines_) {
    if (l.on.everything()) options.known_everywhere |= l.claims;
  }
  return options;
}

void known_failing::note(history const& h, result const& r, claim_mask failed) {
  for (auto& l : lines_) {
    if (l.breaks() || !l.on.matches(h)) continue;
    if ((l.claims & failed) != 0) ++l.failed;
    l.failed_claims |= l.claims & failed;
    if (l.kept.size() < kept_max) l.kept.push_back({0, h, r});
  }
}

// A failure under a reading that other answers have refuted since does not count. Draws, and histories that were not
// answered, fail under every reading.
void known_failing::settle(run const& judged) {
  auto const& system = judged.system();
  for (auto& l : lines_) {
    if (l.breaks()) continue;
    bool const many = l.failed > kept_max;
    l.claims_seen = l.failed_claims & (many ? ~claim_mask{0} : no_answer_mask | about_draws(system));
    for (auto const& e : l.kept) {
      if (!judged.counts_as_answered(e.got)) continue;
      auto const report =
          system.broken_claims(e.tried, e.got.answers, judged.about().takes.draws, judged.explained_by());
      l.claims_seen |= report.broken & judged.options().claims & l.claims;
    }
  }
}

// --- lines from a run ---

namespace {

// A line that failed in so many histories of each run will fail in the next one.
constexpr std::uint64_t always_seen = 20;
constexpr std::size_t regions_max = 3;  // of a claim: more of them say no more than `*`

std::string pattern(shape const& s, std::vector<constraint> const& where) {
  std::vector<std::string> texts;
  texts.reserve(where.size());
  for (auto const& c : where) texts.push_back(to_text(s, c));
  return texts.empty() ? "*" : text_parts::listed(texts, ",");
}

// The breach of the claim, first shown by the first of the kept answers that breaks it.
std::optional<breach> broken_before(run const& judged, unsigned claim, answers_kept const& answers) {
  std::optional<breach> first;
  for (auto const& e : answers.failed()) {
    auto h = e.tried;
    if (!breaks(judged, claim, h, e.got).value_or(false)) continue;
    if (!first) first = breach{claim, false, 0, e};
    ++first->histories;
  }
  return first;
}

}  // namespace

failing_list::failing_list(known_failing const& known, bool all) {
  std::size_t number = 0;
  for (auto const& text : known.text()) {
    auto const line = std::ranges::find(known.lines(), ++number, &known_failing::line::number);
    bool const stale = all && line != known.lines().end() && !line->seen() && !line->sometimes;
    bool const heading = text.starts_with("# CLAIM-OR-REQUIREMENT PATTERN ");  // written anew
    if (!stale && !heading) before_.push_back(text);
  }
}

std::vector<std::string> failing_list::patterns_of(
    run const& judged, breach const& b, answers_kept const& answers,
    std::map<unsigned, std::vector<tested_region>> const& regions) const {
  auto const& s = judged.system().shape();
  if (is_about_draws(judged.system(), b)) return {"*"};
  auto const seen = answers.about(judged, b);
  if (!is_rare(b)) {
    if (auto const known = regions.find(b.claim); known != regions.end()) {
      std::vector<std::string> all;
      for (auto const& r : known->second) {
        bool const is_by_chance = draws_for_itself(judged) && r.broke < r.inside;
        if (!r.separates() || is_by_chance) return {"*"};
        all.push_back(pattern(s, r.where));
      }
      return all;
    }
    if (!seen.broken().empty()) return {pattern(s, learn(seen).where)};  // no region was asked for
  }
  auto const covers = [&](entry const& e) {
    return std::ranges::all_of(seen.broken(), [&](auto const& example) { return e.on.matches(example.tried); });
  };
  auto const covering = std::ranges::find_if(entries_, covers);
  return {covering == entries_.end() ? "*" : covering->pattern};
}

void failing_list::add(judged_system const& system, std::string_view id, std::string pattern, std::string reason,
                       std::uint64_t histories) {
  bool const left_out = std::ranges::count(left_out_, id) != 0;
  auto const of_claim = [&](entry const& e) { return e.id == id; };
  bool const repeats =
      std::ranges::any_of(entries_, [&](entry const& e) { return of_claim(e) && e.pattern == pattern; });
  if (repeats || std::ranges::count_if(entries_, of_claim) >= static_cast<std::ptrdiff_t>(regions_max)) pattern = "*";
  if (pattern == "*") std::erase_if(entries_, of_claim);
  auto const start = fmt::format("{} {} ", id, pattern);
  if (std::ranges::any_of(before_, [&](auto const& line) { return line.starts_with(start); })) return;
  history_pattern on(system.shape(), pattern);
  bool const seen = left_out || tried_ != 0;  // in a run under the list
  entries_.push_back({std::string(id), std::move(pattern), std::move(reason), std::move(on), histories, seen});
}

bool failing_list::add(run const& judged, answers_kept const& answers,
                       std::map<unsigned, std::vector<tested_region>> const& regions) {
  auto const& system = judged.system();
  auto const listed = judged.breaches();
  bool added = false;
  for (auto const& b : listed) {
    if (!b.fails) continue;
    added = true;
    for (auto& on : patterns_of(judged, b, answers, regions)) {
      add(system, claim_name(system, b.claim), std::move(on),
          fmt::format("to be explained: failed in {} {}", b.histories, b.histories == 1 ? "history" : "histories"),
          b.histories);
    }
  }
  // A break of a claim of dependence is withdrawn where the port breaks other claims without the other calls too. Those
  // claims are listed above; the list excuses the claim of dependence as well.
  auto const claims = system.claims();
  for (unsigned i = 0; i < claims.size() && !listed.empty(); ++i) {
    bool const is_listed = std::ranges::count(listed, i, &breach::claim) != 0;
    if (is_listed || !claims[i].compares || !judged.held_to().selected(i)) continue;
    auto const b = broken_before(judged, i, answers);
    if (!b) continue;
    for (auto& on : patterns_of(judged, *b, answers, regions))
      add(system, claims[i].name, std::move(on), "the same calls fail by themselves", b->histories);
  }
  // Known failures keep these claims from being put at stake.
  bool const is_wanting = listed.empty() && tried_ != 0 && judged.counts().judged != 0;
  for (unsigned i = 0; i < claims.size() && is_wanting; ++i) {
    if (((judged.unexercised_musts() >> i) & 1U) == 0) continue;
    added = true;
    left_out_.emplace_back(claims[i].name);  // it does not fail
    add(system, claims[i].name, "*", "what is known to fail leaves nothing of it to check", 0);
  }
  return added;
}

// The region reaches up to values at which the port was seen to answer, because it is likelier to break than to answer
// between these and the values that broke it.
void failing_list::add_breaks(run const& judged, answers_kept const& answers, std::vector<history> const& broke) {
  constexpr std::size_t learnt_max = 8;
  if (broke.empty()) return;
  broke_.insert(broke_.end(), broke.begin(), broke.end());
  auto const& s = judged.system().shape();
  auto seen = answers.about(judged, {.first = {0, broke.front(), {result_kind::broke, {}, {}}}});
  for (auto const& h : broke_) seen.add(h, true);
  auto where = learn(seen);
  for (std::size_t i = 0; i < where.where.size(); ++i) {
    if (auto const& nearest = where.nearest[i]) where.where[i].with.n = *nearest;
  }
  std::erase_if(entries_, [](entry const& e) { return e.id == no_break_name; });
  add(judged.system(), no_break_name, ++breaks_learnt_ > learnt_max ? "*" : pattern(s, where.where),
      "to be explained: the port broke", always_seen);
}

bool failing_list::note(known_failing const& tried) {
  ++tried_;
  for (auto& e : entries_) {
    for (auto const& l : tried.lines()) {
      if (l.id != e.id || l.pattern != e.pattern) continue;
      e.seen |= l.seen();
      bool const is_tried = l.breaks() && !l.on.everything();  // its histories are tried only until one breaks
      e.least = std::min(e.least, !l.seen() ? 0 : is_tried ? always_seen : l.failed);
    }
  }
  if (tried_ < 2) return false;
  auto const never = [](entry const& e) { return !e.seen; };
  for (auto const& e : entries_) {
    if (never(e)) left_out_.push_back(e.id);
  }
  return std::erase_if(entries_, never) != 0;
}

std::vector<std::string> failing_list::lines() const {
  auto all = before_;
  for (auto const& e : entries_)
    all.push_back(fmt::format("{} {}{}{} # {}", e.id, e.pattern, e.least < always_seen ? " " : "",
                              e.least < always_seen ? sometimes_word : "", e.reason));
  return all;
}

}  // namespace backoff::session
