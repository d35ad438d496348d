// Where a claim breaks, learnt from histories on which it broke and histories on which it held: at most two constraints
// that hold wherever it broke, and that leave out most of the histories on which it held. What is learnt is a guess
// until it is tried on fresh histories: explain/where.hpp. Checked by: properties/explain/region_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/constraint.hpp"

namespace backoff::explain {

// Constraints that all histories satisfy on which a claim broke; none: everywhere.
struct region {
  std::vector<constraint> where;
  // For each of them that is a bound: the nearest number beyond it at which the claim was seen to hold.
  std::vector<std::optional<std::int64_t>> nearest;
  friend bool operator==(region const&, region const&) noexcept = default;
};

// Histories and whether the claim broke on each, with every quantity of each worked out once.
class examples {
 public:
  examples(histories::shape const& s, domain const& takes);
  // A history that broke the claim must end with the call that broke it.
  void add(history h, bool broke);
  // Takes out the histories that held inside some region.
  [[nodiscard]] std::vector<history> take_held_in(std::vector<region> const& regions);

  struct example {
    history tried;
    std::vector<std::vector<value>> values;  // by quantity
  };
  [[nodiscard]] std::vector<example> const& broken() const { return broken_; }
  [[nodiscard]] std::vector<example> const& held() const { return held_; }
  [[nodiscard]] std::vector<quantity> const& quantities() const noexcept { return quantities_; }
  [[nodiscard]] histories::shape const& shape() const noexcept { return *shape_; }
  [[nodiscard]] domain const& takes() const noexcept { return *takes_; }

 private:
  histories::shape const* shape_;
  domain const* takes_;
  std::vector<quantity> quantities_;
  std::vector<example> broken_;
  std::vector<example> held_;
};

// Learns a region from examples, of which one at least is broken. One constraint must exclude at least half of the held
// histories. Two must exclude at least three quarters of what one leaves. Weaker constraints are mostly chance, because
// a wrong answer may be right for some draws.
[[nodiscard]] region learn(examples const& seen);

// The same for a port with several faults: a region for each. Together they must contain at most a quarter of the held
// histories that a single region contains, and each must have broken examples of its own. Otherwise returns the single
// region.
[[nodiscard]] std::vector<region> learn_parts(examples const& seen);

}  // namespace backoff::explain
