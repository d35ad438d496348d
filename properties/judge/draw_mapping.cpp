#include "judge/draw_mapping.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "relation/full_jitter.hpp"

namespace backoff::judge {
namespace {

// The alternatives, as bits, that map draws as `how` says. `reading` is a reading of how draws are mapped.
std::uint64_t alternatives_of(spec::reading_table const& table, unsigned reading, mapped how) noexcept {
  if (how == mapped::exactly) return table.field(reading) & spec::exactly_mapped(table).bits;
  return table.bit(reading, *table.find(reading, how == mapped::nearly ? "near" : "other"));
}

// How many probes a mapping explains, together with each alternative of the other readings.
struct explained_probes {
  std::uint64_t by = 0;  // the alternatives that, with the mapping, explain the last probe
  std::array<std::uint64_t, 64> together_with{};
  // An upper bound on how many probes one joint reading explains. Each reading has an alternative that explains the
  // most probes; the bound is the smallest of these numbers.
  [[nodiscard]] std::uint64_t by_one_joint_reading(spec::reading_table const& table) const noexcept {
    std::uint64_t fewest = ~std::uint64_t{0};
    for (unsigned r = 0; r < table.readings().size(); ++r) {
      std::uint64_t best = 0;
      for_each_bit(table.field(r), [&](unsigned i) { best = std::max(best, together_with[i]); });
      fewest = std::min(fewest, best);
    }
    return fewest;
  }
};

struct probed_draw {
  history const* probe;
  std::vector<answer> const* answers;
  std::uint64_t draw;
  observed delay;
};

struct most_explained {
  std::uint64_t all = 0;
  std::uint64_t inside = 0;  // between the smallest and the largest draw
};

// The probes of one reading of how draws are mapped.
class probed_mapping {
 public:
  probed_mapping(terms const& held_to, examiner& with, readings_left const& left, unsigned reading,
                 std::span<history const> probes, std::span<result const> results);
  [[nodiscard]] mapped shown();

 private:
  [[nodiscard]] most_explained explained_by(mapped how, std::span<probed_draw const> probes, draw_source const& draws);
  [[nodiscard]] bool is_nearly_all(most_explained const& by) const noexcept {
    return 16 * by.all >= 15 * shown_.size();
  }
  [[nodiscard]] bool is_of_jitter() const noexcept {
    return table().readings()[reading_].name != spec::draw_mappings[0];
  }
  [[nodiscard]] spec::reading_table const& table() const noexcept { return held_to_->system().readings(); }

