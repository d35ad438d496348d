// The histories and domains that tests of histories try.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "histories/every_form_test.hpp"
#include "histories/generate.hpp"
#include "histories/systems.hpp"

namespace backoff::histories {

inline std::vector<history> generated(shape const& s, domain const& takes, std::uint64_t count) {
  std::vector<history> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    random_bits random(1, i);
    all.push_back(generate(s, takes, random));
  }
  return all;
}

inline std::vector<shape const*> shapes_and_every_form() {
  std::vector<shape const*> all(shapes().begin(), shapes().end());
  all.push_back(&every_form::system);
  return all;
}

// What ports can be sent: everything that a system knows, nothing beyond the common protocol, and narrow ranges.
inline std::vector<domain> domains_of(shape const& s) {
  std::vector<domain> all{documented_domain(s, {}), documented_domain(s, {}), documented_domain(s, {})};
  all[1].features = s.features;
  all[2].draws = {backoff::spec::draw_kind::hidden, 1};
  for (auto& d : all) without_missing_words(s, d);
  for (auto const& r : all[0].params) {
    if (r.numbers && r.high - r.low > 10)
      all[2].params[static_cast<std::size_t>(&r - all[0].params.data())].high = r.low + 10;
  }
  return all;
}

// A call of every_form::system whose arguments are lists, sets and objects.
inline step saving(std::initializer_list<value> args) {
  step call{2, 0, {}};
  std::ranges::copy(args, call.args.begin());
  return call;
}

}  // namespace backoff::histories
