#include "explain/region.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>

namespace backoff::conformance {
namespace {

using kind = quantity::kind;
using relation = constraint::relation;
using example = examples::example;

constexpr std::size_t equal_max = 4;  // values of one argument that all broken examples have in common

// base_ms and max_ms are of one unit.
std::string_view unit_of(std::string_view name) noexcept {
  auto const at = name.rfind('_');
  return at == std::string_view::npos ? std::string_view{} : name.substr(at);
}

// A constraint, and where to find what it speaks of in an example.
struct candidate {
  constraint is;
  std::size_t left;
  std::optional<std::size_t> right{};
  std::vector<std::uint64_t> inside{};  // held examples that satisfy it, a bit each
};

bool compare(relation op, std::int64_t a, std::int64_t b) noexcept {
  constexpr std::array<bool (*)(std::int64_t, std::int64_t), 6> by{
      [](std::int64_t x, std::int64_t y) { return x == y; }, [](std::int64_t x, std::int64_t y) { return x != y; },
      [](std::int64_t x, std::int64_t y) { return x < y; },  [](std::int64_t x, std::int64_t y) { return x <= y; },
      [](std::int64_t x, std::int64_t y) { return x > y; },  [](std::int64_t x, std::int64_t y) { return x >= y; }};
  return by[static_cast<std::size_t>(op)](a, b);
}

// As `matches` has it, of values that are worked out.
bool satisfies(candidate const& c, example const& e) {
  auto const with = c.right ? e.values[*c.right].front() : c.is.with;
  return std::ranges::any_of(e.values[c.left], [&](value const& v) {
    if (v.is == value::kind::absent || with.is == value::kind::absent) return false;
    if (is_number(v) && is_number(with)) return compare(c.is.op, v.n, with.n);
    if (c.right) return false;
    return c.is.op == relation::equal ? v == with : c.is.op == relation::unequal && v != with;
  });
}

std::vector<std::int64_t> numbers_of(std::vector<value> const& values) {
  std::vector<std::int64_t> all;
  for (auto const& v : values) {
    if (is_number(v)) all.push_back(v.n);
  }
  return all;
}

class learner {
 public:
  explicit learner(examples const& seen) : seen_(seen) {
    auto const& all = seen.quantities();
    for (std::size_t q = 0; q < all.size(); ++q) {
      add_equal(q);
      add_bounds(q);
      add_words(q);
    }
    for (std::size_t q = 0; q < all.size(); ++q) {
      for (std::size_t param = 0; param < all.size(); ++param) {
        if (may_compare(all[q], all[param])) add_relation(q, param);
      }
    }
    sort_by_difficulty();
    for (auto& c : candidates_) c.inside = held_inside(c);
  }

  [[nodiscard]] region best() const {
    std::vector<std::uint64_t> const everything(words(), ~std::uint64_t{0});
    std::size_t const all = seen_.held().size();
    std::vector<candidate const*> chosen;
    auto const one = least(everything, all);
    if (one.first != nullptr) chosen = {one.first};
    if (auto const two = least_pair(one.second); two.first != nullptr) chosen = {two.first, two.second};
    region r;
    for (auto const* c : chosen) r.where.push_back(c->is);
    for (auto const* c : chosen) r.nearest.push_back(nearest_to(*c, chosen));
    return r;
  }

 private:
  // How hard it is to understand: a value, two values compared, what doubling leads to, a product.
  static constexpr int difficulty_max = 4;
  static int difficulty(candidate const& c) noexcept {
    if (c.is.left.is == kind::product) return difficulty_max;
    if (c.is.left.is == kind::growth) return c.right ? 2 : 3;
    return c.right || c.is.left.is == kind::parity ? 1 : 0;
  }

  // The easiest first, otherwise as they were found. Not std::stable_sort: clang calls what it allocates with
  // deprecated.
  void sort_by_difficulty() {
    std::vector<candidate> sorted;
    for (int d = 0; d <= difficulty_max; ++d)
      std::ranges::copy_if(candidates_, std::back_inserter(sorted),
                           [&](candidate const& c) { return difficulty(c) == d; });
    candidates_ = std::move(sorted);
  }

  [[nodiscard]] std::size_t words() const noexcept { return seen_.held().size() / 64 + 1; }

  [[nodiscard]] bool all_broken_satisfy(candidate const& c) const {
    return std::ranges::all_of(seen_.broken(), [&](example const& e) { return satisfies(c, e); });
  }

