#include <algorithm>

#include "azure_java_retry_policy/page.hpp"
#include "backoff/conformance/azure_java_retry_policy.hpp"
#include "conformance/in_process.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {

using namespace conformance;
namespace page = pages::azure_java_retry_policy;

judgement azure_java_retry_policy::judge(maker const& make, options const& how) {
  auto const& s = azure_java_retry_policy_shape;
  bool const shows_consulted = std::ranges::count(how.features, "custom_policy") != 0;
  auto const there = [](value const& v) { return v.kind != value_kind::absent; };
  auto const call = [&](port& p, step const& at, answer& a) {
    auto const& args = at.args;
    azure_java_retry_policy::call asked{
        u32(args[page::decide_args::retry_count]),    args[page::decide_args::retryable].n != 0,    {}, {}, {},
        args[page::decide_args::custom_retry].n != 0, u32(args[page::decide_args::custom_delay_ms])};
    if (there(args[page::decide_args::draw])) asked.drawn = drawn(args[page::decide_args::draw]);
    if (there(args[page::decide_args::error])) asked.last = static_cast<error>(args[page::decide_args::error].n);
    if (there(args[page::decide_args::elapsed_ms])) asked.elapsed_ms = u32(args[page::decide_args::elapsed_ms]);
    auto const decided = p.decide(asked);
    a[page::reply::status] = observed::word(page::status_word::answered);
    a[page::reply::retry] = observed::word(decided.retry ? 1 : 0);
    if (decided.retry) a[page::reply::delay_ms] = observed_of(decided.delay_ms);
    if (shows_consulted) a[page::reply::consulted] = observed::word(decided.consulted ? 1 : 0);
  };
  auto const play = [&](history const& h) {
    parameters given{static_cast<policy>(h.params[page::param::policy].n),
                     param_of(s, h, 1),
                     param_of(s, h, 2),
                     param_of(s, h, 3),
                     param_of(s, h, 4),
                     param_of(s, h, 5),
                     {}};
    if (there(h.params[page::param::total_time_ms])) given.total_time_ms = u32(h.params[page::param::total_time_ms]);
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
