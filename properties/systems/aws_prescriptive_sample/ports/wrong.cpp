// Wrong ports of the sample loop: faults that retry code has shipped. Each must be caught by the claim that it names;
// those of a hazard reading must be recognised as such, and pass when it is pinned.
#include <array>
#include <string>

#include "ports/built_in.hpp"
#include "systems/aws_prescriptive_sample/faults.hpp"
#include "systems/aws_prescriptive_sample/ports/documented.hpp"

namespace backoff::conformance {
namespace {

using namespace plain_loop;

// The loop in plain steps, with a fault.
std::vector<answer> run_with(aws_prescriptive_sample::fault const& f, history const& h) {
  auto const max_retries = static_cast<double>(h.params[0].n);
  std::array<double, instances_max> requests{};
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& n = requests[f.port.shares_count ? 0 : step.on];
    if (f.port.fails(n, max_retries)) {
      answers.push_back({observed::word(1)});
      return answers;
    }
    auto const ms = static_cast<number>(f.port.held(f.does.wait(n)));
    ++n;
    bool const again = f.does.retries(step.args[0].n) && n < f.does.limit(max_retries);
    answers.push_back({observed::word(0), observed::of(ms), observed::word(again ? 1 : 0)});
  }
  return answers;
}

struct in_seconds : as_documented {
  static observed delay(loop const& l) {
    auto exact = as_documented::delay(l);
    if (exact.value.mantissa != 0) exact.value = *spec::parse_decimal(std::to_string(exact.value.mantissa) + "e-3");
    return exact;
  }
};
struct infinite : as_documented {  // 2 ** n in doubles: infinity, never cut
  static observed delay(loop const& l) {
    return l.n > 1023 ? observed{observed::kind::not_a_number, 0, {}} : as_documented::delay(l);
  }
};

built_in wrong(std::string_view name, std::string_view sentence, std::function<std::vector<answer>(history const&)> run,
               std::string_view claim, std::string_view hazard = "", std::size_t steps = 3) {
  built_in made{name, sentence, std::move(run), {}, longest_ms, claim};
  if (!hazard.empty()) made.follows = {hazard};
  made.steps = steps;
  return made;
}

}  // namespace

std::span<built_in const> aws_prescriptive_sample_wrong_ports() {
  static auto const ports = [] {
    std::vector<built_in> all{
        wrong("in-seconds", "waits are a thousand times too short", run<in_seconds>, "delay_doubles_and_adds_100_ms"),
        wrong("infinite", "a double's exponent overflows", run<infinite>, "delay_is_a_number", "", 1'025),
    };
    for (auto const& f : aws_prescriptive_sample::all_faults()) {
      if (f.port.name.empty()) continue;
      all.push_back(wrong(
          f.port.name, f.sentence, [&f](history const& h) { return run_with(f, h); }, f.port.claim, f.port.hazard,
          f.port.steps));
    }
    return all;
  }();
  return ports;
}

}  // namespace backoff::conformance