  [[nodiscard]] std::vector<std::uint64_t> held_inside(candidate const& c) const {
    std::vector<std::uint64_t> inside(words());
    for (std::size_t i = 0; i < seen_.held().size(); ++i) {
      if (satisfies(c, seen_.held()[i])) inside[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    return inside;
  }

  // Values that every broken example has.
  void add_equal(std::size_t q) {
    auto common = seen_.broken().front().values[q];
    std::erase_if(common, [](value const& v) { return v.is == value::kind::absent; });
    std::ranges::sort(common, {}, &value::n);
    common.erase(std::ranges::unique(common).begin(), common.end());
    for (auto const& e : seen_.broken())
      std::erase_if(common, [&](value const& v) { return std::ranges::count(e.values[q], v) == 0; });
    auto const& of = seen_.quantities()[q];
    if (of.only_grows()) return;
    for (std::size_t i = 0; i < std::min(common.size(), equal_max); ++i)
      candidates_.push_back({{of, relation::equal, common[i], {}}, q});
  }

  // The tightest that hold in every broken example.
  void add_bounds(std::size_t q) {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
    for (auto const& e : seen_.broken()) {
      auto const numbers = numbers_of(e.values[q]);
      if (numbers.empty()) return;
      low = std::min(low, std::ranges::max(numbers));
      high = std::max(high, std::ranges::min(numbers));
    }
    auto const& of = seen_.quantities()[q];
    if (of.is == kind::parity) return;
    auto const number = [&](std::int64_t n) {
      auto const* f = field_of(seen_.shape(), of);
      return f->number(n);
    };
    bool const is_param = of.is == kind::param;
    auto const& r = seen_.takes().params[is_param ? of.one : 0];  // its ends are no bounds
    if (!is_param || low > r.low) candidates_.push_back({{of, relation::above, number(low - 1), {}}, q});
    bool const falls = !of.only_grows() && (!is_param || high < r.high);
    if (falls) candidates_.push_back({{of, relation::below, number(high + 1), {}}, q});
  }

  // Words that no broken example has where a number could be.
  void add_words(std::size_t q) {
    auto const& of = seen_.quantities()[q];
    if (of.is != kind::param) return;
    auto const* f = field_of(seen_.shape(), of);
    for (std::size_t i = 0; i < f->words.size() && f->is != field::kind::set; ++i) {
      candidate c{{of, relation::unequal, value::word(static_cast<std::int64_t>(i)), {}}, q};
      if (all_broken_satisfy(c)) candidates_.push_back(std::move(c));
    }
  }

  [[nodiscard]] bool may_compare(quantity a, quantity b) const {
    auto const& s = seen_.shape();
    if (a.is == kind::attempts && b.is == kind::param) return unit_of(s.params[b.one].name) == "_attempts";
    if (b.is != kind::param || (a.is != kind::param && a.is != kind::growth && a.is != kind::argument)) return false;
    bool const same = a.is != kind::argument && a.one == b.one;
    bool const twice = a.is == kind::param && a.one > b.one;  // base_ms > max_ms says it already
    auto const& f = *field_of(s, a);
    auto const& g = s.params[b.one];
    auto const name = a.is == kind::growth ? s.params[a.one].name : f.name;
    return !same && !twice && f.scale == g.scale && !unit_of(name).empty() && unit_of(name) == unit_of(g.name);
  }

  // The strongest of the relations that every broken example satisfies.
  void add_relation(std::size_t q, std::size_t param) {
    auto const& of = seen_.quantities()[q];
    auto const& with = seen_.quantities()[param];
    for (auto const op : {relation::equal, relation::above, relation::below, relation::at_least, relation::at_most,
                          relation::unequal}) {
      bool const falls = op != relation::above && op != relation::at_least;
      if (of.only_grows() && falls) continue;
      candidate c{{of, op, {}, with.one}, q, param};
      if (!all_broken_satisfy(c)) continue;
      candidates_.push_back(std::move(c));
      return;
    }
  }

  static std::size_t count(std::vector<std::uint64_t> const& a, std::vector<std::uint64_t> const& b) noexcept {
    std::size_t all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) all += static_cast<std::size_t>(std::popcount(a[i] & b[i]));
    return all;
  }

  // Of those that leave nearly as few as the best one, the first: it is soonest understood. `now` is what is left
  // without any.
  [[nodiscard]] std::pair<candidate const*, std::size_t> least(std::vector<std::uint64_t> const& among,
                                                               std::size_t now) const {
    std::size_t fewest = now;
    for (auto const& c : candidates_) fewest = std::min(fewest, count(c.inside, among));
    for (auto const& c : candidates_) {
      auto const left = count(c.inside, among);
      if (left <= fewest + fewest / 32 && 2 * left <= now && left < now) return {&c, left};
    }
    return {nullptr, now};
  }

  [[nodiscard]] std::pair<candidate const*, candidate const*> least_pair(std::size_t now) const {
    std::pair<candidate const*, candidate const*> best{};
    std::size_t fewest = now;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      for (std::size_t k = i + 1; k < candidates_.size(); ++k) {
        auto const left = count(candidates_[i].inside, candidates_[k].inside);
        if (left >= fewest || 4 * left > now) continue;
        fewest = left;
        best = {&candidates_[i], &candidates_[k]};
      }
    }
    return best;
  }

  // Among the held examples that satisfy the others.
  [[nodiscard]] std::optional<std::int64_t> nearest_to(candidate const& c,
                                                       std::vector<candidate const*> const& chosen) const {
    bool const bounds = !c.right && (c.is.op == relation::above || c.is.op == relation::below);
    if (!bounds) return {};
    std::optional<std::int64_t> nearest;
    for (auto const& e : seen_.held()) {
      bool const by_others =
          std::ranges::all_of(chosen, [&](candidate const* other) { return other == &c || satisfies(*other, e); });
      auto const numbers = numbers_of(e.values[c.left]);
      if (!by_others || numbers.empty() || satisfies(c, e)) continue;
      bool const above = c.is.op == relation::above;
      auto const at = above ? std::ranges::max(numbers) : std::ranges::min(numbers);
      if (!nearest || (above ? at > *nearest : at < *nearest)) nearest = at;
    }
    return nearest;
  }

  examples const& seen_;
  std::vector<candidate> candidates_;  // all of which every broken example satisfies
};

}  // namespace

examples::examples(conformance::shape const& s, domain const& takes)
    : shape_(&s), takes_(&takes), quantities_(quantities_of(s, takes)) {}

void examples::add(history h, bool broke) {
  example e{std::move(h), {}};
  e.values.reserve(quantities_.size());
  for (auto const q : quantities_) e.values.push_back(values_of(*shape_, e.tried, q));
  (broke ? broken_ : held_).push_back(std::move(e));
}

region learn(examples const& seen) { return learner(seen).best(); }

}  // namespace backoff::conformance
