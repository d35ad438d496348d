#include "files/vectors.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ranges>

#include "files/results.hpp"
#include "files/sha256.hpp"
#include "files/shallow_json.hpp"
#include "histories/json.hpp"
#include "histories/printable.hpp"
#include "histories/text_parts.hpp"
#include "judge/catalogue.hpp"
#include "protocol/messages.hpp"
#include "relation/rational.hpp"
#include "session/exit_codes.hpp"
#include "session/options.hpp"

namespace backoff::files {
namespace {

using ordered_json = nlohmann::ordered_json;

constexpr std::size_t id_digits = 16;
constexpr std::uint64_t searched = 2'000;  // histories, for those that put rare claims at stake
constexpr unsigned often = 10;

std::string dump(ordered_json const& j) {
  return histories::printable_json(j.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

std::string digest_of(std::string_view text) {
  sha256 digest;
  digest.add(text);
  return digest.digest();
}

// What one field of an answer may be. exact: "7", "9/2", "retry"; any: one of these words or numbers; from, to (step),
// or: a lattice, and perhaps one value more; low, high: a closed interval.
ordered_json admissible_json(answer_field const& f, spec::admissible const& a) {
  using kind = spec::admissible_kind;
  auto const word = [&](std::uint8_t w) -> ordered_json {
    if (f.written == answer_field::form::boolean) return w == 1;
    return f.words[w];
  };
  if (a.kind() == kind::not_finite) return {{"not", "finite"}};
  if (a.kind() == kind::not_zero) return {{"not", "0"}};
  if (a.kind() == kind::keyword) {
    if (std::has_single_bit(a.words())) return word(a.word());
    ordered_json any = ordered_json::array();
    for (auto left = a.words(); left != 0; left &= left - 1)
      any.push_back(word(static_cast<std::uint8_t>(std::countr_zero(left))));
    return {{"any", std::move(any)}};
  }
  if (a.kind() == kind::either) return {{"any", {a.ends().low.str(), a.ends().high.str()}}};
  if (a.kind() == kind::interval) {
    if (a.ends().low == a.ends().high) return a.ends().low.str();
    // The longest number that a port can write counts as 10^98.
    static spec::rational const endless = pow(spec::big_integer(10), 98);
    if (a.ends().high >= endless) return {{"low", a.ends().low.str()}};
    return {{"low", a.ends().low.str()}, {"high", a.ends().high.str()}};
  }
  if (a.count() == 1 && !a.has_ends()) return std::to_string(a.first());
  ordered_json j{{"from", std::to_string(a.first())}, {"to", std::to_string(a.last())}};
  if (a.step() != 1) j["step"] = std::to_string(a.step());
  if (a.has_ends()) j["or"] = a.ends().low.str();
  return j;
}

// As a port would answer; without what only ports with a feature answer, where the port has none.
ordered_json expectation_json(shape const& s, feature_mask features, std::uint8_t op, bool shared,
                              spec::expectation const& e) {
  ordered_json j = ordered_json::object();
  for (std::size_t i = 0; i < s.answers.size(); ++i) {
    auto const& f = s.answers[i];
    if (!f.answers(op) || (f.needs && (features & bit(*f.needs)) == 0)) continue;
    if (shared && f.needs == feature::live) continue;  // of all instances together, which no model counts
    bool const absent = e[i].kind() == spec::admissible_kind::absent;
    bool const implied = f.written == answer_field::form::implied && !absent && e[i].words() == 1;
    std::string const object(f.object);
    if (absent && !object.empty() && !j.contains(object)) j[object] = nullptr;
    if (absent || implied || e[i].kind() == spec::admissible_kind::unjudged) continue;
    auto& to = object.empty() ? j : j[object];
    to[std::string(f.name)] = admissible_json(f, e[i]);
  }
  return j;
}

// Whether all that the second admits is admitted by the first too.
bool covers(spec::admissible const& a, spec::admissible const& b) {
  using kind = spec::admissible_kind;
  if (a == b) return true;
  if (a.kind() == kind::keyword && b.kind() == kind::keyword) return (b.words() & ~a.words()) == 0;
  bool const numbers = b.kind() == kind::lattice && !b.has_ends();
  return numbers && a.admits(observed::of(b.first())) && a.admits(observed::of(b.last()));
}

bool covers(spec::expectation const& a, spec::expectation const& b) {
  for (std::size_t i = 0; i < spec::expectation::size(); ++i) {
    if (!covers(a[i], b[i])) return false;
  }
  return true;
}

// How many of the steps that were foreseen stand whatever is answered before them: where an answer may be one of
// several the next may depend on which it was. Tried with many answers.
std::size_t steps_known(examiner& asked, history const& h, draw_source const& draws, spec::cube assignment,
                        std::vector<spec::expectation> const& foreseen) {
  auto const may_vary = [](spec::admissible const& a) {
    using kind = spec::admissible_kind;
    return a.kind() == kind::keyword   ? !std::has_single_bit(a.words())
           : a.kind() == kind::lattice ? a.count() > 1
                                       : a.kind() == kind::interval || a.kind() == kind::either;
  };
  auto const is_open = [&](spec::expectation const& e) {
    return std::ranges::any_of(std::views::iota(std::size_t{0}, spec::expectation::size()),
                               [&](auto i) { return may_vary(e[i]); });
  };
  auto const first_open = std::ranges::find_if(foreseen, is_open);
  std::size_t known = foreseen.size();
  constexpr std::uint64_t tries = 24;
  for (std::uint64_t seed = 1; seed <= tries && first_open != foreseen.end(); ++seed) {
    random_bits random(seed);
    auto const played = asked.play(h, draws, assignment, random).admitted;
    std::size_t same = 0;
    while (same < std::min(known, played.size()) && covers(foreseen[same], played[same])) ++same;
    known = same;
  }
  return known;
}

std::string takes_all(std::string const& system) {
  return dump({{"protocol", 1}, {"port", {{"name", "any"}, {"version", ""}, {"language", ""}}}, {"systems", {system}}});
}

}  // namespace

vector_suite::vector_suite(vectors_header header, std::atomic<std::uint64_t>* tried)
    : header_(std::move(header)), tried_(tried), system_(&named_system(header_.system)) {
  if (header_.takes.empty()) header_.takes = takes_all(header_.system);
  described_ = header_.takes != takes_all(header_.system);
  auto const& s = system_->shape();
  try {
    about_ = parse_start_reply(s, header_.takes);
  } catch (protocol_error const& e) {
    throw usage_error("what the port takes: " + std::string(e.what()));
  }
  about_.takes.features &= ~bit(feature::fresh_process);  // vectors have no process
  run const judged = make_run(*system_, about_, {});
  admitted_ = judged.readings().initial();
  explains_ = simplest_among(system_->readings(), admitted_);
  at_stake_.resize(system_->claims().size());

  for (auto const& h : mapping_probes(judged, header_.seed)) add(h, false, false);
  probes_ = all_.size();
  bool const sampled = judged.draws().are_tested();
  add(plan(s, about_.takes, header_.count, header_.seed, sampled), false);
  if (!sampled) add(plan(s, about_.takes, searched, header_.seed), true);
}

void vector_suite::name_the_port(std::string const& name) {
  if (!described_) about_.name = name;
}

void vector_suite::add(plan histories, bool rare_only) {
  for (auto batch = histories.next(256); !batch.empty(); batch = histories.next(256)) {
    auto const first = histories.given() - batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i) add(batch[i], histories.samples(first + i), rare_only);
    if (tried_ != nullptr) *tried_ += batch.size();
  }
}

void vector_suite::add(history const& h, bool is_sample, bool rare_only) {
  if (h.steps.size() > header_.calls_max) return;
  auto id = digest_of(to_token({&system_->shape(), {h}})).substr(0, id_digits);
  if (ids_.contains(id) && !is_sample) return;  // asked already, and no draw is hidden
  examiner asked(*system_);
  random_bits random(header_.seed);
  auto const right = asked.play(h, about_.takes.draws, explains_, random);
  auto const at_stake = asked.broken_claims(h, right.answers, about_.takes.draws, explains_).at_stake;
  auto const rare = [&](std::size_t claim) { return ((at_stake >> claim) & 1U) != 0 && at_stake_[claim] < often; };
  if (rare_only && std::ranges::none_of(std::views::iota(std::size_t{0}, at_stake_.size()), rare)) return;
  for (std::size_t i = 0; i < at_stake_.size(); ++i) at_stake_[i] += (at_stake >> i) & 1U;
  auto const times = ++ids_[id];
  if (times > 1) id += "-" + std::to_string(times);
  all_.push_back({std::move(id), h, is_sample, at_stake});
}

ordered_json vector_suite::header_json() const {
  return {{"vectors", 1},
          {"tool", "backoff-oracle"},
          {"version", header_.version},
          {"system", header_.system},
          {"document", catalogue_of(header_.system).document_version},
          {"takes", ordered_json::parse(header_.takes)},
          {"seed", header_.seed},
          {"count", header_.count},
          {"calls_max", header_.calls_max}};
}

std::string vector_suite::vector_json(vector const& v) const {
  auto const& s = system_->shape();
  auto const& draws = about_.takes.draws;
  auto const& table = system_->readings();
  examiner asked(*system_);
  std::vector<std::string_view> requirements;
  for (unsigned i = 0; i < system_->claims().size(); ++i) {
    auto const& claim = system_->claims()[i];
    if (((v.at_stake >> i) & 1U) != 0)
      requirements.insert(requirements.end(), claim.requirements.begin(), claim.requirements.end());
  }
  std::ranges::sort(requirements);
  auto const [same, end] = std::ranges::unique(requirements);
  requirements.erase(same, end);

  spec::cube admitted;
  for (auto const c : admitted_) admitted.bits |= c.bits;
  // At each step what any admitted reading makes of it, once; and which of these each reading picks.
  std::vector<std::vector<spec::expectation>> distinct;
  ordered_json expected = ordered_json::array();
  for (auto const& f : asked.foresee(v.asked, draws, admitted_)) {
    ordered_json readings = ordered_json::array();
    for (auto const c : f.where) readings.push_back(readings_json(table, admitted, c));
    ordered_json picks = ordered_json::array();
    auto const known = system_->learns_from_answers()
                           ? steps_known(asked, v.asked, draws, table.simplest(f.where.front()), f.admitted)
                           : f.admitted.size();
    for (std::size_t i = 0; i < known; ++i) {
      if (i == distinct.size()) distinct.emplace_back();
      auto const at = std::ranges::find(distinct[i], f.admitted[i]) - distinct[i].begin();
      picks.push_back(at);
      if (at == std::ssize(distinct[i])) distinct[i].push_back(f.admitted[i]);
    }
    bool const canonical =
        std::ranges::any_of(f.where, [&](spec::cube c) { return (c.bits & explains_.bits) == explains_.bits; });
    expected.push_back({{"canonical", canonical}, {"readings", std::move(readings)}, {"picks", std::move(picks)}});
  }
  for (std::size_t i = 1; i < expected.size(); ++i) {  // the canonical one stands first
    if (expected[i]["canonical"].get<bool>())
      std::rotate(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(i),
                  expected.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  ordered_json admissible = ordered_json::array();
  unsigned called = 0;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    unsigned const on = 1U << v.asked.steps[i].on;
    bool const shared = (called & ~on) != 0;
    called |= on;
    ordered_json answers = ordered_json::array();
    for (auto const& e : distinct[i])
      answers.push_back(expectation_json(s, about_.takes.features, v.asked.steps[i].op, shared, e));
    admissible.push_back(std::move(answers));
  }
  std::string const text = "{\"id\":\"" + v.id + "\",\"requirements\":" + dump(requirements) + ",";
  std::string asked_text;
  append_case(asked_text, s, draws, v.asked);
  return text + asked_text.substr(1, asked_text.size() - 2) + ",\"admissible\":" + dump(admissible) +
         ",\"expected\":" + dump(expected) + "}";
}

void vector_suite::write(std::string_view format, std::function<void(std::string_view)> const& to) const {
  sha256 digest;
  auto const put = [&](std::string const& text) {
    digest.add(text);
    to(text);
  };
  auto const count = std::to_string(all_.size());
  if (format == "lines") {
    put("# " + dump(header_json()) + "\n");
    for (auto const& v : all_) put(v.id + "\t" + to_token({&system_->shape(), {v.asked}}) + "\n");
    to("# end " + count + " " + digest.digest() + "\n");
    return;
  }
  put("{\"header\":" + dump(header_json()) + ",\n\"cases\":[\n");
  for (auto const& v : all_) put(vector_json(v) + (&v == &all_.back() ? "\n" : ",\n"));
  put("],\n\"end\":{\"count\":" + count + ",\"sha256\":\"");
  to(digest.digest() + "\"}}\n");
}

}  // namespace backoff::files
