#include "explain/region.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

namespace backoff::explain {
namespace {

using kind = quantity_kind;
using relation = constraint::relation;
using example = examples::example;

constexpr std::size_t told_min = 8;   // a second constraint excludes at least so many held examples
constexpr std::size_t equal_max = 4;  // values of one argument that all broken examples have in common

// The suffix that names the unit: base_ms and max_ms have the same.
std::string_view unit_of(std::string_view name) {
  auto const at = name.rfind('_');
  return at == std::string_view::npos ? std::string_view{} : name.substr(at);
}

// A constraint, and where to find what it speaks of in an example.
struct candidate {
  constraint condition;
  std::size_t left;
  std::optional<std::size_t> right{};
  std::vector<std::uint64_t> inside{};  // held examples that satisfy it, a bit each
};

bool compare(relation op, std::int64_t a, std::int64_t b) {
  constexpr std::array<bool (*)(std::int64_t, std::int64_t), 6> by{
      [](std::int64_t x, std::int64_t y) { return x == y; }, [](std::int64_t x, std::int64_t y) { return x != y; },
      [](std::int64_t x, std::int64_t y) { return x < y; },  [](std::int64_t x, std::int64_t y) { return x <= y; },
      [](std::int64_t x, std::int64_t y) { return x > y; },  [](std::int64_t x, std::int64_t y) { return x >= y; }};
  return by[static_cast<std::size_t>(op)](a, b);
}

// The same as `matches`, on the values that the example holds.
bool satisfies(candidate const& c, example const& e) {
  auto const with = c.right ? e.values[*c.right].front() : c.condition.with;
  return std::ranges::any_of(e.values[c.left], [&](value const& v) {
    if (v.kind == value_kind::absent || with.kind == value_kind::absent) return false;
    if (is_number(v) && is_number(with)) return compare(c.condition.op, v.n, with.n);
    if (c.right) return false;
    return c.condition.op == relation::equal ? v == with : c.condition.op == relation::unequal && v != with;
  });
}

std::vector<std::int64_t> numbers_of(std::vector<value> const& values) {
  std::vector<std::int64_t> all;
  for (auto const& v : values) {
    if (is_number(v)) all.push_back(v.n);
  }
  return all;
}

using examples_of_a_part = std::vector<example const*>;

examples_of_a_part all_of(std::vector<example> const& from) {
  examples_of_a_part all;
  for (auto const& e : from) all.push_back(&e);
  return all;
}

bool may_compare(shape const& s, quantity a, quantity b) {
  if (a.kind == kind::attempts && b.kind == kind::param) return unit_of(s.params[b.one].name) == "_attempts";
  if (b.kind != kind::param || (a.kind != kind::param && a.kind != kind::growth && a.kind != kind::argument))
    return false;
  bool const same = a.kind != kind::argument && a.one == b.one;
  bool const twice = a.kind == kind::param && a.one > b.one;  // base_ms > max_ms says it already
  auto const& f = *field_of(s, a);
  auto const& g = s.params[b.one];
  auto const name = a.kind == kind::growth ? s.params[a.one].name : f.name;
  return !same && !twice && f.scale == g.scale && !unit_of(name).empty() && unit_of(name) == unit_of(g.name);
}

class learner {
 public:
  learner(examples const& seen, examples_of_a_part const& broken) : seen_(seen), broken_(broken) {
    auto const& all = seen.quantities();
    for (std::size_t q = 0; q < all.size(); ++q) {
      add_equal(q);
      add_bounds(q);
      add_words(q);
    }
    for (std::size_t q = 0; q < all.size(); ++q) {
      for (std::size_t param = 0; param < all.size(); ++param) {
        if (may_compare(seen.shape(), all[q], all[param])) add_relation(q, param);
      }
    }
    sort_by_difficulty();
    for (auto& c : candidates_) c.inside = held_inside(c);
  }

  // At most two constraints.
  [[nodiscard]] std::vector<candidate const*> best() const {
    std::vector<std::uint64_t> const everything(words(), ~std::uint64_t{0});
    std::size_t const all = seen_.held().size();
    std::vector<candidate const*> chosen;
    auto const one = least(everything, all);
    if (one.first != nullptr) chosen = {one.first};
    if (auto const two = least_pair(one.second); two.first != nullptr) chosen = {two.first, two.second};
    return chosen;
  }

