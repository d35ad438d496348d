#include "backoff/conformance/aws_retry_utils.hpp"
#include "conformance/in_process.hpp"
#include "history/systems.hpp"

namespace backoff::systems {

using namespace conformance;

judgement aws_retry_utils::judge(maker const& make, options const& how) {
  auto const& s = aws_retry_utils_shape;
  auto const call = [](port& p, step const& at, answer& a) {
    if (at.op == 1) {
      p.reset(drawn(at.args[0]));
      a[0] = observed::word(2);
    } else {
      auto const slept_s = p.backoff(drawn(at.args[0]));
      a[0] = observed::word(slept_s ? 0 : 1);
      if (slept_s) a[1] = observed_of(*slept_s);
    }
    if (auto const shown = p.fields()) {
      a[2] = observed_of(shown->attempts_done);
      a[3] = observed_of(shown->next_jitter_max);
    }
  };
  auto const play = [&](history const& h) {
    parameters const given{u32(h.params[0]), u32(h.params[1]), u32(h.params[2]), u32(h.params[3])};
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
