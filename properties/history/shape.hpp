// A shape declares the histories of one system: its parameters, its calls, the words it uses, its special values. From
// it alone come the JSON form, the replay token, the generator and the shrinker, so that a new system declares and does
// not repeat them. One declaration a system: properties/history/STEM.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.hpp"
#include "history/random.hpp"
#include "model/full_jitter.hpp"

namespace backoff::conformance {

struct special {
  std::int64_t value;
  std::string_view why;
};

// A parameter or an argument.
struct field {
  std::string_view name;
  enum class kind : std::uint8_t { integer, draw } is = kind::integer;
  std::int64_t low = 0;  // inclusive; of a draw: decided by the port's generator
  std::int64_t high = 0;
  std::span<std::string_view const> words{};  // admitted instead of a number
  std::span<special const> specials{};
};

struct operation {
  std::string_view name;
  std::span<field const> args{};
  unsigned weight = 1;  // how often a generated step is this one
};

// One field of an answer: a word, or a number that is present only beside the word `beside`.
struct answer_field {
  std::string_view name;
  std::span<std::string_view const> words{};
  std::optional<std::uint8_t> beside{};
};

// The generator of a port's draws: which kind, and how many values it has (hidden: none are sent).
struct draw_source {
  spec::draw::kind is = spec::draw::kind::u32;
  std::uint64_t size = std::uint64_t{1} << 32;
};

// What one field may hold, after a port has declared its ranges.
struct range {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::uint64_t words = 0;  // a bit for each admitted word
  bool numbers = true;      // whether numbers are admitted at all
  bool declared = false;    // by the port, rather than by the document

  [[nodiscard]] bool admits(value const& v) const noexcept;
};

// The histories that a port can take.
struct domain {
  std::array<range, params_max> params{};
  std::vector<std::array<range, args_max>> args;  // by operation
  draw_source draws{};
  std::uint8_t instances = 1;  // more only for ports that have the feature `instances`
};

struct shape {
  std::string_view stem;
  std::span<field const> params;
  std::span<operation const> operations;
  std::span<answer_field const> answers;
  std::uint8_t error_word;  // the word of the first answer field that says the call failed

  // Bends freshly generated values towards each other (a cap beside a multiple of the base), inside the domain.
  void (*correlate)(history&, domain const&, random_bits&) = nullptr;
  // Histories that every run ends with, as far as the port takes them: what only long or degenerate ones show.
  std::vector<history> (*corners)(domain const&, random_bits&) = nullptr;
  // Histories of one call, all alike but for their draws, from which a port's mapping of draws is recognised; empty
  // where the system has no such reading.
  std::vector<history> (*mapping_probes)(domain const&, random_bits&) = nullptr;

  [[nodiscard]] std::optional<std::uint8_t> find_operation(std::string_view name) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_param(std::string_view name) const noexcept;
};

// Everything the document allows, for a kind of draw.
[[nodiscard]] domain documented_domain(shape const& s, draw_source draws);

// Whether every value of the history lies inside the domain.
[[nodiscard]] bool inside(domain const& d, history const& h) noexcept;

// Whether the port itself declared a range for every parameter.
[[nodiscard]] bool all_declared(shape const& s, domain const& d) noexcept;

}  // namespace backoff::conformance