  [[nodiscard]] region as_region(std::vector<candidate const*> const& chosen) const {
    region r;
    for (auto const* c : chosen) r.where.push_back(c->condition);
    for (auto const* c : chosen) r.nearest.push_back(nearest_to(*c, chosen));
    return r;
  }

 private:
  // How hard it is to understand: a value, two values compared, what doubling leads to, a product.
  static constexpr int difficulty_max = 4;
  static int difficulty(candidate const& c) noexcept {
    if (c.condition.left.kind == kind::product) return difficulty_max;
    if (c.condition.left.kind == kind::growth) return c.right ? 2 : 3;
    return c.right || c.condition.left.kind == kind::parity ? 1 : 0;
  }

  // The easiest first, otherwise in the order found. Not std::stable_sort: clang warns that it calls a deprecated
  // allocation function.
  void sort_by_difficulty() {
    std::vector<candidate> sorted;
    for (int d = 0; d <= difficulty_max; ++d)
      std::ranges::copy_if(candidates_, std::back_inserter(sorted),
                           [&](candidate const& c) { return difficulty(c) == d; });
    candidates_ = std::move(sorted);
  }

  [[nodiscard]] std::size_t words() const noexcept { return seen_.held().size() / 64 + 1; }

  [[nodiscard]] bool all_broken_satisfy(candidate const& c) const {
    return std::ranges::all_of(broken_, [&](example const* e) { return satisfies(c, *e); });
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
    auto common = broken_.front()->values[q];
    std::erase_if(common, [](value const& v) { return v.kind == value_kind::absent; });
    std::ranges::sort(common, {}, &value::n);
    common.erase(std::ranges::unique(common).begin(), common.end());
    for (auto const* e : broken_)
      std::erase_if(common, [&](value const& v) { return std::ranges::count(e->values[q], v) == 0; });
    auto const& of = seen_.quantities()[q];
    if (of.only_grows()) return;
    for (std::size_t i = 0; i < std::min(common.size(), equal_max); ++i)
      candidates_.push_back({{of, relation::equal, common[i], {}}, q});
  }

  // The tightest bounds that hold in every broken example.
  void add_bounds(std::size_t q) {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
    for (auto const* e : broken_) {
      auto const numbers = numbers_of(e->values[q]);
      if (numbers.empty()) return;
      low = std::min(low, std::ranges::max(numbers));
      high = std::max(high, std::ranges::min(numbers));
    }
    auto const& of = seen_.quantities()[q];
    if (of.kind == kind::parity) return;
    auto const number = [&](std::int64_t n) {
      auto const* f = field_of(seen_.shape(), of);
      return f->number(n);
    };
    using all = std::numeric_limits<std::int64_t>;  // the ends of a range are no bounds
    bool const is_param = of.kind == kind::param;
    auto const& r = seen_.takes().params[is_param ? of.one : 0];
    if (low > (is_param ? r.low : all::min())) candidates_.push_back({{of, relation::above, number(low - 1), {}}, q});
    bool const falls = !of.only_grows() && high < (is_param ? r.high : all::max());
    if (falls) candidates_.push_back({{of, relation::below, number(high + 1), {}}, q});
  }

  // Words that the parameter may have, and has in no broken example.
  void add_words(std::size_t q) {
    auto const& of = seen_.quantities()[q];
    if (of.kind != kind::param) return;
    auto const* f = field_of(seen_.shape(), of);
    for (std::size_t i = 0; i < f->words.size() && f->kind != field_kind::set; ++i) {
      candidate c{{of, relation::unequal, value::word(static_cast<std::int64_t>(i)), {}}, q};
      if (all_broken_satisfy(c)) candidates_.push_back(std::move(c));
    }
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

  // Of the candidates that leave nearly as few held examples as the best one, the first: it is the easiest to
  // understand. `now` is how many are left without any.
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
        if (left >= fewest || 4 * left > now || now - left < told_min) continue;
        fewest = left;
        best = {&candidates_[i], &candidates_[k]};
      }
    }
    return best;
  }

