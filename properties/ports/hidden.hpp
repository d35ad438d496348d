// A built-in port that makes its own draws, so that the judge has to find out from the answers alone.
// Checked by: properties/ports/hidden_test.cpp.
#pragma once

#include "histories/random.hpp"
#include "ports/built_in.hpp"

namespace backoff::ports {

// Where the draws of a hidden port come from.
struct generator {
  std::string_view name;
  std::string_view sentence;
  // One 64-bit number. Each history begins with a sequence that is always the same, and with nothing kept.
  std::uint64_t (*next)(random_bits& process, random_bits& fresh, std::optional<std::uint64_t>& kept);
};
[[nodiscard]] std::span<generator const> generators();  // the first one is a right one
[[nodiscard]] generator const* find_generator(std::string_view name);

// Whether it has 15 bits for a draw, which cannot fill wide windows: right where draws are given to it, wrong where it
// makes them.
[[nodiscard]] inline bool draws_too_little(built_in const& port) { return port.draws.size <= 32'768; }

// The history with draws of that generator, for a port that takes them from such a source.
[[nodiscard]] history with_draws(shape const& s, history h, draw_source const& draws, generator const& from,
                                 random_bits& process);

class hidden_subject final : public subject {
 public:
  hidden_subject(shape const& s, built_in const& port, generator const& from, std::uint64_t seed);
  [[nodiscard]] capabilities const& describes() const noexcept override { return capabilities_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override;

 private:
  shape const* shape_;
  built_in_subject port_;
  generator const* from_;
  random_bits process_;
  capabilities capabilities_;
};

}  // namespace backoff::ports
