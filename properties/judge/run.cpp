#include "judge/run.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <ranges>
#include <tuple>

namespace backoff::judge {
namespace {

constexpr std::string_view mapping_name = "draw-mapping";
constexpr std::array<std::string_view, 4> conventions{mapping_name, "delay-resolution", "jitter-mapping",
                                                      "jitter-resolution"};

template <class Visit>
void for_each_bit(std::uint64_t mask, Visit visit) noexcept {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

// Probes that a mapping explains, together with each alternative of the other readings.
struct explained_probes {
  std::uint64_t by = 0;  // the alternatives that explain the last one with it
  std::array<std::uint64_t, 64> together_with{};
  // No more of them follow one joint reading than follow the best alternative of each reading.
  [[nodiscard]] std::uint64_t by_one_joint_reading(spec::reading_table const& table) const noexcept {
    std::uint64_t fewest = ~std::uint64_t{0};
    for (unsigned r = 0; r < table.readings().size(); ++r) {
      std::uint64_t best = 0;
      for_each_bit(table.field(r), [&](unsigned i) noexcept { best = std::max(best, together_with[i]); });
      fewest = std::min(fewest, best);
    }
    return fewest;
  }
};

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
  return takes.draws.kind == spec::draw_kind::hidden &&
         std::ranges::any_of(system.claims(), [&](claim_text const& c) noexcept {
           return c.draws && (c.possible == nullptr || c.possible(takes));
         });
}

// The most of them.
std::size_t calls_of_one_instance(history const& h) noexcept {
  std::array<std::size_t, instances_max> calls{};
  for (auto const& s : h.steps) ++calls[s.on];
  return std::ranges::max(calls);
}

}  // namespace

bool is_convention(std::string_view reading) noexcept {
  return std::ranges::find(conventions, reading) != conventions.end();
}

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
    options.pinned.emplace_back(*reading, *alternative);
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
      grade_(hides_draws(system, about.takes) ? grade::membership : grade::exact),
      alpha_of_a_test_(options_.alpha) {
  auto const& table = system.readings();
  killing_ = claims_where(system, [](claim_text const& c, unsigned) noexcept { return c.strength == strength::must; });
  failing_claims_ = claims_where(system, [&](claim_text const& c, unsigned) noexcept {
    if (c.strength == strength::interface) return !options_.document_only;
    return c.strength == strength::must || options_.strict;
  });
  admitted_ = table.admitting(options_.strict ? spec::standing::canonical : spec::standing::open);
  for (auto const name : conventions) {
    if (auto const reading = table.find(name))
      admitted_.bits |= table.admitting(spec::standing::open).bits & table.field(*reading);
  }
  alive_ = system.assignments(about.takes.draws.kind);
  for (auto const& [reading, alternative] : options_.pinned) {
    admitted_ = table.with(admitted_, reading, alternative);
    std::vector<spec::cube> pinned;
    for (auto const c : alive_) {
      if (auto const both = table.common(c, table.with(c, reading, alternative))) pinned.push_back(*both);
    }
    alive_ = std::move(pinned);
  }
  clean_ = alive_;
  initial_with_hazards_ = alive_;
  initial_ = restricted(alive_);
  for (auto const& c : system.claims()) {
    if (c.told_by) untold_.push_back(*c.told_by);
  }
}

// Hidden draws are tested where answers tell of them and some claim about them is judged. Where two tests can fail the
// port, each has half of the probability that it fails a right one.
void run::begin_samples() noexcept {
  if (grade_ == grade::exact) return;
  tests_ = tests_where(true);
  // Draws that are coarser than a float of 32 bits leave most values of a wide window out.
  constexpr std::uint64_t fine = 1U << 24U;
  bool const is_coarse = mapping_ != mapped::exactly && about_->takes.draws.size < fine;
  if (is_coarse) tests_ &= ~(bit(draw_test::fine_digits) | bit(draw_test::low_bit));
  if (!any(tests_)) return;
  grade_ = grade::distribution;
  auto const advised = tests_where(false);
  if (any(claims_about_draws() & failing_claims_ & ~killing_)) alpha_of_a_test_ = options_.alpha / 2;
  draws_.emplace(*system_, alpha_of_a_test_, tests_, alive_);
  if (any(advised)) seeds_.emplace(*system_, alpha_of_a_test_, advised, alive_);
}

// Of those that are judged.
claim_mask run::claims_about_draws() const noexcept {
  return claims_where(*system_, [&](claim_text const& c, unsigned i) noexcept { return selected(i) && c.draws; });
}

// Of those of them that kill, or of the others.
draw_tests_mask run::tests_where(bool kill) const noexcept {
  draw_tests_mask tests = 0;
  for_each_bit(claims_about_draws(), [&](unsigned i) noexcept {
    if (kills(i) == kill) tests |= tests_of(*system_->claims()[i].draws);
  });
  return tests;
}

// Of a reading of how draws are mapped.
std::uint64_t run::alternatives_of(unsigned mapping, mapped how) const noexcept {
  auto const& table = system_->readings();
  if (how == mapped::exactly) return table.field(mapping) & spec::exactly_mapped(table).bits;
  return table.bit(mapping, *table.find(mapping, how == mapped::nearly ? "near" : "other"));
}

mapped run::mapping_of(std::string_view name) const noexcept {
  auto const reading = system_->readings().find(name);
  if (!reading) return mapped::exactly;
  auto const admits = [&](mapped how) noexcept {
    auto const bits = alternatives_of(*reading, how);
    return std::ranges::any_of(initial_, [&](spec::cube c) noexcept { return any(c.bits & bits); });
  };
  return admits(mapped::exactly) ? mapped::exactly : admits(mapped::nearly) ? mapped::nearly : mapped::otherwise;
}

// Unless each draw has an exact mapping, given draws are tested as hidden ones are.
void run::settle_grade() noexcept {
  if (about_->takes.draws.kind == spec::draw_kind::hidden) return;
  for (auto const name : spec::draw_mappings) mapping_ = std::max(mapping_, mapping_of(name));
  if (mapping_ != mapped::exactly) grade_ = grade::membership;
}

std::vector<spec::cube> run::restricted(std::vector<spec::cube> const& from) const noexcept {
  return spec::common_cubes(system_->readings(), from, {admitted_});
}

void run::restrict_mapping(unsigned reading, mapped how) noexcept {
  auto const& table = system_->readings();
  spec::cube const settled{~table.field(reading) | alternatives_of(reading, how)};
  auto alive = spec::common_cubes(table, alive_, {settled});
  if (restricted(alive).empty()) return;  // the options leave no choice
  alive_ = std::move(alive);
  clean_ = alive_;
  initial_with_hazards_ = alive_;
  initial_ = restricted(alive_);
}

// The most probes that one alternative of the reading explains, of those that map draws so.
run::most_explained run::most_explained_by(unsigned reading, mapped how, std::span<probed_draw const> probes,
                                           draw_source const& draws) noexcept {
  auto const& table = system_->readings();
  // Of the other draws of a probe, which are the smallest or the largest, only listed mappings say what becomes.
  spec::cube const asked{(spec::exactly_mapped(table).bits & ~table.field(reading)) | alternatives_of(reading, how)};
  auto const where = spec::common_cubes(table, alive_, {asked});
  std::vector<explained_probes> all(64);     // by each alternative, as a bit of the reading's
  std::vector<explained_probes> inside(64);  // the same of draws between the smallest and the largest
  for (auto const& p : probes) {
    if (p.draw >= draws.size) continue;
    for (auto& e : all) e.by = 0;
    for (auto const& f : examiner_.judge(*p.probe, *p.answers, draws, where, killing_, killing_)) {
      auto const mapped_so = f.alive ? f.where.bits & table.field(reading) : 0;
      for_each_bit(mapped_so, [&](unsigned i) noexcept { all[i].by |= f.where.bits; });
    }
    bool const is_inside = p.draw > 0 && p.draw + 1 < about_->takes.draws.size;
    for (std::size_t m = 0; m < all.size(); ++m) {
      for_each_bit(all[m].by, [&](unsigned i) noexcept {
        ++all[m].together_with[i];
        inside[m].together_with[i] += static_cast<std::uint64_t>(is_inside);
      });
    }
  }
  most_explained most;
  for_each_bit(alternatives_of(reading, how), [&](unsigned i) noexcept {
    most.all = std::max(most.all, all[i].by_one_joint_reading(table));
    most.inside = std::max(most.inside, inside[i].by_one_joint_reading(table));
  });
  return most;
}

// What the document makes of the probes' draws decides; where its windows do not, whether any window explains them. A
// probe that fails, or has no delay, says nothing of the others.
mapped run::mapping_shown_by(unsigned reading, std::span<history const> probes,
                             std::span<result const> results) noexcept {
  auto const& s = system_->shape();
  bool const of_jitter = system_->readings().readings()[reading].name != mapping_name;
  auto draws = about_->takes.draws;
  std::vector<probed_draw> shown;
  std::vector<spec::drawn_delay> delays;
  auto next = results.begin();
  for (auto const& probe : probes) {
    auto const& calls = probe.steps;
    auto const& got = *next++;
    if (s.probes_jitter(probe) != of_jitter) continue;
    if (got.kind != result_kind::answered || got.answers.size() != calls.size()) continue;
    auto const& delay = got.answers.back()[s.delay];
    if (delay.kind != spec::observed_kind::number) continue;
    auto const draw = static_cast<std::uint64_t>(calls.back().args[s.draw_of(calls.back().op)].n);
    shown.push_back({&probe, &got.answers, draw});
    delays.push_back({{draws.kind, draw, draws.size}, delay});
  }
  auto const exactly = most_explained_by(reading, mapped::exactly, shown, draws);
  auto const nearly = most_explained_by(reading, mapped::nearly, shown, draws);
  auto const is_nearly_all = [&](most_explained const& by) noexcept { return 16 * by.all >= 15 * shown.size(); };
  // Coarse arithmetic is off by one at some of the borders, a fault at the smallest or the largest draw at none.
  bool const is_coarse = is_nearly_all(nearly) && nearly.inside > exactly.inside;
  if (is_nearly_all(exactly) && !is_coarse) return mapped::exactly;
  auto const is_in_first = [&](probed_draw const& p) noexcept { return p.probe->params == shown[0].probe->params; };
  std::span const in_first(shown.begin(), std::ranges::find_if_not(shown, is_in_first));
  auto const is_shown = [&]() noexcept {
    return 3 * most_explained_by(reading, mapped::exactly, in_first, draws).all >= 2 * in_first.size();
  };
  if (!of_jitter && !is_shown()) {
    --draws.size;  // what a port divides by that divides by the largest draw
    bool const is_closed = is_nearly_all(nearly) && is_shown();
    bool const is_of_another_window = s.follows_a_listed_mapping(std::span(delays).first(in_first.size()));
    if (!is_closed && is_of_another_window) return mapped::exactly;
  }
  // A jitter near the document's leaves sleeps wide room. Where hardly any are exact, they are wrong, and show none; so
  // they are where even any jitter leaves many unexplained.
  bool const is_wide = of_jitter && 4 * exactly.all < shown.size();
  if (is_nearly_all(nearly)) return is_wide ? mapped::exactly : mapped::nearly;
  bool const shows_none =
      of_jitter && !is_nearly_all(most_explained_by(reading, mapped::otherwise, shown, about_->takes.draws));
  if (shows_none) return mapped::exactly;
  return 3 * exactly.all >= 2 * shown.size() ? mapped::exactly : mapped::otherwise;
}

void run::settle_mapping(std::span<history const> probes, std::span<result const> results) noexcept {
  if (grade_ != grade::exact || probes.empty()) return;
  // Only sleeps that are mapped exactly show how the jitter before them was; else all its readings stay.
  for (auto const name : spec::draw_mappings) {
    auto const reading = system_->readings().find(name);
    if (reading && mapping_ == mapped::exactly) restrict_mapping(*reading, mapping_shown_by(*reading, probes, results));
    settle_grade();
  }
  begin_samples();
}

void run::note(unsigned claim, sighting const& seen, bool leads) noexcept {
  bool const fails_the_port = claim == breach::no_answer || fails(claim);
  auto& b = breaches_.try_emplace(claim, breach{claim, fails_the_port, 0, {}}).first->second;
  if (b.histories == 0 || (leads && !b.leads)) {
    b.first = seen.kept();
    b.leads = leads;
  }
  ++b.histories;
}

void run::note_all(claim_mask broken, sighting const& seen) noexcept {
  for_each_bit(broken, [&](unsigned i) noexcept { note(i, seen); });
  if (any(broken & failing_claims_)) ++failing_;
}

// Claims whose break would explain that these are broken.
claim_mask run::leaned_on_by(claim_mask claims) const noexcept {
  claim_mask all = 0;
  for_each_bit(claims, [&](unsigned i) noexcept {
    for (auto const name : system_->claims()[i].leans_on)
      all |= claims_where(*system_, [&](claim_text const& c, unsigned) noexcept { return c.name == name; });
  });
  return all;
}

// Notes each broken claim at the call that breaks it first, and returns those that it noted. Known ones are only
// counted beside the others.
claim_mask run::note_by_call(claim_report const& report, sighting const& seen, claim_mask known) noexcept {
  claim_mask so_far = 0;
  claim_mask leans_on = 0;
  auto const error = observed::word(system_->shape().error_word);
  for (std::size_t call = 0; call < report.broken_at.size(); ++call) {
    claim_mask const broken = report.broken_at[call] & seen.selected;
    claim_mask const fresh = broken & ~so_far;
    bool const leads = !any(so_far);
    so_far |= fresh;
    if (!any(fresh & ~known)) continue;
    if (!any(fresh & ~report.leaning_at[call])) leans_on |= leaned_on_by(fresh);
    bool const failed = seen.got.answers[call][0] == error;
    ++together_[failed ? sighted{fresh, broken, 0} : sighted{fresh, so_far, leans_on}];
    for_each_bit(fresh & ~known, [&](unsigned i) noexcept { note(i, seen, leads); });
  }
  return so_far & ~known;
}

// Which claims a history breaks under the assignment that explains the run; returns those that were at stake.
claim_mask run::explain(sighting const& seen) noexcept {
  auto const& report = examiner_.broken_claims(seen.tried, seen.got.answers, about_->takes.draws, *blamed_);
  if (any(note_by_call(report, seen, 0) & failing_claims_)) ++failing_;
  return report.at_stake & seen.selected;
}

// Keeps what blame is settled on, and at any time what refutes a reading; once there is enough of it, settles.
void run::witness(sighting const& seen, claim_mask at_stake, bool refutes_one) noexcept {
  constexpr std::size_t histories_max = 1'024;
  constexpr std::size_t steps_max = 20'000;
  if (blame_is_settled_ || refuted_by_draws_) return;
  std::size_t const times = blamed_ ? 2 : 1;  // as many again once all is refuted
  auto const is_enough = [&]() noexcept {
    return witnessed_.size() >= times * histories_max || witnessed_steps_ >= times * steps_max;
  };
  if (is_enough() && !refutes_one) return;
  witnessed_.push_back({seen.kept(), seen.selected, at_stake});
  witnessed_steps_ += seen.tried.steps.size();
  if (blamed_ && is_enough()) settle_blame();
}

// What was explained so far is explained again, where another reading explains more of it. Not of a replay: there the
// histories before the last say under which reading it was shown, and are no sample of what the port does.
void run::settle_blame() noexcept {
  if (refuted_by_draws_ || draws_are_broken_too_) name_what_draws_broke();
  if (!options_.whole || !blamed_ || refuted_by_draws_ || draws_are_broken_too_ || blame_is_settled_) return;
  blame_is_settled_ = true;
  auto const [best, as_few] =
      least_blamed(examiner_, system_->readings(), initial_, witnessed_, about_->takes.draws, killing_);
  if (!draws_) as_few_ = as_few;
  // What no answer breaks may be what draws have refuted: then the answers that refuted the last reading are the
  // finding.
  if (best == *blamed_ || (draws_ && draws_->refutes(best))) return;
  blamed_ = best;
  failing_ = breaches_.contains(breach::no_answer) ? breaches_[breach::no_answer].histories : 0;
  // Draws too were tested as the reading that was blamed sees them.
  std::erase_if(breaches_, [](auto const& b) noexcept { return !includes(no_answer, b.first); });
  together_.clear();
  for (auto const& w : witnessed_) {
    for_each_bit(w.at_stake, [&](unsigned i) noexcept { --at_stake_[i]; });
    auto const at_stake = explain({w.seen.index, w.seen.tried, w.seen.got, w.selected});
    for_each_bit(at_stake, [&](unsigned i) noexcept { ++at_stake_[i]; });
  }
}

bool run::tells_equals_apart(sighting const& seen) noexcept {
  if (as_few_.empty()) return false;
  auto const outcomes =
      examiner_.judge(seen.tried, seen.got.answers, about_->takes.draws, as_few_, seen.selected, killing_);
  std::vector<spec::cube> left;
  for (auto const& f : outcomes) {
    if (f.alive) left.push_back(f.where);
  }
  if (left.empty() || left.size() == outcomes.size()) return false;
  spec::join_cubes(system_->readings(), left);
  as_few_ = std::move(left);
  return true;
}

std::vector<evidence> run::witnesses_of(breach const& b) noexcept {
  std::vector all(1, b.first);
  for (auto const& w : witnessed_) {
    if (!includes(w.at_stake, b.claim) || w.seen.index == b.first.index) continue;
    auto const& report = examiner_.broken_claims(w.seen.tried, w.seen.got.answers, about_->takes.draws, explained_by());
    if (includes(report.broken, b.claim)) all.push_back(w.seen);
  }
  return all;
}

void run::settle_dependence(std::span<compared const> all) noexcept {
  for (auto const& c : all) {
    if (c.same) continue;
    dependent_ |= claim_mask{1} << c.claim;
    auto& b = breaches_.at(c.claim);
    b.first = c.seen;  // the smallest of those that show it stands last
    auto const& report = examiner_.broken_claims(c.seen.tried, c.seen.got.answers, about_->takes.draws, explained_by());
    b.leads = report.leads(c.claim, options_.claims);
  }
  claim_mask const of_dependence =
      claims_where(*system_, [](claim_text const& c, unsigned) noexcept { return c.compares.has_value(); });
  std::map<unsigned, breach> withdrawn;
  for (auto const& c : all) {
    if (includes(dependent_, c.claim)) continue;
    withdrawn.insert(breaches_.extract(c.claim));
    if (!c.asked) not_compared_ |= claim_mask{1} << c.claim;
    bool const waived = !c.asked && !fails(c.claim);
    claim_mask const asked = waived ? 0 : options_.claims & ~(c.excused | of_dependence);
    claim_mask known = 0;
    for (auto const& [claim, b] : breaches_) known |= claim_mask{1} << claim;
    auto const& report = examiner_.broken_claims(c.seen.tried, c.seen.got.answers, about_->takes.draws, explained_by());
    if (any(report.broken & ~of_dependence)) withdrawn.erase(c.claim);
    answers_excused_ |= any(report.broken & c.excused);
    auto const found = note_by_call(report, {c.seen.index, c.seen.tried, c.seen.got, asked}, known);
    for_each_bit(found, [&](unsigned i) noexcept { ++at_stake_[i]; });
  }
  // A reading that was pinned can ask a reset for more than the port does. No other claim is broken there then.
  std::erase_if(withdrawn, [this](auto const& b) { return system_->claims()[b.first].compares != dependence::reset; });
  if (alive_.empty() && breaches_.empty()) breaches_ = std::move(withdrawn);
  for (auto const& [claim, b] : breaches_) not_compared_ &= ~(claim_mask{1} << claim);
}

// Causes: the claims of dependence that the port breaks, and the fewest others of which one explains each call that
// breaks any, as a greedy search finds them; of equals the most telling, which are listed first. A claim explains a
// call if it is broken at or before it, or if the call leans on it. Any other broken claim follows from the cause that
// most often explains a call that breaks it. A call that fails follows from nothing that an earlier one broke: a wrong
// number is no reason to crash. What refutes a port never follows from what does not.
std::map<unsigned, unsigned> run::consequences() const noexcept {
  auto const weight = [this](unsigned claim) noexcept {
    auto const& b = breaches_.at(claim);
    return static_cast<int>(refutes(b)) + static_cast<int>(b.fails);
  };
  claim_mask breached = 0;
  for (auto const& [claim, b] : breaches_) breached |= claim_mask{1} << claim;
  auto const calls = [&](auto counts) noexcept {
    std::uint64_t all = 0;
    for (auto const& [call, times] : together_)
      all += times * static_cast<std::uint64_t>(any(call.fresh & breached) && counts(call));
    return all;
  };
  claim_mask causes = 0;
  auto const unexplained = [&](unsigned claim) noexcept {
    return calls([&](sighted const& call) noexcept {
      bool const explained = any((call.broken | call.leans_on) & causes);
      return includes(call.broken, claim) & !explained;
    });
  };
  std::vector<unsigned> left;
  for (auto const& [claim, b] : breaches_) left.push_back(claim);
  std::ranges::sort(left, {}, [&](unsigned c) noexcept { return std::pair(-weight(c), c); });
  std::map<unsigned, unsigned> all;
  while (!left.empty()) {
    auto const lighter =
        std::ranges::find_if(left, [&](unsigned c) noexcept { return weight(c) != weight(left.front()); });
    std::span const alike(left.begin(), lighter);
    for (unsigned const claim : alike) causes |= dependent_ & claim_mask{1} << claim;
    for (auto most = std::ranges::max_element(alike, {}, unexplained); unexplained(*most) != 0;
         most = std::ranges::max_element(alike, {}, unexplained))
      causes |= claim_mask{1} << *most;
    for (unsigned const claim : alike) {  // one chosen early may explain nothing that those chosen later do not
      claim_mask const others = causes & ~(claim_mask{1} << claim);
      auto const needed = calls([&](sighted const& call) noexcept {
        claim_mask const explains = call.broken | call.leans_on;
        return includes(explains, claim) && !any(explains & others);
      });
      if (needed == 0) causes &= others | dependent_;
    }
    for (unsigned const claim : alike) {
      std::pair<std::uint64_t, unsigned> nearest{0, claim};
      for_each_bit(causes, [&](unsigned c) noexcept {
        auto const together = calls([&](sighted const& call) noexcept {
          return includes(call.broken, claim) && includes(call.broken | call.leans_on, c);
        });
        nearest = std::max(nearest, {together, c});
      });
      if (!includes(causes, claim) & (nearest.first != 0)) all.emplace(claim, nearest.second);
    }
    left.erase(left.begin(), lighter);
  }
  return all;
}

void run::narrow(std::span<assignment_outcome const> outcomes) noexcept {
  std::vector<spec::cube> clean;
  alive_.clear();
  for (auto const& f : outcomes) {
    if (!f.alive) continue;
    alive_.push_back(f.where);
    if (any(f.broken)) continue;
    std::ranges::copy(spec::common_cubes(system_->readings(), clean_, {f.where}), std::back_inserter(clean));
  }
  spec::join_cubes(system_->readings(), alive_);
  spec::join_cubes(system_->readings(), clean);
  clean_ = std::move(clean);
}

bool run::counts_as_answered(result const& r) const noexcept {
  if (r.kind == result_kind::answered) return true;
  bool const says_so = r.kind == result_kind::rejected && !r.answers.empty();
  return says_so && all_declared(system_->shape(), about_->takes);
}

claim_mask run::absorb(history const& h, result const& r, bool is_sample, claim_mask excused,
                       bool comes_again) noexcept {
  sighting const seen{counts_.all(), h, r, options_.claims};
  ++at_stake_[breach::no_answer];
  if (r.kind == result_kind::answered) {
    ++counts_.judged;
    if (h.steps.size() > most_calls_) most_calls_ = std::max(most_calls_, calls_of_one_instance(h));
    std::erase_if(untold_, [&](std::uint8_t field) noexcept {
      return std::ranges::any_of(
          r.answers, [&](answer const& a) noexcept { return a[field].kind != spec::observed_kind::absent; });
    });
    auto const failing = failing_;
    claim_mask failed = absorb_excusing(seen, excused);
    bool const is_clean = failing_ == failing;
    if (is_sample && draws_) failed |= absorb_draws(seen, {}, excused, is_clean, comes_again);
    return failed;
  }
  if (r.kind == result_kind::broke) {
    ++counts_.broke;
    return 0;
  }
  ++(r.kind == result_kind::rejected ? counts_.rejected : counts_.skipped);
  return counts_as_answered(r) ? absorb_excusing(seen, excused) : absorb_refusal(seen, excused);
}

// A history that was not answered; inside ranges that the port declared itself it should have been.
claim_mask run::absorb_refusal(sighting const& seen, claim_mask excused) noexcept {
  if (seen.got.kind == result_kind::unsent || !all_declared(system_->shape(), about_->takes)) return 0;
  if (any(excused & no_answer)) return no_answer;
  note(breach::no_answer, seen);
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
  answers_excused_ |= any(failed);
  claim_mask const at_stake = report.at_stake;
  for_each_bit(at_stake & excused, [&](unsigned i) noexcept { ++at_stake_[i]; });
  sighting const rest{seen.index, seen.tried, seen.got, options_.claims & ~excused};
  if (any(failed)) {
    auto const outcomes =
        examiner_.judge(seen.tried, seen.got.answers, about_->takes.draws, alive_, rest.selected, killing_);
    bool const some_left = std::ranges::any_of(outcomes, [&](assignment_outcome const& f) noexcept {
      return f.alive && system_->readings().common(f.where, admitted_).has_value();
    });
    if (some_left) {
      for_each_bit(at_stake & rest.selected, [&](unsigned i) noexcept { ++at_stake_[i]; });
      return failed;
    }
  }
  absorb_answers(rest);
  return failed;
}

void run::absorb_answers(sighting const& seen) noexcept {
  auto const outcomes =
      examiner_.judge(seen.tried, seen.got.answers, about_->takes.draws, alive_, seen.selected, killing_);
  claim_mask at_stake = 0;
  claim_mask noted = ~claim_mask{0};  // broken under every assignment that is still admitted
  bool refuted = false;
  for (auto const& f : outcomes) {
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
  if (std::ranges::any_of(outcomes, [](assignment_outcome const& f) noexcept { return any(f.broken); }))
    narrow(outcomes);
  if (before && restricted(alive_).empty()) blamed_ = before;
  if (blamed_) {
    bool const tells = tells_equals_apart(seen);
    if (tells) {
      witnessed_.push_back({seen.kept(), seen.selected, 0});
      blamed_ =
          least_blamed(examiner_, system_->readings(), as_few_, witnessed_, about_->takes.draws, killing_).reading;
    }
    at_stake = explain(seen);
    if (tells) witnessed_.back().at_stake = at_stake;
  } else if (any(noted)) {
    auto const& report = examiner_.broken_claims(seen.tried, seen.got.answers, about_->takes.draws, explained_by());
    if (any(note_by_call(report, seen, ~noted) & failing_claims_)) ++failing_;
  }
  for_each_bit(at_stake, [&](unsigned i) noexcept { ++at_stake_[i]; });
  witness(seen, at_stake, refuted);
}

claim_mask run::absorb_twice(history const& h, result const& one, result const& other, claim_mask excused) noexcept {
  auto const failing = failing_;
  claim_mask failed = absorb(h, one, false, excused);
  bool const both = one.kind == result_kind::answered && other.kind == result_kind::answered;
  if (!both || !draws_) return failed;
  sighting const seen{counts_.all() - 1, h, one, options_.claims};
  failed |= absorb_draws(seen, other.answers, excused, failing_ == failing);
  if (seeds_) failed |= compare_processes(seen, other.answers, excused);
  return failed;
}

// Drawing alike refutes no reading here; it is noted where it is broken under the assignment that explains the run.
// That one is tested even if answers have refuted it: what is left of the others does not stand for it.
claim_mask run::compare_processes(sighting const& seen, std::span<answer const> elsewhere,
                                  claim_mask excused) noexcept {
  auto tested = alive_;
  tested.push_back(explained_by());
  seeds_->narrow_to(tested);
  if (!seeds_->absorb(seen.tried, seen.got.answers, elsewhere)) return 0;
  if (!seeds_->living({explained_by()}).empty()) return 0;
  claim_mask const broken = claims_about_draws() & ~killing_;
  note_all(broken & ~excused, seen);
  return broken & excused;
}

// What is admitted, and what one hazard beside it makes possible.
std::vector<spec::cube> run::with_one_hazard() const noexcept {
  auto const& table = system_->readings();
  auto const hazards = table.admitting(spec::standing::hazard);
  std::vector<spec::cube> all = initial_;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    spec::cube const wider{(admitted_.bits & ~table.field(r)) | (hazards.bits & table.field(r))};
    std::ranges::copy(spec::common_cubes(table, initial_with_hazards_, {wider}), std::back_inserter(all));
  }
  return all;
}

sampled_draws const* run::samples_under(spec::cube assignment) const noexcept { return draws_->draws_of(assignment); }

// Answers that refute all readings do not end the testing of draws: it goes on under the reading that is blamed, on
// samples whose answers are as documented. What it finds is a fault of its own if such samples are nearly all: answers
// that are wrong everywhere make draws look uneven too.
claim_mask run::absorb_draws(sighting const& seen, std::span<answer const> elsewhere, claim_mask excused, bool is_clean,
                             bool comes_again) noexcept {
  bool const by_answers = blamed_ && !refuted_by_draws_;
  if (++samples_seen_ == samples_for_hazards && !by_answers) draws_->keep_testing(with_one_hazard());
  samples_broken_ += static_cast<std::uint64_t>(!is_clean);
  constexpr std::uint64_t few = 8;
  bool const goes_on = by_answers && 8 * samples_broken_ <= samples_seen_ + 8 * few;
  if (goes_on && !is_clean) return 0;
  auto tested = alive_;
  if (goes_on) tested.push_back(*blamed_);
  draws_->narrow_to(tested);
  auto const before = explained_by();
  auto const told = draws_->drawn(before);
  bool const refutes_some = draws_->absorb(seen.tried, seen.got.answers, elsewhere, comes_again);
  bool const tells = draws_->drawn(before) > told;
  for_each_bit(claims_about_draws(), [&](unsigned i) noexcept {
    bool const of_one_process = *system_->claims()[i].draws != about_draws::seeded;
    at_stake_[i] += static_cast<std::uint64_t>(tells & (of_one_process | !elsewhere.empty()));
  });
  if (!refutes_some) return 0;
  auto alive = draws_->living(alive_);
  bool const refutes_blamed = goes_on && !draws_are_broken_too_ && draws_->refutes(before);
  bool const is_found = by_answers ? refutes_blamed && 8 * samples_broken_ <= samples_seen_
                                   : !refuted_by_draws_ && restricted(alive).empty();
  if (!is_found) {
    alive_ = std::move(alive);
    clean_ = draws_->living(clean_);
    return 0;
  }
  claim_mask const broken = claims_broken_by_draws(before);
  if (!any(broken & ~excused)) {  // as it is known to fail: there is nothing more to learn from these draws
    draws_.reset();
    draws_excused_ = true;
    return broken;
  }
  alive_ = std::move(alive);
  clean_ = draws_->living(clean_);
  blamed_ = before;
  draws_->follow(before);
  (by_answers ? draws_are_broken_too_ : refuted_by_draws_) = true;
  note_all(broken, seen);
  return 0;
}

claim_mask run::claims_broken_by_draws(spec::cube assignment) const noexcept {
  auto const kind = draws_->draws_of(assignment)->broken();
  return claims_where(*system_,
                      [&](claim_text const& c, unsigned i) noexcept { return selected(i) && c.draws == kind; });
}

// Draws that refute a port may be few. Those that came later tell better which claim they break.
void run::name_what_draws_broke() noexcept {
  claim_mask const broken = claims_broken_by_draws(*blamed_);
  for (auto b = breaches_.begin(); b != breaches_.end();) {
    bool const other = b->second.is_of_a_claim() && includes(claims_about_draws() & killing_ & ~broken, b->first);
    if (!other) {
      ++b;
      continue;
    }
    auto const seen = b->second;
    b = breaches_.erase(b);
    for_each_bit(broken, [&](unsigned i) noexcept {
      breaches_.try_emplace(i, breach{i, fails(i), seen.histories, seen.first, seen.leads});
    });
  }
}

sampled_draws const* run::samples() const noexcept { return draws_ ? draws_->draws_of(explained_by()) : nullptr; }

sampled_draws const& run::samples_against(unsigned claim) const noexcept {
  return kills(claim) ? *samples() : *seeds_->draws_of(explained_by());
}

void run::settle_power() noexcept {
  if (!draws_ || blamed_) return;
  powers_ = power_on(*samples(), alpha_of_a_test_, tests_);
  attempts_ = late_power_on(*samples(), alpha_of_a_test_, tests_);
}

// Whether all of the gross faults that the tests look for would have been caught, as far as retry code usually goes
// also those that begin late.
bool run::excludes_gross_faults() const noexcept {
  constexpr std::uint32_t usual_attempts = 40;
  return attempts_.tested >= std::min(attempts_.drawn, usual_attempts) && !powers_.empty() &&
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

void run::tell_earlier_calls_first(std::vector<breach>& all) const noexcept {
  auto const text = [this](breach const& b) noexcept {
    return b.is_of_a_claim() ? system_->claims()[b.claim] : claim_text{};
  };
  for (auto at = all.begin(); at != all.end(); ++at) {
    auto const name = text(*at).starts_from;
    if (name.empty()) continue;
    auto const earlier = std::find_if(at, all.end(), [&](breach const& b) noexcept { return text(b).name == name; });
    if (earlier != all.end()) std::rotate(at, earlier, earlier + 1);
  }
}

// Of the causes that are parts of one rule and of one rank, the part that tells most is the finding, for itself and for
// the others; the first of equal ones.
void run::tell_rules_once(std::vector<breach>& all) const noexcept {
  auto const claims = system_->claims();
  auto const rule = [&](breach const& b) noexcept {
    bool const is_cause = b.is_of_a_claim() && !b.follows_from;
    return is_cause ? claims[b.claim].rule : std::string_view{};
  };
  auto const kind = [&](breach const& b) noexcept { return std::tuple(rule(b), refutes(b), b.fails); };
  for (auto& b : all) {
    if (rule(b).empty()) continue;
    auto alike = all | std::views::filter([&](breach const& a) noexcept { return kind(a) == kind(b); });
    auto const first = std::ranges::max_element(alike, {}, [&](breach const& a) noexcept {
      return std::pair(includes(told_first_, a.claim), claims[a.claim].of_rule);
    });
    if (first->claim != b.claim) b.told_with = first->claim;
  }
  for (auto& b : all) {
    if (!b.follows_from) continue;
    auto const cause = std::ranges::find(all, *b.follows_from, &breach::claim);
    b.follows_from = cause->told_with.value_or(cause->claim);
  }
}

std::vector<breach> run::breaches() const noexcept {
  auto const rank = [this](breach const& b) noexcept { return refutes(b) ? 0 : b.fails ? 1 : 2; };
  auto const compares = [this](breach const& b) noexcept {
    constexpr int nothing = static_cast<int>(dependence::repeats) + 1;
    return includes(dependent_, b.claim) ? static_cast<int>(*system_->claims()[b.claim].compares) : nothing;
  };
  auto const before = [&](breach const& a, breach const& b) noexcept {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (compares(a) != compares(b)) return compares(a) < compares(b);
    auto const at_stake = [this](breach const& c) noexcept { return at_stake_[c.claim]; };
    return a.histories * at_stake(b) > b.histories * at_stake(a);
  };
  auto const follow = consequences();
  std::vector<breach> result;
  for (auto const& [claim, b] : breaches_) {
    auto const at = result.insert(std::ranges::upper_bound(result, b, before), b);
    if (auto const cause = follow.find(claim); cause != follow.end()) at->follows_from = cause->second;
  }
  tell_earlier_calls_first(result);
  tell_rules_once(result);
  return result;
}

verdict run::verdict() const noexcept {
  auto const by_the_document = verdict_by_the_document();
  bool const broken = std::ranges::any_of(breaches_, [](auto const& b) noexcept { return b.second.fails; });
  return broken && by_the_document != verdict::does_not_conform ? verdict::breaks_the_interface : by_the_document;
}

verdict run::verdict_by_the_document() const noexcept {
  bool const refuted = std::ranges::any_of(breaches_, [this](auto const& b) noexcept {
    return refutes(b.second) || (b.second.fails && system_->claims()[b.first].strength == strength::recommended);
  });
  if (refuted) return verdict::does_not_conform;
  if (counts_.judged == 0 || grade_ == grade::membership || is_unexplained()) return verdict::inconclusive;
  if (options_.whole && counts_.turned_most_away()) return verdict::inconclusive;
  if (grade_ == grade::distribution && !draws_excused_ && !excludes_gross_faults()) return verdict::inconclusive;
  return any(wanting()) ? verdict::inconclusive : verdict::conforms;
}

bool run::is_unexplained() const noexcept {
  bool const all_are_judged = (killing_ & ~options_.claims) == 0;
  bool const excused = answers_excused_ || draws_excused_;
  return all_are_judged && !excused && survivors().empty();
}

claim_mask run::wanting() const noexcept {
  if (!options_.whole) return 0;
  auto const& takes = about_->takes;
  auto const all = claims_where(*system_, [&](claim_text const& c, unsigned i) noexcept {
    bool const reachable =
        (!c.needs || takes.offers(*c.needs)) && (c.possible == nullptr || c.possible(takes)) && tells(c);
    bool const tested = !c.draws || grade_ == grade::distribution;
    return selected(i) && c.strength == strength::must && reachable && tested && at_stake_[i] == 0;
  });
  return all & ~options_.known_everywhere;
}

}  // namespace backoff::judge
