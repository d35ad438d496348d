// Retry Utilities, wrong from some attempt on.
#include "ports/late.hpp"

#include "aws_retry_utils/page.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_retry_utils;

std::vector<answer> run(history const& h, late_fault const& f, built_in const& right) {
  return late_cycles(h, f, right,
                     {page::reply::slept_s, page::status_word::error, h.params[page::param::max_backoff_s].n, false,
                      page::param::max_attempts});
}

constexpr late_region regions[] = {
    everywhere,
    {"wide-base", "an initial back-off beyond 16 bits", is_wide<page::param::initial_backoff_s>},
    {"odd-cap", "a cap that is no multiple of the initial back-off",
     has_odd_cap<page::param::initial_backoff_s, page::param::max_backoff_s>},
    {"no-jitter", "no jitter of the reset",
     [](history const& h) { return h.params[page::param::max_jitter_s].n == 0; }},
};

}  // namespace

late_ports aws_retry_utils_late_ports() { return {regions, "library", run}; }

}  // namespace backoff::systems
