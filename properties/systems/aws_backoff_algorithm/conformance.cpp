#include "backoff/conformance/aws_backoff_algorithm.hpp"
#include "conformance/in_process.hpp"
#include "history/systems.hpp"

namespace backoff::systems {

using namespace conformance;

judgement aws_backoff_algorithm::judge(maker const& make, options const& how) {
  auto const& s = aws_backoff_algorithm_shape;
  auto const call = [](port& p, step const& at, answer& a) {
    if (at.op == 1) {
      p.reset();
      a[0] = observed::word(2);
      return;
    }
    auto const delay_ms = p.next(drawn(at.args[0]));
    a[0] = observed::word(delay_ms ? 0 : 1);
    if (delay_ms) a[1] = observed_of(*delay_ms);
  };
  auto const play = [&](history const& h) {
    bool const forever = h.params[2].is == value::kind::keyword;
    parameters const given{u32(h.params[0]), u32(h.params[1]),
                           forever ? std::nullopt : std::optional(u32(h.params[2]))};
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
