#include "engines/rapidcheck/engine.hpp"

#include <rapidcheck.h>

#include "history/generate.hpp"
#include "history/json.hpp"
#include "history/shrink.hpp"

namespace backoff::conformance {
namespace {

// All neighbours at once: RapidCheck walks them in order and starts again from the first that still fails.
rc::Seq<history> neighbours(shape const& s, domain const& takes, history const& h) {
  auto all = uniform_values(s, takes, h);
  for (auto&& more : {smaller_steps(h), simpler_values(s, takes, h)}) all.insert(all.end(), more.begin(), more.end());
  return rc::seq::fromContainer(only_allowed(s, h, std::move(all)));
}

rc::Gen<history> histories(shape const& s, domain const& takes) {
  return [&s, &takes](rc::Random const& random, int) {
    random_bits bits(rc::Random(random).next());
    return rc::shrinkable::shrinkRecur(generate(s, takes, bits),
                                       [&s, &takes](history const& h) { return neighbours(s, takes, h); });
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
  std::optional<history> last;  // RapidCheck keeps counterexamples as text only; the last failing one is the smallest
  auto const property = [&] {
    auto const h = *histories(s, takes).as(std::string(text.name));
    if (!breaks(h)) return;
    last = h;
    RC_FAIL("broken");
  };
  rc::detail::TestParams params;
  params.seed = how.seed;
  params.maxSuccess = how.histories;
  rc::detail::TestMetadata metadata;
  metadata.id = text.name;
  static_cast<void>(rc::detail::checkTestable(property, metadata, params));
  if (!last) return std::nullopt;
  history_set const set{&s, {*last}};
  return falsified{*last, std::string(text.name) + ": " + std::string(text.sentence) + "\n" + to_json(set) +
                              "\nbackoff-oracle replay " + to_token(set) + " -- PORT"};
}

}  // namespace backoff::conformance
