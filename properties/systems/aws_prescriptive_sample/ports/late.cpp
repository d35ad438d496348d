// The sample, wrong from some request on: each has the wait before it. The library fails once a wait does not fit 31
// bits; the plain port goes on.
#include "ports/late.hpp"

#include "aws_prescriptive_sample/page.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_prescriptive_sample;

constexpr std::int64_t i32_max = 0x7fff'ffff;

std::vector<answer> run(history const& asked, late_fault const& f, built_in const& right) {
  history h = asked;
  auto& limit = h.params[page::param::max_retries].n;
  if (f.kind == late_kind::one_less && limit > f.from) --limit;
  if (f.kind == late_kind::one_more && limit >= f.from && limit < i32_max) ++limit;
  return late_cycles(h, f, right, {page::reply::delay_ms, page::status_word::error, i32_max});
}

constexpr late_region regions[] = {
    everywhere,
    {"few", "a limit of no more than 40", [](history const& h) { return h.params[page::param::max_retries].n <= 40; }},
    {"wide-limit", "a limit beyond 16 bits", is_wide<page::param::max_retries>},
};

}  // namespace

late_ports aws_prescriptive_sample_late_ports() { return {regions, "plain", run}; }

}  // namespace backoff::systems
