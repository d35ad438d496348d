#include "backoff/conformance/aws_step_functions.hpp"
#include "conformance/in_process.hpp"
#include "history/systems.hpp"

namespace backoff::systems {

using namespace conformance;

judgement aws_step_functions::judge(maker const& make, options const& how) {
  auto const& s = aws_step_functions_shape;
  auto const call = [](port& p, step const&, answer& a) {
    auto const delay_s = p.next();
    a[0] = observed::word(delay_s ? 0 : 1);
    if (delay_s) a[1] = observed_of(*delay_s);
  };
  auto const play = [&](history const& h) {
    parameters const given{u32(h.params[0]), u32(h.params[1]), u32(h.params[2])};
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
