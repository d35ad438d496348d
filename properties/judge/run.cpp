#include "judge/run.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace backoff::conformance {
namespace {

constexpr std::string_view mapping_name = "draw-mapping";
constexpr std::string_view unlisted_name = "other";

}  // namespace

run::run(judged_system const& system, capabilities const& about, run_options options)
    : system_(&system),
      about_(&about),
      options_(std::move(options)),
      killing_(0),
      grade_(system.shape().has_draws() && about.takes.draws.is == spec::draw::kind::hidden ? grade::membership
                                                                                            : grade::exact),
      at_stake_(system.claims().size(), 0) {
  auto const& table = system.readings();
  for (unsigned i = 0; i < system.claims().size(); ++i) {
    if (options_.strict || system.claims()[i].is == strength::must) killing_ |= claim_mask{1} << i;
  }
  admitted_ = table.admitting(options_.strict ? spec::standing::canonical : spec::standing::open);
  if (about.mapping) {
    auto const reading = table.find(mapping_name);
    auto const alternative = reading ? table.find(*reading, *about.mapping) : std::nullopt;
    if (!alternative)
      throw std::invalid_argument("the port's mapping '" + *about.mapping + "' is not an alternative of draw-mapping");
    if (!options_.strict) options_.pinned.emplace_back(*reading, *alternative);
  }
  for (auto const& [reading, alternative] : options_.pinned) admitted_ = table.with(admitted_, reading, alternative);
  for (auto const& c : system.assignments(about.takes.draws.is)) {
    auto possible = c;
    bool all = true;
    for (auto const& [reading, alternative] : options_.pinned) {
      auto const pinned = table.common(possible, table.with(possible, reading, alternative));
      all = all && pinned.has_value();
      if (pinned) possible = *pinned;
    }
    if (all) alive_.push_back(possible);
  }
  clean_ = alive_;
  initial_ = restricted(alive_);
  if (initial_.empty() && options_.strict) {  // real draws have no canonical mapping: strict in everything else
    for (unsigned r = 0; r < table.readings().size(); ++r) {
      auto const name = table.readings()[r].name;
      if (name == mapping_name || name == "delay-resolution")
        admitted_.bits |= table.admitting(spec::standing::open).bits & table.field(r);
    }
    initial_ = restricted(alive_);
  }
  if (initial_.empty()) {
    throw std::invalid_argument("no admitted reading fits the port's kind of draws" +
                                (about.mapping ? ", which it maps by " + *about.mapping : ""));
  }
  settle_grade();
}

// Without a listed mapping, injected draws say no more than hidden ones.
void run::settle_grade() {
  auto const& table = system_->readings();
  auto const reading = table.find(mapping_name);
  if (!reading || grade_ == grade::membership) return;
  std::uint64_t const other = table.bit(*reading, *table.find(*reading, unlisted_name));
  mapping_unlisted_ =
      std::ranges::all_of(initial_, [&](spec::cube c) { return (c.bits & table.field(*reading)) == other; });
  if (mapping_unlisted_) grade_ = grade::membership;
}

std::vector<spec::cube> run::restricted(std::vector<spec::cube> const& from) const {
  std::vector<spec::cube> result;
  for (auto const c : from) {
    if (auto const both = system_->readings().common(c, admitted_)) result.push_back(*both);
  }
  return result;
}

void run::restrict_mapping(bool listed) {
  auto const& table = system_->readings();
  unsigned const reading = *table.find(mapping_name);
  std::uint64_t const other = table.bit(reading, *table.find(reading, unlisted_name));
  auto const keep = [&](std::vector<spec::cube>& cubes) {
    std::erase_if(cubes, [&](spec::cube& c) {
      c.bits &= listed ? ~other : ~(table.field(reading) & ~other);
      return (c.bits & table.field(reading)) == 0;
    });
  };
  auto alive = alive_;
  keep(alive);
  if (restricted(alive).empty()) return;  // the options leave no choice
  alive_ = std::move(alive);
  clean_ = alive_;
  initial_ = restricted(alive_);
  settle_grade();
}

void run::settle_mapping(std::span<history const> probes, std::span<result const> results) {
  if (grade_ == grade::membership || probes.empty()) return;
  std::vector<spec::drawn_delay> delays;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    auto const& calls = probes[i].steps;
    auto const draw = static_cast<std::uint64_t>(calls.back().args[0].n);
    if (results[i].is == result::kind::answered && results[i].answers.size() == calls.size()) {
      delays.push_back({{about_->takes.draws.is, draw, about_->takes.draws.size}, results[i].answers.back()[1]});
    }
  }
  restrict_mapping(delays.empty() || spec::follows_a_listed_mapping(delays));
}