  // The number nearest to the bound, among the held examples beyond it that satisfy the other constraints.
  [[nodiscard]] std::optional<std::int64_t> nearest_to(candidate const& c,
                                                       std::vector<candidate const*> const& chosen) const {
    bool const bounds = !c.right && (c.condition.op == relation::above || c.condition.op == relation::below);
    if (!bounds) return {};
    std::optional<std::int64_t> nearest;
    for (auto const& e : seen_.held()) {
      bool const by_others =
          std::ranges::all_of(chosen, [&](candidate const* other) { return other == &c || satisfies(*other, e); });
      auto const numbers = numbers_of(e.values[c.left]);
      if (!by_others || numbers.empty() || satisfies(c, e)) continue;
      bool const above = c.condition.op == relation::above;
      auto const at = above ? std::ranges::max(numbers) : std::ranges::min(numbers);
      if (!nearest || (above ? at > *nearest : at < *nearest)) nearest = at;
    }
    return nearest;
  }

  examples const& seen_;
  examples_of_a_part const& broken_;
  std::vector<candidate> candidates_;  // all of which every broken example satisfies
};

// --- several faults ---

constexpr std::size_t parts_max = 3;
constexpr std::size_t sampled_max = 1'024;  // examples of each kind among which a pure part is looked for
constexpr std::size_t first_max = 16;       // first constraints for which a second one is looked for

// Broken examples and the region that is learnt from them.
struct part {
  part(examples const& seen, examples_of_a_part from) : broken(std::move(from)) {
    learner const from_these(seen, broken);
    auto const best = from_these.best();
    for (auto const* c : best) by.push_back(*c);
    learnt = from_these.as_region(best);
  }
  [[nodiscard]] bool has(example const& e) const {
    return std::ranges::all_of(by, [&](candidate const& c) { return satisfies(c, e); });
  }

  examples_of_a_part broken;
  std::vector<candidate> by;
  region learnt;
};

std::size_t held_in(examples const& seen, std::vector<part> const& parts) {
  return static_cast<std::size_t>(std::ranges::count_if(seen.held(), [&](example const& e) {
    return std::ranges::any_of(parts, [&](part const& p) { return p.has(e); });
  }));
}

// Whether at most one in thirty-two of these examples is held. A few may be: with some draws, a wrong formula gives the
// right answer.
constexpr bool is_pure(std::size_t broke, std::size_t held) noexcept { return 32 * held <= broke + held; }

// Looks for constraints that many broken examples satisfy, and nearly no held example.
class pure_finder {
 public:
  pure_finder(examples const& seen, std::size_t enough) : seen_(seen), enough_(enough) {}

  // The constraints, at most two, of the largest pure part; none: there is no pure part that is large enough.
  [[nodiscard]] std::vector<candidate> largest(examples_of_a_part const& broken) const {
    sides const all{sampled(broken), sampled(all_of(seen_.held()))};
    auto const enough = std::max<std::size_t>(1, enough_ * all.broke.size() / broken.size());
    std::vector<counted> first;
    auto best = best_of(all, enough, &first);
    std::vector<candidate> by;
    if (best) by = {best->of};
    for (auto const& c : first) {
      auto const second = best_of(all.where(c.of), enough, nullptr);
      if (!second || (best && 8 * second->broke <= 9 * best->broke)) continue;
      best = second;
      by = {c.of, second->of};
    }
    return by;
  }

 private:
  struct sides {
    examples_of_a_part broke;
    examples_of_a_part held;
    [[nodiscard]] sides where(candidate const& c) const {
      sides some;
      auto const inside = [&](example const* e) { return satisfies(c, *e); };
      std::ranges::copy_if(broke, std::back_inserter(some.broke), inside);
      std::ranges::copy_if(held, std::back_inserter(some.held), inside);
      return some;
    }
  };
  struct counted {
    candidate of;
    std::size_t broke;
    std::size_t held;
  };

  static examples_of_a_part sampled(examples_of_a_part const& all) {
    examples_of_a_part some;
    for (std::size_t i = 0; i < all.size(); i += all.size() / sampled_max + 1) some.push_back(all[i]);
    return some;
  }

