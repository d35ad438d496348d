// The Java policies, wrong from some attempt on. They remember nothing: the attempt is the retry count, and the delay
// before is that of the count before, by the same draw.
#include "ports/late.hpp"

#include "azure_java_retry_policy/page.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::azure_java_retry_policy;

bool retries(answer const& a) { return a[page::reply::retry] == observed::word(1); }

std::vector<answer> run(history const& h, late_fault const& f, built_in const& right) {
  auto answers = right.run(h);
  auto const& p = h.params;
  if (p[page::param::policy].n != page::policy_word::exponential_backoff_with_jitter) return answers;
  history before = h;
  for (auto& s : before.steps) {
    auto& count = s.args[page::decide_args::retry_count].n;
    count = std::max<std::int64_t>(count - 1, 0);
  }
  auto const previous = right.run(before);
  auto const& most = p[page::param::cmax_ms];
  auto const cap = most.kind == value_kind::absent ? *page::parameters[page::param::cmax_ms].by_default : most.n;
  late_delays const of{page::reply::delay_ms, page::status_word::error, cap, true};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    auto& a = answers[i];
    if (h.steps[i].args[page::decide_args::retry_count].n < f.from || !retries(a)) continue;
    if (f.kind == late_kind::error) {
      fail_at(answers, i, of);
      break;
    }
    auto const& one = retries(previous[i]) ? previous[i] : a;
    make_late(a[page::reply::delay_ms], f, of, one[page::reply::delay_ms]);
    if (f.kind == late_kind::one_less) {
      a[page::reply::retry] = observed::word(0);
      a[page::reply::delay_ms] = {};
    }
  }
  return answers;
}

constexpr late_region regions[] = {
    everywhere,
    {"wide-interval", "an interval beyond 16 bits", is_wide<page::param::c_ms>},
    {"low-cap", "a maximum below the documented minimum",
     [](history const& h) {
       auto const& cap = h.params[page::param::cmax_ms];
       return cap.kind != value_kind::absent && cap.n < 100;
     }},
};

}  // namespace

late_ports azure_java_retry_policy_late_ports() { return {regions, "library", run}; }

}  // namespace backoff::systems
