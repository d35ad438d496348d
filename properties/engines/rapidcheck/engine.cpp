#include "engines/rapidcheck/engine.hpp"

#include <rapidcheck.h>

#include "histories/generate.hpp"
#include "histories/json.hpp"
#include "histories/shrink.hpp"

namespace backoff::engines::rapidcheck {
namespace {

// Without RapidCheck's own shrinking, which would take values that hold each other at a distance in turns.
rc::Gen<history> histories(shape const& s, domain const& takes) {
  return [&s, &takes](rc::Random const& random, int) {
    random_bits bits(rc::Random(random).next());
    return rc::shrinkable::just(generate(s, takes, bits));
  };
}

}  // namespace

std::optional<falsified> falsify(judged_system const& system, subject& port, unsigned claim, spec::cube assignment,
                                 search how) {
  auto const& s = system.shape();
  auto const& takes = port.describes().takes;
  auto const text = system.claims()[claim];
  auto const breaks = [&](history const& h) {
    auto const results = port.run(std::span(&h, 1));
    auto const report = system.broken_claims(h, results.front().answers, takes.draws, assignment);
    return ((report.broken >> claim) & 1U) != 0;
  };
  std::optional<history> found;  // RapidCheck keeps counterexamples as text only
  auto const property = [&] {
    auto const h = *histories(s, takes).as(std::string(text.name));
    if (!breaks(h)) return;
    found = h;
    RC_FAIL("broken");
  };
  rc::detail::TestParams params;
  params.seed = how.seed;
  params.maxSuccess = how.histories;
  rc::detail::TestMetadata metadata;
  metadata.id = text.name;
  static_cast<void>(rc::detail::checkTestable(property, metadata, params));
  if (!found) return std::nullopt;
  auto const smallest = shrink(s, takes, *found, [&](std::vector<history> const& smaller) {
    std::vector<bool> fails;
    fails.reserve(smaller.size());
    for (auto const& candidate : smaller) fails.push_back(breaks(candidate));
    return fails;
  });
  history_set const set{&s, {smallest}};
  return falsified{smallest, std::string(text.name) + ": " + std::string(text.sentence) + "\n" + to_json(set) +
                                 "\nbackoff-oracle replay " + to_token(set) + " -- PORT"};
}

}  // namespace backoff::engines::rapidcheck
