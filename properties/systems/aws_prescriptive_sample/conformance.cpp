#include "aws_prescriptive_sample/page.hpp"
#include "backoff/conformance/aws_prescriptive_sample.hpp"
#include "conformance/in_process.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {

using namespace conformance;
namespace page = pages::aws_prescriptive_sample;

judgement aws_prescriptive_sample::judge(maker const& make, options const& how) {
  auto const& s = aws_prescriptive_sample_shape;
  auto const call = [](port& p, step const& at, answer& a) {
    auto const done = p.attempt(static_cast<int>(at.args[page::attempt_args::http_status].n));
    a = {observed::word(page::status_word::answered), observed_of(done.delay_ms), observed::word(done.retry ? 1 : 0)};
  };
  auto const play = [&](history const& h) {
    parameters const given{static_cast<std::int32_t>(h.params[page::param::max_retries].n)};
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
