// A claim is a named sentence about a port. Its functions say whether a call puts it at stake, and whether it holds
// there. Claims know the history, the port's answer and what the document admits. They know no engine: RapidCheck, the
// fuzzer and the judge all drive the same claims. An answer that the document does not admit breaks at least one claim;
// an admitted answer breaks none. properties/claims/claims_test.cpp checks both on random answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "histories/shape.hpp"

namespace backoff::claims {

// must: breaking it refutes conformance. recommended: advice of the document; breaking it is reported, and fails the
// port only under --strict. interface: behaviour that ports share but the document does not state. A port that accepts
// the calls in question has agreed to it. Breaking it fails the port, except under --document-only, and refutes no
// reading of the document.
enum class strength : std::uint8_t { must, recommended, interface };

// One step as a claim sees it; Facts is the model's account of where the step stands.
template <class Facts>
struct claim_view {
  history const& tried;
  std::size_t step;
  answer const& port;
  spec::expectation const& documented;
  Facts const& facts;
  bool shared = false;             // another instance was called before, in this history
  answer const* before = nullptr;  // the port's answer to the call before; null at the first call
};

// Claims about hidden draws, which only many answers together can break. uniform: draws fill their windows evenly.
// independent: draws do not depend on each other. seeded: two processes do not begin with the same seed.
// judge/e_process.hpp has the tests.
enum class about_draws : std::uint8_t { uniform, independent, seeded };

// What the answer to a call must not depend on. instances: calls on other instances. reset: calls before the last
// reset. repeats: an equal call before. Only the port's own answers, compared with each other, confirm a break of such
// a claim; a wrong formula alone does not: judge/dependence.hpp.
enum class dependence : std::uint8_t { instances, reset, repeats };

// Which part of a rule a claim states. Of the broken parts of a rule, the one that stands last here is the finding: a
// bound tells most. A special case tells least, because a fault of the whole rule often shows in special cases too.
enum class part : std::uint8_t { special_case, rule, bound };

struct claim_text {
  std::string_view name;
  std::string_view sentence;
  std::span<std::string_view const> requirements;
  claims::strength strength = claims::strength::must;
  std::optional<feature> needs{};      // can be at stake only for ports that have this feature
  std::optional<about_draws> draws{};  // a claim about many draws: at stake at grade distribution alone
  // Whether the port's domain lets a history put the claim at stake; null: always. A port may fix a parameter on which
  // the claim depends.
  bool (*possible)(domain const&) = nullptr;
  std::optional<std::uint8_t> told_by{};  // the only answer field that shows a break; a port may leave it out
  std::optional<dependence> compares{};
  // The rule of the document of which this claim is a part. The broken parts of one rule are one finding.
  std::string_view rule{};
  part of_rule = part::rule;
  // This call starts from what an earlier call left. This names the claim about that earlier call. If both claims are
  // broken, that one is told first.
  std::string_view starts_from{};
  // Claims about the hidden state that decides the outcome of this call: see `leans` below.
  std::span<std::string_view const> leans_on{};
  // Of a claim about draws: the requirement on those of the calls that begin cycles; empty: as on all others.
  std::string_view of_the_start{};
};

// The claim about draws, of which those that begin cycles rest on this requirement.
constexpr claim_text with_a_start(std::string_view requirement, claim_text text) noexcept {
  text.of_the_start = requirement;
  return text;
}

// The claim, at stake only for the domains that `possible` accepts.
constexpr claim_text only_where(bool (*possible)(domain const&), claim_text text) noexcept {
  text.possible = possible;
  return text;
}

template <class Facts>
bool at_no_call(claim_view<Facts> const&) noexcept {
  return false;
}

template <class Facts>
std::string_view cites_the_first(claim_view<Facts> const&) noexcept {
  return {};
}

template <class Facts>
struct claim : claim_text {
  // A claim about many draws is at stake at no call: no single answer can break it.
  bool (*at_stake)(claim_view<Facts> const&) = at_no_call<Facts>;
  bool (*holds)(claim_view<Facts> const&) = at_no_call<Facts>;
  // Where the claim is broken: whether a break of a claim of leans_on would by itself explain the answer.
  bool (*leans)(claim_view<Facts> const&) = at_no_call<Facts>;
  // Where the claim is broken: the requirement that this call breaks; empty: the first of `requirements`.
  std::string_view (*cites)(claim_view<Facts> const&) = cites_the_first<Facts>;
};

template <class Facts>
constexpr claim<Facts> citing(std::string_view (*cites)(claim_view<Facts> const&), claim<Facts> c) noexcept {
  c.cites = cites;
  return c;
}

// The claims that one answer puts at stake, and those of them that it breaks: a bit each, by index.
struct shown_claims {
  std::uint64_t at_stake = 0;
  std::uint64_t broken = 0;
};

// Claims, and how they are tested together.
template <class Facts>
struct claim_list : std::span<claim<Facts> const> {
  using view = claim_view<Facts>;
  using tester = shown_claims (*)(claim_list const&, view const&, std::uint64_t selected);

