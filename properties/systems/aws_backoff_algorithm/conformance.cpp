#include "aws_backoff_algorithm/page.hpp"
#include "backoff/conformance/aws_backoff_algorithm.hpp"
#include "conformance/in_process.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {

using namespace conformance;
namespace page = pages::aws_backoff_algorithm;

judgement aws_backoff_algorithm::judge(maker const& make, options const& how) {
  auto const& s = aws_backoff_algorithm_shape;
  auto const call = [](port& p, step const& at, answer& a) {
    if (at.op == page::call::reset) {
      p.reset();
      a[page::reply::status] = observed::word(page::status_word::ok);
      return;
    }
    auto const delay_ms = p.next(drawn(at.args[page::next_args::draw]));
    a[page::reply::status] = observed::word(delay_ms ? page::status_word::retry : page::status_word::exhausted);
    if (delay_ms) a[page::reply::delay_ms] = observed_of(*delay_ms);
  };
  auto const play = [&](history const& h) {
    bool const forever = h.params[page::param::max_attempts].kind == value_kind::keyword;
    parameters const given{u32(h.params[page::param::base_ms]), u32(h.params[page::param::max_ms]),
                           forever ? std::nullopt : std::optional(u32(h.params[page::param::max_attempts]))};
    return play_on(s, h, [&](std::size_t) { return make(given); }, call);
  };
  return judge_in_process(s, play, how);
}

}  // namespace backoff::systems
