// A policy's formulas as a port that makes its own draws.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "histories/generate.hpp"
#include "judge/model_subject.hpp"
#include "judge/plan.hpp"

namespace backoff::policies {

// Which draws are all the same: of a history, after so many calls of the instance since its last reset.
using where_fixed = std::function<bool(history const&, std::size_t calls)>;

// A port that draws for itself, whatever its policy is: it takes the draws that it makes through the exact formulas.
class drawing_port final : public subject {
 public:
  static constexpr draw_source draws{spec::draw_kind::unit, std::uint64_t{1} << 53};

  drawing_port(judged_system const& system, spec::cube reading, std::uint64_t seed, where_fixed fixed = {})
      : formulas_(system, reading, draws, seed),
        random_(seed, 1),
        fixed_(std::move(fixed)),
        about_(formulas_.describes()),
        drawn_(system.shape().draw_of(0)) {
    about_.takes = documented_domain(system.shape(), {spec::draw_kind::hidden, 1});
    about_.takes.features = system.shape().features & ~bit(feature::fresh_process);
  }
  [[nodiscard]] domain& takes() noexcept { return about_.takes; }
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<history> drawn(histories.begin(), histories.end());
    for (auto& h : drawn) {
      std::array<std::size_t, instances_max> calls{};
      for (auto& call : h.steps) {
        auto& before = calls[call.on];
        if (call.op == 1) {
          before = 0;
          continue;
        }
        bool const fixed = fixed_ && fixed_(h, before++);
        auto const most = static_cast<std::int64_t>(draws.size - 1);
        call.args[drawn_] = value::of(fixed ? most / 10 * 9 : random_.between(0, most));
      }
    }
    return formulas_.run(drawn);
  }

 private:
  model_subject formulas_;
  random_bits random_;
  where_fixed fixed_;
  capabilities about_;
  std::size_t drawn_;  // which argument is the draw
};

}  // namespace backoff::policies
