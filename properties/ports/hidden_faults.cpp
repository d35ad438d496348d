// Which faults of randomness a run with hidden draws finds, and how large they must be: `hidden-faults SYSTEM FIRST
// COUNT`, for each seed a line for each fault, `found|passed FAULT`, and for a right port what its pass states, `stated
// NAME CAUGHT OF`. coverage/mutate hidden-faults makes the table of spec/POWER.md of it.
#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "judge/draw_power.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::ports;
namespace spec = backoff::spec;

constexpr std::uint64_t usual_cases = 10'000;
constexpr std::uint64_t instances_a_second = 100;

// How numbers are made. biased: so many draws of 1,000 more than half are from the lower half of what can be drawn.
// repeating: so many of 1,000 are the draw before, which is their correlation.
struct hidden_fault {
  std::string_view name;
  std::uint64_t biased = 0;
  std::uint64_t repeating = 0;
  std::uint64_t period = 0;           // draws of a process until it begins anew; 0: never
  bool seeded_by_the_second = false;  // each instance for itself
};

constexpr std::array faults{
    hidden_fault{"none"},
    hidden_fault{"bias-1", 10},
    hidden_fault{"bias-3", 30},
    hidden_fault{"bias-10", 100},
    hidden_fault{"correlation-0.03", 0, 30},
    hidden_fault{"correlation-0.1", 0, 100},
    hidden_fault{"period-1000", 0, 0, 1'000},
    hidden_fault{"period-10000", 0, 0, 10'000},
    hidden_fault{"seeded-by-the-second", 0, 0, 0, true},
};

// A right port but for its draws, which no answer shows. Draws of a larger number are larger ones: it scales them.
class faulty_subject final : public subject {
 public:
  faulty_subject(shape const& s, built_in const& port, hidden_fault const& fault, std::uint64_t seed)
      : shape_(&s), port_(s, port), fault_(&fault), seed_(seed), process_(seed), capabilities_(port_.describes()) {
    capabilities_.takes.draws = {spec::draw_kind::hidden, 1};
  }
  [[nodiscard]] capabilities const& describes() const noexcept override { return capabilities_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<history> drawn;
    for (auto const& h : histories) drawn.push_back(with_draws(h));
    return port_.run(drawn);
  }

 private:
  history with_draws(history h) {
    auto const size = port_.describes().takes.draws.size;
    std::array<std::optional<random_bits>, 256> instances;
    for (auto& step : h.steps) {
      auto const args = shape_->operations[step.op].args;
      for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i].kind != field_kind::draw) continue;
        auto& instance = instances[step.on];
        if (!instance) instance.emplace(seed_, 1 + instances_ / instances_a_second);
        step.args[i] = value::of(static_cast<std::int64_t>(next(*instance, size)));
      }
    }
    ++instances_;
    return h;
  }

  std::uint64_t next(random_bits& of_instance, std::uint64_t size) {
    if (fault_->seeded_by_the_second) return of_instance() % size;
    if (fault_->period != 0 && draws_++ % fault_->period == 0) process_ = random_bits(seed_);
    bool const repeats = fault_->repeating != 0 && process_() % 1'000 < fault_->repeating;
    if (repeats && previous_) return *previous_;
    auto n = process_() % size;
    if (fault_->biased != 0 && process_() % 1'000 < 2 * fault_->biased) n /= 2;
    previous_ = n;
    return n;
  }

  shape const* shape_;
  built_in_subject port_;
  hidden_fault const* fault_;
  std::uint64_t seed_;
  random_bits process_;
  capabilities capabilities_;
  std::optional<std::uint64_t> previous_;
  std::uint64_t draws_ = 0;
  std::uint64_t instances_ = 0;
};

void tried(judged_system const& system, built_in const& port, hidden_fault const& fault, std::uint64_t seed) {
  faulty_subject subject(system.shape(), port, fault, seed);
  auto judged = std::get<run>(run::begin(system, subject.describes(), {}));
  drive(judged, subject, usual_cases, seed);
  std::cout << (judged.breaches().empty() ? "passed " : "found ") << fault.name << '\n';
  for (auto const& p : judged.draws().powers()) {
    if (fault.name == "none") std::cout << "stated " << p.fault->name << ' ' << p.caught << ' ' << p.tried << '\n';
  }
  std::cout << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
  auto const* system = argc == 4 ? find_judged_system(argv[1]) : nullptr;
  if (system == nullptr || !system->shape().has_draws()) return 2;
  auto const* port = find_built_in(argv[1], "scaled");
  if (port == nullptr) port = find_built_in(argv[1], "library");
  auto const first = std::strtoull(argv[2], nullptr, 10);
  for (auto seed = first; seed < first + std::strtoull(argv[3], nullptr, 10); ++seed) {
    for (auto const& fault : faults) tried(*system, *port, fault, seed);
  }
  return 0;
}
