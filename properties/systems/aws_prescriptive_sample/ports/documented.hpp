// The sample loop in plain steps, with every step replaceable: what right ports are made of. Shares nothing with
// the library or the model.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "histories/history.hpp"

namespace backoff::systems::reference_loop {

using number = std::int64_t;

constexpr number delay_ms_max = 0x7fff'ffff;

struct loop {
  number limit = 0;
  number n = 0;  // requests that another one followed
};

// (2^n − 1) · 100, cut where it is far beyond every limit.
inline number hundreds(number n) { return n < 40 ? ((number{1} << n) - 1) * 100 : number{1} << 50; }

// The loop as documented; a port replaces what it does differently.
struct as_documented {
  static observed delay(loop const& l) {
    return observed::of(hundreds(l.n) > delay_ms_max ? delay_ms_max : hundreds(l.n));
  }
  static bool fails(loop const&) { return false; }
  static bool retries(number http_status) { return http_status == 429 || http_status == 504; }
  static bool allows_another(loop const& l) { return l.n + 1 < l.limit; }
};

template <class P>
std::vector<answer> run(history const& h) {
  std::array<loop, instances_max> instances;
  instances.fill({h.params[0].n});
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    loop& l = instances[step.on];
    if (P::fails(l)) {
      answers.push_back({observed::word(1)});
      return answers;
    }
    bool const again = P::retries(step.args[0].n) && P::allows_another(l);
    answers.push_back({observed::word(0), P::delay(l), observed::word(again ? 1 : 0)});
    ++l.n;
  }
  return answers;
}

}  // namespace backoff::systems::reference_loop
