// The exact model, played as a port with one fault: in some histories, from some call of a cycle on, its numbers are
// wrong. Its answers depend on the parameters and on the calls of their own cycle, and on nothing else.
#pragma once

#include "judge/model_subject.hpp"

namespace backoff::judge {

struct number_fault {
  char const* name;
  void (*spoil)(observed& number, observed const& before);  // before: the number answered last in the cycle, if any
  std::size_t from = 0;      // the first call of a cycle that is spoilt, of those with a number
  std::uint64_t one_in = 1;  // of so many histories, by their parameters
};

inline void to_zero(observed& n, observed const&) { n = observed::of(0); }
inline void one_more(observed& n, observed const&) { ++n.value.mantissa; }
inline void doubled(observed& n, observed const&) { n.value.mantissa *= 2; }
inline void far_longer(observed& n, observed const&) { n = observed::of(spec::integer{1} << 40); }
inline void as_before(observed& n, observed const& before) {
  if (before.kind == observed_kind::number) n = before;
}

class faulty_model final : public subject {
 public:
  faulty_model(judged_system const& system, spec::cube assignment, draw_source draws, std::uint64_t seed,
               number_fault const& f) noexcept
      : described_(system, assignment, draws, seed),
        examiner_(system),
        assignment_(assignment),
        random_(seed),
        shape_(&system.shape()),
        fault_(f) {}

  [[nodiscard]] capabilities const& describes() const noexcept override { return described_.describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    auto const& draws = describes().takes.draws;
    std::vector<result> all;
    for (auto const& h : histories) {
      auto game = examiner_.play(h, draws, assignment_, [&](std::size_t, spec::expectation const& admitted) {
        if (draws.kind == spec::draw_kind::hidden) return play(admitted, random_);
        random_bits same_again(1);  // what is admitted alike is answered alike
        return play(admitted, same_again);
      });
      all.push_back({result_kind::answered, std::move(game.answers), {}});
      if (is_spoilt(h)) spoil(h, all.back());
    }
    return all;
  }

 private:
  [[nodiscard]] bool is_spoilt(history const& h) const noexcept {
    std::uint64_t mixed = 0;
    for (auto const& v : h.params) mixed = mixed * 31 + static_cast<std::uint64_t>(v.n);
    return random_bits(mixed).one_in(fault_.one_in);
  }
  void spoil(history const& h, result& r) const noexcept {
    std::array<std::size_t, instances_max> calls{};
    std::array<observed, instances_max> before{};
    for (std::size_t k = 0; k < r.answers.size(); ++k) {
      auto const on = h.steps[k].on;
      if (shape_->operations[h.steps[k].op].name == "reset") {
        calls[on] = 0;
        before[on] = {};
      }
      auto& number = r.answers[k][shape_->delay];
      if (number.kind != observed_kind::number) continue;
      auto const right = number;
      if (calls[on]++ >= fault_.from) fault_.spoil(number, before[on]);
      before[on] = right;
    }
  }

  model_subject described_;
  examiner examiner_;
  spec::cube assignment_;
  random_bits random_;
  shape const* shape_;
  number_fault fault_;
};

}  // namespace backoff::judge