  // The constraint of the largest pure part. `impure`: takes the constraints of parts that are not pure, but purer than
  // all examples together.
  [[nodiscard]] std::optional<counted> best_of(sides const& all, std::size_t enough,
                                               std::vector<counted>* impure) const {
    std::optional<counted> best;
    auto const take = [&](candidate c, std::size_t broke, std::size_t held) {
      if (broke < enough) return;
      if (is_pure(broke, held)) {
        if (!best || broke > best->broke) best = {std::move(c), broke, held};
      } else if (impure != nullptr && held * all.broke.size() < broke * all.held.size()) {
        impure->push_back({std::move(c), broke, held});
      }
    };
    auto const count = [&](candidate c) {
      auto const inside = [&](example const* e) { return satisfies(c, *e); };
      auto const broke = static_cast<std::size_t>(std::ranges::count_if(all.broke, inside));
      if (broke < enough) return;
      auto const held = static_cast<std::size_t>(std::ranges::count_if(all.held, inside));
      take(std::move(c), broke, held);
    };
    auto const& quantities = seen_.quantities();
    for (std::size_t q = 0; q < quantities.size(); ++q) {
      each_value(q, all, enough, count);
      for (bool const above : {true, false}) bound(q, above, all, take);
      for (std::size_t param = 0; param < quantities.size(); ++param) {
        if (!may_compare(seen_.shape(), quantities[q], quantities[param])) continue;
        for (auto const op : {relation::equal, relation::above, relation::at_least, relation::below, relation::at_most})
          count({{quantities[q], op, {}, quantities[param].one}, q, param});
      }
    }
    if (impure != nullptr) {
      std::ranges::sort(*impure, std::ranges::greater{},
                        [](counted const& c) { return c.broke - std::min(c.broke, c.held); });
      if (impure->size() > first_max) impure->resize(first_max);
    }
    return best;
  }

  // Values that enough broken examples have.
  template <class Count>
  void each_value(std::size_t q, sides const& all, std::size_t enough, Count count) const {
    auto const& of = seen_.quantities()[q];
    if (of.only_grows()) return;
    std::vector<value> seen;
    for (auto const* e : all.broke)
      std::ranges::copy_if(e->values[q], std::back_inserter(seen),
                           [](value const& v) { return v.kind != value_kind::absent; });
    std::ranges::sort(seen, {}, [](value const& v) { return std::pair(v.kind, v.n); });
    for (auto at = seen.begin(); at != seen.end();) {
      auto const end = std::find_if(at, seen.end(), [&](value const& v) { return v != *at; });
      if (static_cast<std::size_t>(end - at) >= enough) count({{of, relation::equal, *at, {}}, q});
      at = end;
    }
  }

  // Of the bounds on whose broken side nearly no example is held, the one with the most broken examples.
  template <class Take>
  void bound(std::size_t q, bool above, sides const& all, Take take) const {
    auto const& of = seen_.quantities()[q];
    if (of.kind == kind::parity || (of.only_grows() && !above)) return;
    std::vector<std::pair<std::int64_t, bool>> numbers;
    auto const add = [&](example const* e, bool broke) {
      auto const some = numbers_of(e->values[q]);
      if (!some.empty()) numbers.emplace_back(above ? std::ranges::max(some) : std::ranges::min(some), broke);
    };
    for (auto const* e : all.broke) add(e, true);
    for (auto const* e : all.held) add(e, false);
    std::ranges::sort(numbers);
    if (above) std::ranges::reverse(numbers);
    std::size_t broke = 0;
    std::size_t held = 0;
    std::optional<counted> last;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ++(numbers[i].second ? broke : held);
      bool const ends = i + 1 == numbers.size() || numbers[i + 1].first != numbers[i].first;
      if (!ends || !numbers[i].second || !is_pure(broke, held)) continue;
      auto const* f = field_of(seen_.shape(), of);
      auto const last_inside = numbers[i].first;
      if (last_inside == (above ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max()))
        continue;
      auto const n = above ? last_inside - 1 : last_inside + 1;
      last = {{{of, above ? relation::above : relation::below, f->number(n), {}}, q}, broke, held};
    }
    if (last) take(std::move(last->of), last->broke, last->held);
  }

  examples const& seen_;
  std::size_t enough_;
};

