#include "judge/run.hpp"

#include <algorithm>
#include <bit>

namespace backoff::conformance {
namespace {

constexpr std::string_view mapping_name = "draw-mapping";
constexpr std::string_view resolution_name = "delay-resolution";
constexpr std::string_view unlisted_name = "other";

template <class Visit>
void for_each_claim(claim_mask mask, Visit visit) noexcept {
  for (; any(mask); mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

// Those claims for which it holds, asked with their index.
template <class Which>
claim_mask claims_where(judged_system const& system, Which which) noexcept {
  claim_mask found = 0;
  unsigned i = 0;
  for (auto const& c : system.claims()) {
    if (which(c, i)) found |= claim_mask{1} << i;
    ++i;
  }
  return found;
}

// A port none of whose calls draws has nothing to hide.
bool hides_draws(judged_system const& system, domain const& takes) noexcept {
  return takes.draws.is == spec::draw::kind::hidden &&
         std::ranges::any_of(system.claims(), [&](claim_text const& c) noexcept {
           return c.draws && (c.possible == nullptr || c.possible(takes));
         });
}

}  // namespace

std::variant<run, std::string> run::begin(judged_system const& system, capabilities const& about,
                                          run_options options) noexcept {
  if (about.mapping) {
    auto const& table = system.readings();
    auto const reading = table.find(mapping_name);
    auto const alternative = reading ? table.find(*reading, *about.mapping) : std::nullopt;
    if (!alternative) {
      return std::string("the port's mapping '")
          .append(*about.mapping)
          .append("' is not an alternative of draw-mapping");
    }
    if (!options.strict) options.pinned.emplace_back(*reading, *alternative);
  }
  run begun(system, about, std::move(options));
  if (begun.initial_.empty()) {
    std::string why = "no admitted reading fits the port's kind of draws";
    if (about.mapping) why.append(", which it maps by ").append(*about.mapping);
    return why;
  }
  begun.settle_grade();
  begun.begin_samples();
  return begun;
}

run::run(judged_system const& system, capabilities const& about, run_options options) noexcept
    : system_(&system),
      about_(&about),
      options_(std::move(options)),
      examiner_(system),
      grade_(hides_draws(system, about.takes) ? grade::membership : grade::exact) {
  auto const& table = system.readings();
  killing_ = claims_where(
      system, [&](claim_text const& c, unsigned) noexcept { return options_.strict || c.is == strength::must; });
  admitted_ = table.admitting(options_.strict ? spec::standing::canonical : spec::standing::open);
  alive_ = system.assignments(about.takes.draws.is);
  for (auto const& [reading, alternative] : options_.pinned) {
    admitted_ = table.with(admitted_, reading, alternative);
    std::vector<spec::cube> pinned;
    for (auto const c : alive_) {
      if (auto const both = table.common(c, table.with(c, reading, alternative))) pinned.push_back(*both);
    }
    alive_ = std::move(pinned);
  }
  clean_ = alive_;
  initial_ = restricted(alive_);
  if (initial_.empty()) admit_any_mapping();
}

// Real draws have no canonical mapping: strict in everything else. Where nothing is strict, any is admitted already.
void run::admit_any_mapping() noexcept {
  auto const& table = system_->readings();
  for (auto const name : {mapping_name, resolution_name}) {
    if (auto const reading = table.find(name))
      admitted_.bits |= table.admitting(spec::standing::open).bits & table.field(*reading);
  }
  initial_ = restricted(alive_);
}

// Hidden draws are tested where answers tell of them and some claim about them is judged.
void run::begin_samples() noexcept {
  if (grade_ == grade::exact) return;
  tests_ = tests_where(true);
  if (!any(tests_)) return;
  grade_ = grade::distribution;
  draws_.emplace(*system_, options_.alpha, tests_, alive_);
  auto const advised = tests_where(false);
  if (any(advised)) seeds_.emplace(*system_, options_.alpha, advised, alive_);
}

// Of those that are judged.
claim_mask run::claims_about_draws() const noexcept {
  return claims_where(*system_, [&](claim_text const& c, unsigned i) noexcept { return selected(i) && c.draws; });
}

// Of those of them that kill, or of the others.
draw_tests_mask run::tests_where(bool kill) const noexcept {
  draw_tests_mask tests = 0;
  for_each_claim(claims_about_draws(), [&](unsigned i) noexcept {
    if (kills(i) == kill) tests |= tests_of(*system_->claims()[i].draws);
  });
  return tests;
}

// Without a listed mapping, injected draws say no more than hidden ones.
void run::settle_grade() noexcept {
  auto const& table = system_->readings();
  auto const reading = table.find(mapping_name);
  if (!reading || about_->takes.draws.is == spec::draw::kind::hidden) return;
  std::uint64_t const listed = table.field(*reading) & ~table.bit(*reading, *table.find(*reading, unlisted_name));
  mapping_unlisted_ = std::ranges::none_of(initial_, [&](spec::cube c) noexcept { return any(c.bits & listed); });
  if (mapping_unlisted_) grade_ = grade::membership;
}

std::vector<spec::cube> run::restricted(std::vector<spec::cube> const& from) const noexcept {
  std::vector<spec::cube> result;
  for (auto const c : from) {
    if (auto const both = system_->readings().common(c, admitted_)) result.push_back(*both);
  }
  return result;
}

void run::restrict_mapping(bool listed) noexcept {
  auto const& table = system_->readings();
  unsigned const reading = *table.find(mapping_name);
  std::uint64_t const other = table.bit(reading, *table.find(reading, unlisted_name));
  spec::cube const settled{~(listed ? other : table.field(reading) & ~other)};
  std::vector<spec::cube> alive;
  for (auto const c : alive_) {
    if (auto const both = table.common(c, settled)) alive.push_back(*both);
  }
  if (restricted(alive).empty()) return;  // the options leave no choice
  alive_ = std::move(alive);
  clean_ = alive_;
  initial_ = restricted(alive_);
  settle_grade();
  begin_samples();
}

void run::settle_mapping(std::span<history const> probes, std::span<result const> results) noexcept {
  if (grade_ != grade::exact || probes.empty()) return;
  auto const& s = system_->shape();
  std::vector<spec::drawn_delay> delays;
  auto next = results.begin();
  for (auto const& probe : probes) {
    auto const& calls = probe.steps;
    auto const& got = *next++;
    auto const at = s.draw_of(calls.back().op);
    auto const draw = static_cast<std::uint64_t>(calls.back().args[at].n);
    if (got.is == result::kind::answered && got.answers.size() == calls.size()) {
      delays.push_back({{about_->takes.draws.is, draw, about_->takes.draws.size}, got.answers.back()[s.delay]});
    }
  }
  restrict_mapping(s.follows_a_listed_mapping(delays));
}

void run::note(unsigned claim, bool fails, sighting const& seen) noexcept {
  auto const [at, fresh] = breaches_.try_emplace(claim, breach{claim, fails, 0, {}});
  if (fresh) at->second.first = seen.kept();
  ++at->second.histories;
}

// Which claims a history breaks under the assignment that explains the run; returns those that were at stake.
claim_mask run::explain(sighting const& seen) noexcept {
  auto const& report = examiner_.broken_claims(seen.tried, seen.got.answers, about_->takes.draws, *blamed_);
  claim_mask const broken = report.broken & seen.selected;
  for_each_claim(broken, [&](unsigned i) noexcept { note(i, kills(i), seen); });
  if (any(broken & killing_)) ++failing_;
  return report.at_stake & seen.selected;
}

void run::narrow(std::span<fate const> fates) noexcept {
  std::vector<spec::cube> clean;
  alive_.clear();
  for (auto const& f : fates) {
    if (!f.alive) continue;
    alive_.push_back(f.where);
    if (any(f.broken)) continue;
    for (auto const c : clean_) {
      if (auto const both = system_->readings().common(c, f.where)) clean.push_back(*both);
    }
  }
  spec::join_cubes(system_->readings(), alive_);
  spec::join_cubes(system_->readings(), clean);
  clean_ = std::move(clean);
}

bool run::counts_as_answered(result const& r) const noexcept {
  if (r.is == result::kind::answered) return true;
  bool const says_so = r.is == result::kind::rejected && !r.answers.empty();
  return says_so && all_declared(system_->shape(), about_->takes);
}

claim_mask run::absorb(history const& h, result const& r, bool is_sample, claim_mask excused) noexcept {
  sighting const seen{counts_.all(), h, r, options_.claims};
  ++at_stake_[breach::no_answer];
  if (r.is == result::kind::answered) {
    ++counts_.judged;
    claim_mask failed = absorb_excusing(seen, excused);
    if (is_sample && draws_) failed |= absorb_draws(seen, {}, excused);
    return failed;
  }
  if (r.is == result::kind::broke) {
    ++counts_.broke;
    return 0;
  }
  ++(r.is == result::kind::rejected ? counts_.rejected : counts_.skipped);
  return counts_as_answered(r) ? absorb_excusing(seen, excused) : absorb_refusal(seen, excused);
}

// A history that was not answered; inside ranges that the port declared itself it should have been.
claim_mask run::absorb_refusal(sighting const& seen, claim_mask excused) noexcept {
  if (seen.got.is == result::kind::unsent || !all_declared(system_->shape(), about_->takes)) return 0;
  if (any(excused & no_answer)) return no_answer;
  note(breach::no_answer, true, seen);
  ++failing_;
  return 0;
}

// Without what is excused. Where that is broken as it is known to be, the rest of the history refutes readings only
// where it leaves none at all: only then is something else wrong.
claim_mask run::absorb_excusing(sighting const& seen, claim_mask excused) noexcept {
  excused &= options_.claims;
  if (!any(excused)) {
    absorb_answers(seen);
    return 0;
  }
  auto const& report = examiner_.broken_claims(seen.tried, seen.got.answers, about_->takes.draws, explained_by());
  claim_mask const failed = report.broken & excused;
  claim_mask const at_stake = report.at_stake;
  for_each_claim(at_stake & excused, [&](unsigned i) noexcept { ++at_stake_[i]; });
  sighting const rest{seen.index, seen.tried, seen.got, options_.claims & ~excused};
  if (any(failed)) {
    auto const fates =
        examiner_.judge(seen.tried, seen.got.answers, about_->takes.draws, alive_, rest.selected, killing_);
    bool const some_left = std::ranges::any_of(fates, [&](fate const& f) noexcept {
      return f.alive && system_->readings().common(f.where, admitted_).has_value();
    });
    if (some_left) {
      for_each_claim(at_stake & rest.selected, [&](unsigned i) noexcept { ++at_stake_[i]; });
      return failed;
    }
  }
  absorb_answers(rest);
  return failed;
}

void run::absorb_answers(sighting const& seen) noexcept {
  auto const fates =
      examiner_.judge(seen.tried, seen.got.answers, about_->takes.draws, alive_, seen.selected, killing_);
  claim_mask at_stake = 0;
  claim_mask noted = ~claim_mask{0};  // broken under every assignment that is still admitted
  bool refuted = false;
  for (auto const& f : fates) {
    at_stake |= f.at_stake;
    if (!system_->readings().common(f.where, admitted_)) continue;
    if (f.alive) {
      noted &= f.broken;
    } else {
      refuted = true;
    }
  }
  std::optional<spec::cube> before;
  if (refuted) {
    refuting_.push_back(seen.kept());
    before = explained_by();
  }
  if (std::ranges::any_of(fates, [](fate const& f) noexcept { return any(f.broken); })) narrow(fates);
  if (before && restricted(alive_).empty()) blamed_ = before;
  if (blamed_) {
    at_stake = explain(seen);
  } else {
    for_each_claim(noted, [&](unsigned i) noexcept { note(i, false, seen); });
  }
  for_each_claim(at_stake, [&](unsigned i) noexcept { ++at_stake_[i]; });
}

claim_mask run::absorb_twice(history const& h, result const& one, result const& other, claim_mask excused) noexcept {
  claim_mask failed = absorb(h, one, false, excused);
  bool const both = one.is == result::kind::answered && other.is == result::kind::answered;
  if (!both || !draws_) return failed;
  sighting const seen{counts_.all() - 1, h, one, options_.claims};
  failed |= absorb_draws(seen, other.answers, excused);
  if (seeds_) failed |= compare_processes(seen, other.answers, excused);
  return failed;
}

// What is advised refutes nothing; it is noted where it is broken under the assignment that explains the run.
claim_mask run::compare_processes(sighting const& seen, std::span<answer const> elsewhere,
                                  claim_mask excused) noexcept {
  seeds_->narrow_to(alive_);
  if (!seeds_->absorb(seen.tried, seen.got.answers, elsewhere, about_->takes.draws)) return 0;
  if (!seeds_->living({explained_by()}).empty()) return 0;
  claim_mask const broken = claims_about_draws() & ~killing_;
  for_each_claim(broken & ~excused, [&](unsigned i) noexcept { note(i, false, seen); });
  return broken & excused;
}

claim_mask run::absorb_draws(sighting const& seen, std::span<answer const> elsewhere, claim_mask excused) noexcept {
  if (++samples_seen_ == samples_for_hazards) draws_->keep_testing(initial_);
  claim_mask const asked = claims_about_draws();
  for_each_claim(asked, [&](unsigned i) noexcept {
    if (!elsewhere.empty() || system_->claims()[i].draws != about_draws::seeded) ++at_stake_[i];
  });
  draws_->narrow_to(alive_);
  auto const before = explained_by();
  if (!draws_->absorb(seen.tried, seen.got.answers, elsewhere, about_->takes.draws)) return 0;
  auto alive = draws_->living(alive_);
  if (blamed_ || !restricted(alive).empty()) {
    alive_ = std::move(alive);
    clean_ = draws_->living(clean_);
    return 0;
  }
  auto const claim = text_of(draws_->draws_of(before)->bets().best()).claim;
  claim_mask const broken =
      claims_where(*system_, [&](claim_text const& c, unsigned i) noexcept { return selected(i) && c.draws == claim; });
  if (!any(broken & ~excused)) {  // as it is known to fail: there is nothing more to learn from these draws
    draws_.reset();
    draws_excused_ = true;
    return broken;
  }
  alive_ = std::move(alive);
  clean_ = draws_->living(clean_);
  blamed_ = before;
  refuted_by_draws_ = true;
  ++failing_;
  for_each_claim(broken, [&](unsigned i) noexcept { note(i, kills(i), seen); });
  return 0;
}

sampled_draws const* run::samples() const noexcept { return draws_ ? draws_->draws_of(explained_by()) : nullptr; }

sampled_draws const& run::samples_against(unsigned claim) const noexcept {
  return kills(claim) ? *samples() : *seeds_->draws_of(explained_by());
}

void run::settle_power() noexcept {
  if (draws_ && !blamed_) powers_ = power_on(*samples(), options_.alpha, tests_);
}

// Whether all of the gross faults that the tests look for would have been caught.
bool run::excludes_gross_faults() const noexcept {
  return !powers_.empty() &&
         std::ranges::all_of(powers_, [](power const& p) noexcept { return !p.fault->gross || p.caught == p.tried; });
}

spec::cube run::explained_by() const noexcept {
  if (blamed_) return *blamed_;
  return simplest_among(system_->readings(), survivors());
}

spec::cube simplest_among(spec::reading_table const& table, std::vector<spec::cube> const& cubes) noexcept {
  auto const best = std::ranges::min_element(cubes, {}, [&](spec::cube c) noexcept {
    return std::pair(table.deviations(table.simplest(c)), table.simplest(c).bits);
  });
  return table.simplest(*best);
}

std::vector<breach> run::breaches() const noexcept {
  auto const before = [this](breach const& a, breach const& b) noexcept {
    if (a.fails != b.fails) return a.fails;
    auto const at_stake = [this](breach const& c) noexcept { return at_stake_[c.claim]; };
    return a.histories * at_stake(b) > b.histories * at_stake(a);
  };
  std::vector<breach> result;
  for (auto const& [claim, b] : breaches_) result.insert(std::ranges::upper_bound(result, b, before), b);
  return result;
}

verdict run::verdict() const noexcept {
  if (std::ranges::any_of(breaches_, [](auto const& b) noexcept { return b.second.fails; }))
    return verdict::does_not_conform;
  if (counts_.judged == 0 || grade_ == grade::membership) return verdict::inconclusive;
  if (grade_ == grade::distribution && !draws_excused_ && !excludes_gross_faults()) return verdict::inconclusive;
  return any(wanting()) ? verdict::inconclusive : verdict::conforms;
}

claim_mask run::wanting() const noexcept {
  if (!options_.whole) return 0;
  auto const& takes = about_->takes;
  return claims_where(*system_, [&](claim_text const& c, unsigned i) noexcept {
    bool const reachable = (!c.needs || takes.offers(*c.needs)) && (c.possible == nullptr || c.possible(takes));
    bool const tested = !c.draws || grade_ == grade::distribution;
    return selected(i) && c.is == strength::must && reachable && tested && at_stake_[i] == 0;
  });
}

}  // namespace backoff::conformance