void run::note(unsigned claim, bool fails, evidence const& e) {
  auto const [at, fresh] = breaches_.try_emplace(claim, breach{claim, fails, 0, {}});
  if (fresh) at->second.first = e;
  ++at->second.histories;
}

// Which claims a history breaks under the assignment that explains the run; returns those that were at stake.
claim_mask run::explain(evidence const& e) {
  auto const report = system_->broken_claims(e.tried, e.got.answers, about_->takes.draws, *blamed_);
  claim_mask const broken = report.broken & options_.claims;
  for (unsigned i = 0; i < at_stake_.size(); ++i) {
    if (((broken >> i) & 1U) != 0) note(i, kills(i), e);
  }
  if ((broken & killing_) != 0) ++failing_;
  return report.at_stake & options_.claims;
}

// What is left of the assignments, and of those that broke nothing at all.
void run::narrow(std::span<fate const> fates) {
  std::vector<spec::cube> clean;
  alive_.clear();
  for (auto const& f : fates) {
    if (!f.alive) continue;
    alive_.push_back(f.where);
    for (auto const c : clean_) {
      auto const both = system_->readings().common(c, f.where);
      if (both && f.broken == 0) clean.push_back(*both);
    }
  }
  spec::join_cubes(system_->readings(), alive_);
  spec::join_cubes(system_->readings(), clean);
  clean_ = std::move(clean);
}

void run::absorb(history const& h, result const& r) {
  evidence const e{counts_.all(), h, r};
  if (r.is == result::kind::broke) {
    ++counts_.broke;
    return;
  }
  if (r.is != result::kind::answered) {
    ++(r.is == result::kind::rejected ? counts_.rejected : counts_.skipped);
    if (r.is != result::kind::unsent && all_declared(system_->shape(), about_->takes)) {
      note(breach::no_answer, true, e);
      ++failing_;
    }
    return;
  }
  ++counts_.judged;
  auto const fates = system_->judge(h, r.answers, about_->takes.draws, alive_, options_.claims, killing_);
  claim_mask at_stake = 0;
  claim_mask noted = ~claim_mask{0};  // broken under every assignment that is still admitted
  bool refuted = false;
  for (auto const& f : fates) {
    at_stake |= f.at_stake;
    if (!system_->readings().common(f.where, admitted_)) continue;
    refuted = refuted || !f.alive;
    if (f.alive) noted &= f.broken;
  }
  std::optional<spec::cube> before;
  if (refuted && !blamed_) {
    refuting_.push_back(e);
    before = explained_by();
  }
  narrow(fates);
  if (before && restricted(alive_).empty()) blamed_ = before;
  if (blamed_) {
    at_stake = explain(e);
  } else if (noted != 0) {
    for (unsigned i = 0; i < at_stake_.size(); ++i) {
      if ((noted >> i & 1U) != 0) note(i, false, e);
    }
  }
  for (unsigned i = 0; i < at_stake_.size(); ++i) at_stake_[i] += (at_stake >> i) & 1U;
}

spec::cube run::explained_by() const {
  if (blamed_) return *blamed_;
  auto const& table = system_->readings();
  auto const left = survivors();
  auto const best = std::ranges::min_element(
      left, {}, [&](spec::cube c) { return std::pair(table.deviations(table.simplest(c)), table.simplest(c).bits); });
  return table.simplest(*best);
}

std::vector<breach> run::breaches() const {
  std::vector<breach> result;
  for (bool const fails : {true, false}) {
    for (auto const& [claim, b] : breaches_) {
      if (b.fails == fails) result.push_back(b);
    }
  }
  return result;
}

verdict run::verdict() const {
  if (std::ranges::any_of(breaches_, [](auto const& b) { return b.second.fails; })) return verdict::does_not_conform;
  if (counts_.judged == 0 || grade_ == grade::membership) return verdict::inconclusive;
  for (unsigned i = 0; options_.whole && i < at_stake_.size(); ++i) {
    auto const& claim = system_->claims()[i];
    bool const reachable = !claim.needs || about_->takes.offers(*claim.needs);
    bool const needed = selected(i) && claim.is == strength::must && reachable;
    if (needed && at_stake_[i] == 0) return verdict::inconclusive;
  }
  return verdict::conforms;
}

}  // namespace backoff::conformance
