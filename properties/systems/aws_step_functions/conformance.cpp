#include "aws_step_functions/page.hpp"
#include "backoff/conformance/aws_step_functions.hpp"
#include "conformance/in_process.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {

using namespace conformance;
namespace page = pages::aws_step_functions;

judgement aws_step_functions::judge(maker const& make, options const& how) {
  auto const& s = aws_step_functions_shape;
  auto const call = [](port& p, step const&, answer& a) {
    auto const delay_s = p.next();
    a[page::reply::status] = observed::word(delay_s ? page::status_word::retry : page::status_word::exhausted);
    if (delay_s) a[page::reply::delay_s] = observed_of(*delay_s);
  };
  auto const play = [&](history const& h) {
    parameters const given{u32(h.params[page::param::interval_s]), u32(h.params[page::param::backoff_rate]),
                           u32(h.params[page::param::max_attempts])};
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
