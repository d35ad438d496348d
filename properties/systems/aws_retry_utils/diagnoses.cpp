// What is probably wrong in a port of the Retry Utilities: min(2^n · (initial_backoff_s + jitter), max_backoff_s),
// where each reset draws a jitter.
#include <optional>

#include "explain/full_jitter.hpp"

namespace backoff::conformance {
namespace {

using namespace diagnoses;

// The base of a cycle, made of the initial back-off and of a jitter: that of its reset, or of the instance's first.
struct parts {
  number initial;
  number jitter;
  number first_jitter;
};
constexpr auto added = [](parts const& p) { return p.initial + p.jitter; };
constexpr auto initial_alone = [](parts const& p) { return p.initial; };
constexpr auto jitter_alone = [](parts const& p) { return p.jitter; };
constexpr auto multiplied = [](parts const& p) { return times(p.initial, 1 + p.jitter); };
constexpr auto larger = [](parts const& p) { return std::max(p.initial, p.jitter); };
constexpr auto with_the_first_jitter = [](parts const& p) { return p.initial + p.first_jitter; };

template <class P, auto base_of>
std::vector<answer> from_answers(std::vector<answer> all, history const& h, documented& document) {
  auto const initial = h.params[0].n;
  std::array<std::optional<number>, instances_max> first_jitters;
  return with_delays<P>(std::move(all), h, document, initial, h.params[1].n, [&](step const& reset, cycle& c) {
    auto const drawn = document.jitter_of_reset(static_cast<std::uint64_t>(reset.args[0].n), h.params[2].n);
    auto const jitter = static_cast<number>(of(drawn));
    auto& first = first_jitters[reset.on];
    if (!first) first = jitter;
    c.base = base_of(parts{initial, jitter, *first});
  });
}
template <class P, auto base_of = added>
std::vector<answer> of_calls(history const& h, documented& document) {
  return from_answers<P, base_of>(document.answers(h), h, document);
}

struct of_this_system {
  template <class P>
  static std::vector<answer> answers(history const& h, documented& document) {
    return of_calls<P>(h, document);
  }
  template <class P>
  static std::vector<answer> counting_on(history const& h, documented& document) {
    return from_answers<P, added>(without_resets(h, document), h, document);
  }
};

// The jitter is added whenever the window doubles.
struct jitter_at_each_doubling : as_documented {
  static number window(retry const& p) {
    auto const jitter = p.base - p.initial;
    return std::min(doubled(p.base + jitter, p.n) - jitter, p.cap);
  }
};

std::vector<answer> without_a_retry_for_0(history const& h, documented& document) {
  auto all = document.answers(h);
  if (h.params[3].n != 0) return all;
  auto const exhausted = *says_exhausted(document.shape());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (h.steps[i].op == 0) all[i] = exhausted;
  }
  return all;
}

}  // namespace

std::vector<diagnosis> aws_retry_utils_diagnoses() {
  auto all = full_jitter_diagnoses<of_this_system>();
  auto const add = [&](char const* name, char const* sentence, auto answers) {
    all.push_back({name, sentence, answers});
  };
  add("no-base-jitter", "adds no jitter to the initial back-off", of_calls<as_documented, initial_alone>);
  add("jitter-alone", "begins with the jitter alone and leaves the initial back-off out",
      of_calls<as_documented, jitter_alone>);
  add("jitter-multiplies", "multiplies the initial back-off by 1 + jitter", of_calls<as_documented, multiplied>);
  add("larger-of-both", "begins with the larger of the initial back-off and the jitter",
      of_calls<as_documented, larger>);
  add("jitter-is-kept", "keeps the jitter of the first reset", of_calls<as_documented, with_the_first_jitter>);
  add("jitter-at-each-doubling", "adds the jitter whenever the window doubles", of_calls<jitter_at_each_doubling>);
  add("linear", "adds the initial back-off for each retry in place of doubling", of_calls<adds_the_initial>);
  add("draws-from-the-initial", "draws from the initial back-off to the window", of_calls<from_the_initial>);
  add("0-is-a-limit", "grants no retry where max_attempts is 0", without_a_retry_for_0);
  return all;
}

}  // namespace backoff::conformance
