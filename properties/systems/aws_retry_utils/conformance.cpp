#include "aws_retry_utils/page.hpp"
#include "backoff/conformance/aws_retry_utils.hpp"
#include "conformance/in_process.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {

using namespace conformance;
namespace page = pages::aws_retry_utils;

judgement aws_retry_utils::judge(maker const& make, options const& how) {
  auto const& s = aws_retry_utils_shape;
  auto const call = [](port& p, step const& at, answer& a) {
    if (at.op == page::call::reset) {
      p.reset(drawn(at.args[page::backoff_args::draw]));
      a[page::reply::status] = observed::word(page::status_word::ok);
    } else {
      auto const slept_s = p.backoff(drawn(at.args[page::backoff_args::draw]));
      a[page::reply::status] = observed::word(slept_s ? page::status_word::retry : page::status_word::exhausted);
      if (slept_s) a[page::reply::slept_s] = observed_of(*slept_s);
    }
    if (auto const shown = p.fields()) {
      a[page::reply::attempts_done] = observed_of(shown->attempts_done);
      a[page::reply::next_jitter_max] = observed_of(shown->next_jitter_max);
    }
  };
  auto const play = [&](history const& h) {
    parameters const given{u32(h.params[page::param::initial_backoff_s]), u32(h.params[page::param::max_backoff_s]),
                           u32(h.params[page::param::max_jitter_s]), u32(h.params[page::param::max_attempts])};
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
