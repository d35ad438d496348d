// backoffAlgorithm, wrong from some attempt on.
#include "ports/late.hpp"

#include "aws_backoff_algorithm/page.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_backoff_algorithm;

std::vector<answer> run(history const& h, late_fault const& f, built_in const& right) {
  return late_cycles(h, f, right,
                     {page::reply::delay_ms, page::status_word::error, h.params[page::param::max_ms].n, false,
                      page::param::max_attempts});
}

constexpr late_region regions[] = {
    everywhere,
    {"wide-base", "a base beyond 16 bits", is_wide<page::param::base_ms>},
    {"odd-cap", "a cap that is no multiple of the base", has_odd_cap<page::param::base_ms, page::param::max_ms>},
    {"base-above-cap", "a base above the cap",
     [](history const& h) { return h.params[page::param::base_ms].n > h.params[page::param::max_ms].n; }},
};

}  // namespace

late_ports aws_backoff_algorithm_late_ports() { return {regions, "library", run}; }

}  // namespace backoff::systems