  terms const* held_to_;
  examiner* with_;
  readings_left const* left_;
  unsigned reading_;
  std::vector<probed_draw> shown_;
};

// Leaves out probes that failed or have no delay: they say nothing of the mapping.
probed_mapping::probed_mapping(terms const& held_to, examiner& with, readings_left const& left, unsigned reading,
                               std::span<history const> probes, std::span<result const> results)
    : held_to_(&held_to), with_(&with), left_(&left), reading_(reading) {
  auto const& s = held_to.system().shape();
  auto next = results.begin();
  for (auto const& probe : probes) {
    auto const& calls = probe.steps;
    auto const& got = *next++;
    if (s.probes_jitter(probe) != is_of_jitter()) continue;
    if (got.kind != result_kind::answered || got.answers.size() != calls.size()) continue;
    auto const& delay = got.answers.back()[s.delay];
    if (delay.kind != spec::observed_kind::number) continue;
    auto const draw = static_cast<std::uint64_t>(calls.back().args[s.draw_of(calls.back().op)].n);
    shown_.push_back({&probe, &got.answers, draw, delay});
  }
}

// The most probes that one alternative explains, among those that map draws as `how` says.
most_explained probed_mapping::explained_by(mapped how, std::span<probed_draw const> probes, draw_source const& draws) {
  auto const alternatives = alternatives_of(table(), reading_, how);
  // The other draws of a probe are the smallest or the largest. Only listed mappings say what becomes of them.
  spec::cube const asked{(spec::exactly_mapped(table()).bits & ~table().field(reading_)) | alternatives};
  auto const where = spec::common_cubes(table(), left_->with_hazards(), {asked});
  std::vector<explained_probes> all(64);     // by the bit of each alternative of the reading
  std::vector<explained_probes> inside(64);  // the same of draws between the smallest and the largest
  auto const musts = held_to_->must_claims();
  for (auto const& p : probes) {
    if (p.draw >= draws.size) continue;
    for (auto& e : all) e.by = 0;
    for (auto const& o : with_->judge(*p.probe, *p.answers, draws, where, musts, musts)) {
      auto const mapped_so = o.alive ? o.where.bits & table().field(reading_) : 0;
      for_each_bit(mapped_so, [&](unsigned i) { all[i].by |= o.where.bits; });
    }
    bool const is_inside = p.draw > 0 && p.draw + 1 < held_to_->draws().size;
    for (std::size_t m = 0; m < all.size(); ++m) {
      for_each_bit(all[m].by, [&](unsigned i) {
        ++all[m].together_with[i];
        inside[m].together_with[i] += static_cast<std::uint64_t>(is_inside);
      });
    }
  }
  most_explained most;
  for_each_bit(alternatives, [&](unsigned i) {
    most.all = std::max(most.all, all[i].by_one_joint_reading(table()));
    most.inside = std::max(most.inside, inside[i].by_one_joint_reading(table()));
  });
  return most;
}

// The document's windows decide. Where they explain too few delays, asks whether a listed mapping explains them in any
// window.
mapped probed_mapping::shown() {
  auto const& s = held_to_->system().shape();
  bool const of_jitter = is_of_jitter();
  auto draws = held_to_->draws();
  auto const exactly = explained_by(mapped::exactly, shown_, draws);
  auto const nearly = explained_by(mapped::nearly, shown_, draws);
  // Coarse arithmetic is off by one at some draws between the smallest and the largest. Where only the smallest or the
  // largest draw goes wrong, the arithmetic is not coarse: that is a fault.
  bool const is_coarse = is_nearly_all(nearly) && nearly.inside > exactly.inside;
  if (is_nearly_all(exactly) && !is_coarse) return mapped::exactly;
  auto const is_in_first = [&](probed_draw const& p) { return p.probe->params == shown_[0].probe->params; };
  std::span const in_first(shown_.begin(), std::ranges::find_if_not(shown_, is_in_first));
  auto const is_shown = [&]() { return 3 * explained_by(mapped::exactly, in_first, draws).all >= 2 * in_first.size(); };
  if (!of_jitter && !is_shown()) {
    std::vector<spec::drawn_delay> delays;
    for (auto const& p : in_first) delays.push_back({{draws.kind, p.draw, draws.size}, p.delay});
    --draws.size;  // a port may divide by the largest draw
    bool const is_closed = is_nearly_all(nearly) && is_shown();
    bool const is_of_another_window = s.follows_a_listed_mapping(delays);
    if (!is_closed && is_of_another_window) return mapped::exactly;
  }
  // A jitter near the document's admits a wide range of sleeps. Where hardly any sleep is exact, the sleeps are wrong
  // and show no mapping. The same holds where even an arbitrary jitter leaves many sleeps unexplained.
  bool const is_wide = of_jitter && 4 * exactly.all < shown_.size();
  if (is_nearly_all(nearly)) return is_wide ? mapped::exactly : mapped::nearly;
  bool const shows_none = of_jitter && !is_nearly_all(explained_by(mapped::otherwise, shown_, held_to_->draws()));
  if (shows_none) return mapped::exactly;
  return 3 * exactly.all >= 2 * shown_.size() ? mapped::exactly : mapped::otherwise;
}

}  // namespace

mapped mapping_of(terms const& held_to, readings_left const& left, std::string_view reading) {
  auto const& table = held_to.system().readings();
  auto const found = table.find(reading);
  if (!found) return mapped::exactly;
  auto const admits = [&](mapped how) {
    auto const bits = alternatives_of(table, *found, how);
    return std::ranges::any_of(left.initial(), [&](spec::cube c) { return any(c.bits & bits); });
  };
  return admits(mapped::exactly) ? mapped::exactly : admits(mapped::nearly) ? mapped::nearly : mapped::otherwise;
}

mapped mapping_of(terms const& held_to, readings_left const& left) {
  auto least = mapped::exactly;
  if (held_to.draws().kind == spec::draw_kind::hidden) return least;
  for (auto const reading : spec::draw_mappings) least = std::max(least, mapping_of(held_to, left, reading));
  return least;
}

// Only sleeps that are mapped exactly show how the jitter before them was mapped. Otherwise all alternatives of its
// reading stay.
readings_left settled_by_probes(terms const& held_to, examiner& with, readings_left left,
                                std::span<history const> probes, std::span<result const> results) {
  auto const& table = held_to.system().readings();
  for (auto const name : spec::draw_mappings) {
    auto const reading = table.find(name);
    if (!reading || mapping_of(held_to, left) != mapped::exactly) continue;
    auto const how = probed_mapping(held_to, with, left, *reading, probes, results).shown();
    left.begin_within({~table.field(*reading) | alternatives_of(table, *reading, how)});
  }
  return left;
}

}  // namespace backoff::judge
