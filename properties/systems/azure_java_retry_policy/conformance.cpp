#include <algorithm>

#include "backoff/conformance/azure_java_retry_policy.hpp"
#include "conformance/in_process.hpp"
#include "history/systems.hpp"

namespace backoff::systems {

using namespace conformance;

judgement azure_java_retry_policy::judge(maker const& make, options const& how) {
  auto const& s = azure_java_retry_policy_shape;
  bool const shows_consulted = std::ranges::count(how.features, "custom_policy") != 0;
  auto const there = [](value const& v) { return v.is != value::kind::absent; };
  auto const call = [&](port& p, step const& at, answer& a) {
    auto const& args = at.args;
    azure_java_retry_policy::call asked{u32(args[0]), args[1].n != 0, {}, {}, {}, args[5].n != 0, u32(args[6])};
    if (there(args[2])) asked.drawn = drawn(args[2]);
    if (there(args[3])) asked.last = static_cast<error>(args[3].n);
    if (there(args[4])) asked.elapsed_ms = u32(args[4]);
    auto const decided = p.decide(asked);
    a[0] = observed::word(0);
    a[1] = observed::word(decided.retry ? 1 : 0);
    if (decided.retry) a[2] = observed_of(decided.delay_ms);
    if (shows_consulted) a[3] = observed::word(decided.consulted ? 1 : 0);
  };
  auto const play = [&](history const& h) {
    parameters given{static_cast<policy>(h.params[0].n),
                     param_of(s, h, 1),
                     param_of(s, h, 2),
                     param_of(s, h, 3),
                     param_of(s, h, 4),
                     param_of(s, h, 5),
                     {}};
    if (there(h.params[6])) given.total_time_ms = u32(h.params[6]);
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
