// Runs code on symbolic words, once for each path that some input takes, and asks Z3 about each of them.
//
// A word of N bits is the integer that it holds. What would leave its range is an obligation that it does not, unless
// the proof permits it: then it is brought back modulo 2^N, as C++ has it. Division by zero, a shift by the width or
// more and signed overflow are obligations always. A quotient is a number q with 0 <= a - q · b < b, which is all that
// Z3 learns of it. Shifts by an unknown amount fork, one path for each amount. Checked by: executor_test.cpp.
#pragma once

#include <z3++.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/proof/word.hpp"

namespace backoff::engines::proof {

// What the code's documentation lets leave its range. Only `never` proves that nothing does.
enum class wraps : std::uint8_t {
  never,
  sums,        // a sum may wrap
  casts,       // a cast to a narrower type, or to an unsigned one, may cut; sums and products may not wrap
  everywhere,  // unsigned arithmetic is that of C++: modulo 2^N
};

// How a product of two unknowns is known: as what it is, or as any number between 0 and each of them times 2^32 - 1 or
// 2^16 - 1, where the other is no more than that. The latter is linear, which is what long sums of products need.
enum class products : std::uint8_t { exact, bounded };

enum class verdict : std::uint8_t { proved, refuted, unknown };

struct outcome {
  proof::verdict verdict;
  std::string where;                          // what is refuted or unknown
  std::map<std::string, std::string> inputs;  // where refuted: a counterexample
  std::size_t paths;
  std::size_t forks;  // decisions of which both sides were possible
};

z3::context& terms();

// One run of a body over one path. Numbers of the formulas are integers of Z3, which have no width.
class path {
 public:
  // Any value of the width, and any natural number.
  template <class Word>
  [[nodiscard]] Word any(std::string_view name) {
    return Word(input(
        name,
        static_cast<unsigned>(std::numeric_limits<Word>::digits) + (std::numeric_limits<Word>::is_signed ? 1U : 0U),
        std::numeric_limits<Word>::is_signed));
  }
  [[nodiscard]] z3::expr natural(std::string_view name);

  // What is given; what helps, proved before it is used; what is to be proved.
  void assume(z3::expr const& fact);
  void lemma(z3::expr const& fact) { lemmas_.push_back(fact); }
  void claim(z3::expr const& fact) { claims_.push_back(fact); }
  void claim(bool fact) { claims_.push_back(terms().bool_val(fact)); }

  // floor(a / b) for b > 0, by its contract.
  [[nodiscard]] z3::expr quotient(z3::expr const& a, z3::expr const& b);
  // Names quotients that the code asks for by what they are, which is then proved; none where it answers nothing.
  using naming = std::function<std::optional<z3::expr>(z3::expr const& a, z3::expr const& b)>;
  void name_quotients(naming names) { names_ = std::move(names); }
  // a · b, as the proof knows it.
  [[nodiscard]] z3::expr product(z3::expr const& a, z3::expr const& b);

 private:
  friend class executor;
  friend z3::expr number(operand o);
  friend operand computed(arithmetic what, operand a, operand b, width w);
  friend operand converted(operand a, width from, width to);
  friend bool compared(comparison what, operand a, operand b, width w);
  struct division {
    z3::expr a, b, q;
  };

  operand input(std::string_view name, unsigned bits, bool is_signed);
  void oblige(char const* what, z3::expr const& fact);
  operand term(z3::expr const& e);
  operand within(z3::expr const& e, width w, bool cut, char const* what, bool once = false);
  z3::expr divided(z3::expr const& a, z3::expr const& b);  // by the code
  z3::expr modulo(z3::expr const& e, unsigned bits);
  [[nodiscard]] unsigned zeros_below(z3::expr const& e) const;

  class executor* by_ = nullptr;
  std::vector<z3::expr> terms_, lemmas_, claims_;
  std::vector<std::pair<char const*, z3::expr>> obligations_;
  std::vector<division> divisions_, products_;
  std::vector<std::pair<z3::expr, unsigned>> multiples_;  // of 2^k
  std::map<std::string, z3::expr> inputs_;
  naming names_;
};

// The integer that a word holds.
[[nodiscard]] z3::expr number(operand o);
template <unsigned Bits, bool Signed>
[[nodiscard]] z3::expr number(word<Bits, Signed> const& w) {
  return number(w.held);
}
[[nodiscard]] z3::expr number(std::uint64_t value);
[[nodiscard]] z3::expr power_of_two(unsigned exponent);
[[nodiscard]] z3::expr smaller(z3::expr const& a, z3::expr const& b);

// A measure of Z3's work on one question, not of time: the same everywhere. Some seconds.
inline constexpr unsigned work_limit = 20'000'000;

// Every path of the body: all lemmas, obligations and claims on each. Refuted as soon as one of them fails.
[[nodiscard]] outcome prove(std::function<void(path&)> const& body, wraps permitted = wraps::never,
                            products known = products::exact, unsigned limit = work_limit);

}  // namespace backoff::engines::proof
