// The numbers of a document's formula under which a port's delays are likeliest, where the port has no parameters for
// them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "explain/translation.hpp"

namespace backoff::explain {

class number_search {
 public:
  // Adds numbers to the sources of `of`. readings: those that a port may follow.
  number_search(translation& of, std::span<cycle const> all, std::vector<spec::cube> const& readings);

  struct fitting {
    binding with;
    double likely;  // log-likelihood of a delay
  };
  // The likeliest numbers beside what `start` binds; nothing where most delays lie outside of their ranges.
  [[nodiscard]] std::optional<fitting> from(binding const& start);
  // How likely the delays are where the parameters that `start` leaves free have their defaults.
  [[nodiscard]] double likely(binding const& start);

 private:
  struct candidate {
    binding with;
    std::size_t reading = 0;
    double likely = 0;
    double share = 0;  // of the delays, in their ranges
  };
  // The delays before which one retry, in the document's unit.
  struct column {
    std::vector<spec::observed> first_ones;
    std::vector<double> sorted;
  };
  struct weight {
    double likely = 0;
    double inside = 0;
  };

  void add_numbers(std::size_t param);
  void measure(candidate& c);
  [[nodiscard]] std::vector<spec::expectation> ranges_of(candidate const& c, cycle const& of);
  [[nodiscard]] weight weight_of(spec::admissible const& range, column const& of) const;
  [[nodiscard]] bool is_free(candidate const& c, std::size_t param) const;
  [[nodiscard]] candidate begun(binding const& start) const;
  void sweep(candidate& best);
  [[nodiscard]] std::vector<candidate> swept_in_pairs(candidate const& best);
  void settle(candidate& best);
  [[nodiscard]] candidate with(candidate c, std::size_t param, std::size_t from);
  [[nodiscard]] std::span<std::size_t const> near(candidate const& c, std::size_t param) const;

  translation* of_;
  std::span<cycle const> all_;
  std::vector<spec::cube> readings_;               // single ones
  std::vector<std::vector<std::size_t>> numbers_;  // of each parameter, in order
  std::vector<column> columns_;                    // by retry
  cycle const* longest_ = nullptr;
  double longest_delay_ = 0;
  std::size_t horizon_ = 0;    // delays looked at
  std::size_t histories_ = 0;  // looked at, where each has ranges of its own
};

}  // namespace backoff::explain
