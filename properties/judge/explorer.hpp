// Binds a model and its claims to the judge. A Binding names the model's state and facts and provides
//   state start(history const&)
//   outcome step(history const&, std::size_t, state&, draw_source const&, chooser&)
// where outcome has `answer` (an expectation) and `facts`; and shape(), readings(), assignments(), claims(). Where
// answers say something of a state that cannot be seen, it also provides
//   void observe(state&, answer const&)
// which is given those fields of the port's answer that are admitted. A document's Binding has static functions. A
// policy's has members, and its system overrides shows_draws() and learns_from_answers().
// What is the same for all systems is in examiner.cpp, compiled once.
// Checked by: properties/judge/examiner_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "histories/present.hpp"
#include "judge/judged_system.hpp"

namespace backoff::judge {

// Whether answers under that binding tell of draws: it then has
//   optional<drawn_part> draw_told(history const&, std::size_t, state&, outcome const&, answer const&, chooser&),
// called for admitted answers only.
template <class Binding>
concept tells_draws = requires { &Binding::draw_told; };

template <class Binding>
concept learns = requires(Binding const& b, typename Binding::state& s, answer const& a) { b.observe(s, a); };

template <class Binding>
class explorer : public judged_system {
 public:
  explicit explorer(Binding binding = {}) : binding_(std::move(binding)) {
    for (auto const& c : binding_.claims()) texts_.push_back(c);
  }

  [[nodiscard]] histories::shape const& shape() const noexcept override { return binding_.shape(); }
  [[nodiscard]] spec::reading_table const& readings() const noexcept override { return binding_.readings(); }
  [[nodiscard]] std::vector<spec::cube> assignments(spec::draw_kind draws) const override {
    return binding_.assignments(draws);
  }
  [[nodiscard]] std::span<claim_text const> claims() const noexcept override { return texts_; }
  [[nodiscard]] bool shows_draws() const override { return tells_draws<Binding>; }
  [[nodiscard]] bool learns_from_answers() const noexcept override { return learns<Binding>; }
  [[nodiscard]] std::unique_ptr<model_runner> runner() const override {
    return std::make_unique<std::conditional_t<tells_draws<Binding>, telling, running>>(binding_);
  }

 protected:
  class telling;
  class running : public model_runner {
   public:
    explicit running(Binding const& binding) noexcept : binding_(&binding) {}

    void start(history const& h) override {
      after().clear();
      before().assign(1, {});
      auto const fresh = binding_->start(h);
      for (auto const& call : h.steps) {
        auto& instance = before().front()[call.on];
        if (!instance) instance = fresh;
      }
    }

    [[nodiscard]] tested test(place const& at, std::size_t from, spec::chooser& readings, answer const& port,
                              claim_mask selected) override {
      auto const outcome = take(at, from, readings);
      claim_view<typename Binding::facts> const view{at.tried,      at.step,   port,     outcome.answer,
                                                     outcome.facts, at.shared, at.before};
      claim_list<typename Binding::facts> const claims(binding_->claims());
      auto const shown = claims.test(view, selected);
      tested result{outcome.answer[0].kind() == spec::admissible_kind::unjudged, shown.at_stake, shown.broken};
      for_each_bit(shown.broken, [&](unsigned i) {
        result.leaning |= claim_mask{claims[i].leans(view)} << i;
        cited_[i] = claims[i].cites(view);
      });
      observe(at, outcome.answer, port);
      return result;
    }

    [[nodiscard]] std::string_view cited(unsigned claim) const noexcept override { return cited_[claim]; }

    [[nodiscard]] spec::expectation admitted(place const& at, std::size_t from, spec::chooser& readings) override {
      return take(at, from, readings).answer;
    }

    void observe(place const& at, spec::expectation const& documented, answer const& port) override {
      if constexpr (learns<Binding>) {
        answer seen;
        for (std::size_t i = 0; i < binding_->shape().answers.size(); ++i) {
          if (documented[i].admits(port[i])) seen[i] = port[i];
        }
        binding_->observe(made_last(at), seen);
      }
    }

    [[nodiscard]] bool same(std::size_t a, std::size_t b) const noexcept override { return after()[a] == after()[b]; }

    void advance() noexcept override {
      now_ ^= 1U;
      after().clear();
    }

   protected:
    using states =
        std::array<std::optional<typename Binding::state>, instances_max>;  // of each instance that is called

    auto take(place const& at, std::size_t from, spec::chooser& readings) {
      auto& all = after().emplace_back(before()[from]);
      return binding_->step(at.tried, at.step, present(all[at.tried.steps[at.step].on]), at.draws, readings);
    }

    Binding const* binding_;

    [[nodiscard]] typename Binding::state& made_last(place const& at) {
      return present(after().back()[at.tried.steps[at.step].on]);
    }
    // The states before the step.
    [[nodiscard]] std::vector<states>& before() noexcept { return sides_[now_]; }

   private:
    std::vector<states>& after() { return sides_[now_ ^ 1U]; }
    [[nodiscard]] std::vector<states> const& after() const { return sides_[now_ ^ 1U]; }

    std::array<std::vector<states>, 2> sides_;
    unsigned now_ = 0;
    std::array<std::string_view, 64> cited_{};  // by claim: as many as a claim_mask has
  };

  class telling : public running {
   public:
    using running::running;

    [[nodiscard]] seen_draw draw(place const& at, std::size_t from, spec::chooser& readings,
                                 answer const& port) override {
      auto const outcome = this->take(at, from, readings);
      if (!is_admitted(this->binding_->shape(), outcome.answer, port)) return {false, {}};
      auto const part = this->binding_->draw_told(at.tried, at.step, this->made_last(at), outcome, port, readings);
      this->observe(at, outcome.answer, port);
      return {true, part};
    }
  };

  Binding binding_;

 private:
  std::vector<claim_text> texts_;
};

}  // namespace backoff::judge