  claim_list(std::span<claim<Facts> const> all) noexcept  // NOLINT(google-explicit-constructor)
      : claim_list(all, [](claim_list const& claims, view const& v, std::uint64_t selected) {
          shown_claims shown;
          std::uint64_t bit = 1;
          for (auto const& c : claims) {
            test_one(c.at_stake, c.holds, v, bit & selected, shown);
            bit <<= 1;
          }
          return shown;
        }) {}

  // Of an array that is a constant: the compiler then sees what each claim asks, and computes what they share once.
  template <auto const& claims>
  [[nodiscard]] static claim_list of() {
    return {claims, [](claim_list const&, view const& v, std::uint64_t selected) {
              constexpr auto bit = [](std::size_t i) { return std::uint64_t{1} << i; };
              return test_all<claims>(v, selected, bit, std::make_index_sequence<std::size(claims)>());
            }};
  }

  // Of claims that are made at run time, of functions in an array that is a constant. bits: by function, the bit of its
  // claim; 0: there is none.
  template <auto const& functions>
  [[nodiscard]] static claim_list of(std::span<claim<Facts> const> all, std::uint64_t const* bits) {
    claim_list list(all, [](claim_list const& claims, view const& v, std::uint64_t selected) {
      auto const bit = [&](std::size_t i) { return claims.bits_[i]; };
      return test_all<functions>(v, selected, bit, std::make_index_sequence<std::size(functions)>());
    });
    list.bits_ = bits;
    return list;
  }

  [[nodiscard]] shown_claims test(view const& v, std::uint64_t selected) const { return test_(*this, v, selected); }

 private:
  claim_list(std::span<claim<Facts> const> all, tester with) noexcept
      : std::span<claim<Facts> const>(all), test_(with) {}
  // at_stake, holds: those of a claim; bit: 0 where it is not selected.
  static constexpr void test_one(auto at_stake, auto holds, view const& v, std::uint64_t bit, shown_claims& shown) {
    if (bit == 0 || !at_stake(v)) return;
    shown.at_stake |= bit;
    if (!holds(v)) shown.broken |= bit;
  }
  template <auto function>
  static constexpr auto called = [](view const& v) { return function(v); };
  template <auto const& claims, std::size_t... i>
  static shown_claims test_all(view const& v, std::uint64_t selected, auto bit, std::index_sequence<i...>) {
    shown_claims shown;
    (test_one(called<claims[i].at_stake>, called<claims[i].holds>, v, bit(i) & selected, shown), ...);
    return shown;
  }

  tester test_;
  std::uint64_t const* bits_ = nullptr;
};

// Whether these are the claims of the page, in its order.
template <class Claims, class Texts>
constexpr bool are_all_of_the_page(Claims const& claims, Texts const& said) noexcept {
  return std::ranges::equal(claims, said, {}, &claim_text::name, &claim_text::name);
}

}  // namespace backoff::claims
