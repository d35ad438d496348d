// A port's delays in the words of a document: its parameters take the port's, in its unit, or numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/delay_cycles.hpp"
#include "judge/examiner.hpp"
#include "judge/judged_system.hpp"

namespace backoff::explain {

// What a parameter of a document may be: one of the port's, in another unit perhaps, or a number.
struct source {
  std::optional<std::size_t> param;
  std::int64_t n = 0;  // where it is none of the port's
  int power = 0;       // of ten, by which it is multiplied
  std::string name;
  std::optional<std::size_t> fits{};  // the only parameter that it is for, found by search
};

// The source of each parameter of a document, as its place among all; nothing: its default.
using binding = std::vector<std::optional<std::size_t>>;

class translation {
 public:
  // A port that answers for this very document has no sources: it keeps its own parameters.
  translation(judged_system const& spoken, judged_system const& document, draw_source const& draws,
              std::span<cycle const> all);

  [[nodiscard]] shape const& words() const noexcept { return document_->shape(); }
  [[nodiscard]] judged_system const& document() const noexcept { return *document_; }
  [[nodiscard]] domain const& takes() const noexcept { return domain_; }
  [[nodiscard]] bool is_none() const noexcept { return spoken_ == &document_->shape(); }
  [[nodiscard]] std::vector<source> const& sources() const noexcept { return sources_; }
  // The place of a number for one parameter, in units of its last decimal.
  std::size_t add_number(std::size_t param, std::int64_t n);
  [[nodiscard]] std::size_t calls_before() const noexcept { return before_; }

  // Every way to bind the document's parameters to the port's, each of which is used at most once. The others need a
  // default, or numbers.
  [[nodiscard]] std::vector<binding> bindings() const;
  [[nodiscard]] bool has_default(std::size_t param) const;

  // A port's delay in the document's unit.
  [[nodiscard]] spec::decimal delay_of(spec::decimal port) const noexcept;
  // The history that asks the document for the first delays of c; nothing where the document does not allow it.
  [[nodiscard]] std::optional<history> history_of(cycle const& c, binding const& b, bool is_hidden,
                                                  std::size_t most) const;
  // The document's answers to h, with the port's delays in them. Both end where the document grants no more retries.
  [[nodiscard]] std::vector<answer> answers_of(history& h, cycle const& c, draw_source const& draws,
                                               spec::cube reading);

  [[nodiscard]] examiner& judged_by() noexcept { return examiner_; }

 private:
  void add_bindings(std::vector<binding>& all, binding so_far, std::size_t param) const;

  shape const* spoken_;
  judged_system const* document_;
  examiner examiner_;
  domain domain_;
  std::size_t before_;
  int power_;
  std::vector<source> sources_;
};

}  // namespace backoff::explain
