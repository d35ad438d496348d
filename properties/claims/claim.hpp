// A claim is a named sentence about a port: when it is at stake, and whether it holds. Claims know the history, the
// port's answer and what the document admits, but no engine: RapidCheck, the fuzzer and the conformance runner all
// drive the same ones. An answer that the document does not admit breaks at least one claim, and an admitted one breaks
// none; properties/claims/claims_test.cpp checks both on random answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "histories/shape.hpp"

namespace backoff::claims {

// must: breaking it refutes conformance. recommended: advice of the document, reported, and a failure under --strict.
// interface: behaviour that ports share but the document does not state. A port that takes what the claim is about has
// agreed to it: breaking it fails the port unless only the document counts, and refutes no reading of the document.
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
  answer const* before = nullptr;  // the port's, to the call before; none at the first
};

// What no single answer can break: that hidden draws fill their windows evenly, that they do not depend on each other,
// and that two processes do not begin with the same seed. judge/e_process.hpp has the tests.
enum class about_draws : std::uint8_t { uniform, independent, seeded };

// What the answer to a call must not depend on: other instances, what came before a reset, an equal call before. A
// claim of that compares the port's answers with each other, never with the formula: judge/dependence.hpp.
enum class dependence : std::uint8_t { instances, reset, repeats };

// Which part of a rule a claim is. Of the parts that are broken, the one that stands last here tells most: a bound; a
// case of the rule tells least, as what breaks the rule breaks its cases.
enum class part : std::uint8_t { special_case, rule, bound };

struct claim_text {
  std::string_view name;
  std::string_view sentence;
  std::span<std::string_view const> requirements;
  claims::strength strength = claims::strength::must;
  std::optional<feature> needs{};      // can be at stake only for ports that have this feature
  std::optional<about_draws> draws{};  // a claim about many draws: at stake at grade distribution alone
  // Whether what a port takes can put it at stake, where that is not always so: parameters may be fixed by the port.
  bool (*possible)(domain const&) noexcept = nullptr;
  std::optional<std::uint8_t> told_by{};  // the field of an answer that alone tells; a port may leave it out
  std::optional<dependence> compares{};
  // The rule of the document that this and other claims are parts of: what breaks several of them is told once.
  std::string_view rule{};
  part of_rule = part::rule;
  // The claim of an earlier call of the cycle that this call starts from: if that one is broken too, it is no
  // consequence of this one, and is told first.
  std::string_view starts_from{};
  // Claims about what decides the outcome here and cannot be seen: see `leans` below.
  std::span<std::string_view const> leans_on{};
};

// The claim, at stake only where what a port takes makes that possible.
constexpr claim_text only_where(bool (*possible)(domain const&) noexcept, claim_text text) noexcept {
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
  bool (*at_stake)(claim_view<Facts> const&) noexcept = at_no_call<Facts>;
  bool (*holds)(claim_view<Facts> const&) noexcept = at_no_call<Facts>;
  // Where it does not hold: whether a port that keeps to it would answer so too if it broke a claim of leans_on.
  bool (*leans)(claim_view<Facts> const&) noexcept = at_no_call<Facts>;
  // Where it does not hold: the requirement that this call breaks; nothing: the first of its own.
  std::string_view (*cites)(claim_view<Facts> const&) noexcept = cites_the_first<Facts>;
};

template <class Facts>
constexpr claim<Facts> citing(std::string_view (*cites)(claim_view<Facts> const&) noexcept, claim<Facts> c) noexcept {
  c.cites = cites;
  return c;
}

// Whether these are the claims of the page, in its order.
template <class Claims, class Texts>
constexpr bool are_all_of_the_page(Claims const& claims, Texts const& said) noexcept {
  return std::ranges::equal(claims, said, {}, &claim_text::name, &claim_text::name);
}

}  // namespace backoff::claims
