// Compares a fault beside an open reading with the same fault beside the canonical one. blame_test.cpp wants most pairs
// told alike; properties/ports/blame_pairs.cpp prints all of them.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "judge/counterexample.hpp"
#include "judge/faulty_model_test.hpp"
#include "judge/plan.hpp"

namespace backoff::judge {

inline constexpr number_fault paired_faults[] = {{"zero from the third", to_zero, 2},
                                                 {"twice, in some histories", doubled, 0, 3},
                                                 {"zero", to_zero},
                                                 {"one more", one_more},
                                                 {"one more late", one_more, 3},
                                                 {"far too long", far_longer, 1},
                                                 {"the one before", as_before, 1}};

struct blame_pair {
  std::vector<std::string> followed;   // the readings in which it departs from the canonical port
  std::vector<std::string> explained;  // and those under which its findings are shown
  std::set<std::string_view> told;     // claims
  std::set<std::string_view> told_of_canonical;
  [[nodiscard]] bool alike() const noexcept { return told == told_of_canonical; }
};

// Under these readings a port answers where it would otherwise have failed or ended, or with numbers that it would
// otherwise have raised. The fault is then also in answers that the canonical port does not give, which have claims of
// their own: these are not compared.
struct further_answers {
  std::string_view reading;
  std::string_view claim;
};
inline constexpr further_answers further[] = {{"overflow", "overflow_saturates_or_fails"},
                                              {"overflow", "delay_never_exceeds_31_bits"},
                                              {"exhaustion-state", "exhaustion_lasts_until_reset"},
                                              {"below-minimum", "delay_is_never_negative"},
                                              {"below-minimum", "delay_is_never_below_cmin"}};

// Every claim that a finding names: of claims that are parts of one rule, whichever leads.
inline std::set<std::string_view> findings(run const& judged) {
  std::set<std::string_view> all;
  for (auto const& b : judged.breaches()) {
    if (b.fails && !b.follows_from) all.insert(judged.system().claims()[b.claim].name);
  }
  return all;
}

inline std::set<std::string_view> comparable(std::set<std::string_view> all, std::vector<std::string> const& followed) {
  for (auto const& departure : followed) {
    for (auto const& f : further) {
      if (departure.starts_with(std::string(f.reading) + "=")) all.erase(f.claim);
    }
  }
  return all;
}

// For each port that departs from the canonical reading in one place at most, draws given. Ports are left out whose
// answers the fault does not change.
inline std::vector<blame_pair> blame_pairs(judged_system const& system, number_fault const& fault,
                                           std::uint64_t histories) {
  auto const& table = system.readings();
  draw_source const draws{spec::draw_kind::u32, std::uint64_t{1} << 32};
  auto open = table.admitting(spec::standing::open);
  open.bits &= spec::exactly_mapped(table).bits;
  auto const all = one_by_one(table, spec::common_cubes(table, system.assignments(draws.kind), {open}));
  int const fewest = table.deviations(all.front());
  std::optional<std::set<std::string_view>> usual;
  std::vector<blame_pair> pairs;
  for (auto const reading : all) {
    if (table.deviations(reading) > fewest + 1) break;
    faulty_model port(system, reading, draws, 1, fault);
    auto judged = std::get<run>(run::begin(system, port.describes(), {}));
    drive(judged, port, histories, 1);
    auto const told = findings(judged);
    if (!usual) usual = told;
    auto const followed = deviations(table, reading);
    blame_pair const pair{followed, deviations(table, judged.explained_by()), comparable(told, followed),
                          comparable(*usual, followed)};
    if (!pair.told.empty() || !pair.told_of_canonical.empty()) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace backoff::judge
