// Readings: the places where a document contradicts itself or is silent, each a named choice between executable
// alternatives. A joint assignment fixes all of them; a cube stands for a set of joint assignments.
// Checked by: spec/tests/readings_test.cpp, properties/judge.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace backoff::spec {

// canonical: what the library does and --strict demands. open: admitted by default.
// hazard: derivable from the text, but a fault; admitted only when pinned by name.
enum class standing : std::uint8_t { canonical, open, hazard };

struct alternative {
  std::string_view name;
  spec::standing standing;
};

struct reading {
  std::string_view name;
  std::span<alternative const> alternatives;
};

// A set of joint assignments that is a product: one bit an alternative, one field of bits a reading. A reading that
// nobody has consulted keeps its whole field, so that assignments which nothing distinguishes cost nothing.
struct cube {
  std::uint64_t bits = 0;
  friend bool operator==(cube, cube) noexcept = default;
};

// The readings of one system in a fixed order, with the layout of their cubes. At most 64 alternatives in all, and at
// most 32 readings.
class reading_table {
 public:
  constexpr explicit reading_table(std::span<reading const> readings) noexcept : readings_(readings) {
    unsigned offset = 0;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      fields_[i] = ((std::uint64_t{1} << readings[i].alternatives.size()) - 1) << offset;
      offset += static_cast<unsigned>(readings[i].alternatives.size());
    }
  }

  [[nodiscard]] constexpr std::span<reading const> readings() const noexcept { return readings_; }

  // The bits of the reading's field.
  [[nodiscard]] constexpr std::uint64_t field(unsigned reading) const noexcept { return fields_[reading]; }

  // The bit of one alternative of a reading.
  [[nodiscard]] constexpr std::uint64_t bit(unsigned reading, unsigned alternative) const noexcept {
    std::uint64_t const mask = field(reading);
    return (mask & (~mask + 1)) << alternative;
  }

  // All assignments whose alternatives are each at most as doubtful as `worst`.
  [[nodiscard]] cube admitting(standing worst) const noexcept;
  // The assignments common to both; nothing when a field would be empty.
  [[nodiscard]] std::optional<cube> common(cube a, cube b) const noexcept;
  // The one cube that is exactly the union of both, which are equal or disjoint; nothing when there is none.
  [[nodiscard]] std::optional<cube> joined(cube a, cube b) const;
  // `from` with one reading restricted to one alternative.
  [[nodiscard]] cube with(cube from, unsigned reading, unsigned alternative) const noexcept;
  // The assignment of the cube with the fewest non-canonical alternatives (the first listed where there are several).
  [[nodiscard]] cube simplest(cube of) const noexcept;
  // How many alternatives of a single assignment are not canonical.
  [[nodiscard]] int deviations(cube assignment) const;
  // The index of the reading or alternative of that name.
  [[nodiscard]] std::optional<unsigned> find(std::string_view reading) const noexcept;
  [[nodiscard]] std::optional<unsigned> find(unsigned reading, std::string_view alternative) const noexcept;

 private:
  std::span<reading const> readings_;
  std::array<std::uint64_t, 32> fields_{};
};

// What any of `a` has in common with any of `b`.
[[nodiscard]] std::vector<cube> common_cubes(reading_table const& table, std::vector<cube> const& a,
                                             std::vector<cube> const& b);
// Joins cubes pairwise while any two have an exact union.
void join_cubes(reading_table const& table, std::vector<cube>& cubes);

// What a model asks where its document contradicts itself or is silent. The first question about a reading splits the
// cube: the model goes on with one alternative, and leaves the rest in `elsewhere` for the caller to explore. A model
// thus forks only on the readings that it consults.
class chooser {
 public:
  chooser(reading_table const& table, cube here, std::vector<cube>& elsewhere) noexcept
      : table_(&table), here_(here), elsewhere_(&elsewhere) {}

  // The chosen alternative of that reading, as its index.
  [[nodiscard]] unsigned choose(unsigned reading) {
    std::uint64_t const mask = table_->field(reading);
    std::uint64_t const left = here_.bits & mask;
    std::uint64_t const taken = left & (~left + 1);
    if (left != taken) {
      elsewhere_->push_back({here_.bits & ~taken});
      here_.bits = (here_.bits & ~mask) | taken;
    }
    return static_cast<unsigned>(std::countr_zero(taken) - std::countr_zero(mask));
  }

  template <class Alternative, class Reading>
  [[nodiscard]] Alternative choose(Reading reading) {
    return static_cast<Alternative>(choose(static_cast<unsigned>(reading)));
  }

  [[nodiscard]] cube here() const noexcept { return here_; }

 private:
  reading_table const* table_;
  cube here_;
  std::vector<cube>* elsewhere_;
};

}  // namespace backoff::spec
