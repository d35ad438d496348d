// Retries of Step Functions, wrong from some attempt on. The library takes 43 attempts; the plain port goes on.
#include "ports/late.hpp"

#include "aws_step_functions/page.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_step_functions;

std::vector<answer> run(history const& h, late_fault const& f, built_in const& right) {
  return late_cycles(h, f, right,
                     {page::reply::delay_s, page::status_word::error, u32_max, true, page::param::max_attempts});
}

constexpr late_region regions[] = {
    everywhere,
    {"wide-interval", "an interval beyond 16 bits", is_wide<page::param::interval_s>},
    {"three-decimals", "a rate of three decimals",
     [](history const& h) { return h.params[page::param::backoff_rate].n % 10 != 0; }},
    {"slow-rate", "a rate of no more than 1.1",
     [](history const& h) { return h.params[page::param::backoff_rate].n <= 1'100; }},
};

}  // namespace

late_ports aws_step_functions_late_ports() { return {regions, "plain", run}; }

}  // namespace backoff::systems