// Pure parts one after the other, and what is left.
std::vector<part> pure_parts(examples const& seen, std::size_t enough) {
  std::vector<part> parts;
  auto left = all_of(seen.broken());
  pure_finder const finder(seen, enough);
  while (parts.size() + 1 < parts_max && left.size() >= 2 * enough) {
    auto const by = finder.largest(left);
    if (by.empty()) break;
    examples_of_a_part pure;
    std::ranges::copy_if(left, std::back_inserter(pure), [&](example const* e) {
      return std::ranges::all_of(by, [&](candidate const& c) { return satisfies(c, *e); });
    });
    parts.emplace_back(seen, std::move(pure));
    // The learnt region may be wider than the pure constraints: all broken examples in it belong to the part.
    auto& last = parts.back();
    last.broken.clear();
    std::ranges::copy_if(left, std::back_inserter(last.broken), [&](example const* e) { return last.has(*e); });
    std::erase_if(left, [&](example const* e) { return last.has(*e); });
  }
  if (!left.empty()) parts.emplace_back(seen, std::move(left));
  return parts;
}

// Whether two regions speak of the same thing: they have a constraint in common, or each requires one value of the same
// quantity.
bool are_alike(part const& a, part const& b) {
  return std::ranges::any_of(a.by, [&](candidate const& c) {
    return std::ranges::any_of(b.by, [&](candidate const& d) {
      bool const values = c.condition.op == relation::equal && d.condition.op == relation::equal &&
                          c.condition.left == d.condition.left;
      return c.condition == d.condition || values;
    });
  });
}

// Merges two parts if one region describes both nearly as well, or if their regions speak of the same thing.
void merge(examples const& seen, std::vector<part>& parts) {
  auto const held = held_in(seen, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t k = i + 1; k < parts.size(); ++k) {
      auto broken = parts[i].broken;
      broken.insert(broken.end(), parts[k].broken.begin(), parts[k].broken.end());
      auto fewer = parts;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      fewer[i] = part(seen, std::move(broken));
      if (4 * held_in(seen, fewer) > 5 * held + 16 && !are_alike(parts[i], parts[k])) continue;
      parts = std::move(fewer);
      return merge(seen, parts);
    }
  }
}

bool has_its_own(std::vector<part> const& parts, std::size_t k, std::size_t enough) {
  auto const& mine = parts[k].broken;
  auto const own = std::ranges::count_if(mine, [&](example const* e) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i != k && parts[i].has(*e)) return false;
    }
    return true;
  });
  return static_cast<std::size_t>(own) >= enough;
}

}  // namespace

examples::examples(histories::shape const& s, domain const& takes)
    : shape_(&s), takes_(&takes), quantities_(quantities_of(s, takes)) {}

void examples::add(history h, bool broke) {
  example e{std::move(h), {}};
  e.values.reserve(quantities_.size());
  for (auto const q : quantities_) e.values.push_back(values_of(*shape_, e.tried, q));
  (broke ? broken_ : held_).push_back(std::move(e));
}

std::vector<history> examples::take_held_in(std::vector<region> const& regions) {
  std::vector<history> taken;
  std::erase_if(held_, [&](example& e) {
    if (std::ranges::none_of(regions, [&](region const& r) { return matches(*shape_, r.where, e.tried); }))
      return false;
    taken.push_back(std::move(e.tried));
    return true;
  });
  return taken;
}

region learn(examples const& seen) { return part(seen, all_of(seen.broken())).learnt; }

std::vector<region> learn_parts(examples const& seen) {
  constexpr std::size_t held_min = 32;
  std::vector<part> parts;
  parts.emplace_back(seen, all_of(seen.broken()));
  auto const whole = parts.front().learnt;
  auto const held = held_in(seen, parts);
  if (held < held_min || is_pure(seen.broken().size(), held)) return {whole};
  std::size_t const enough = std::max<std::size_t>(8, seen.broken().size() / 50);
  parts = pure_parts(seen, enough);
  merge(seen, parts);
  if (4 * held_in(seen, parts) > held) return {whole};
  std::vector<region> regions;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!has_its_own(parts, k, enough)) return {whole};
    regions.push_back(parts[k].learnt);
  }
  return regions;
}

}  // namespace backoff::explain
