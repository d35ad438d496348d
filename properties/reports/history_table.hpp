// Histories as tables: what the document admits at each step, and what the port answered.
// Checked by: properties/oracle/oracle_test.py, fuzz/port_fuzzer.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "judge/run.hpp"

namespace backoff::reports {

// How text looks on a terminal. Text that goes elsewhere has the same bytes everywhere.
struct look {
  [[nodiscard]] std::size_t width() const noexcept { return columns == 0 ? 100 : columns; }

  std::size_t columns = 0;  // of the terminal; 0: the text goes elsewhere
  bool colour = false;
};

namespace style {
inline std::string const plain = "\x1b[0m";
inline std::string const heading = "\x1b[1m";
inline std::string const good = "\x1b[32m";
inline std::string const doubtful = "\x1b[33m";
inline std::string const bad = "\x1b[31m";
}  // namespace style
// The text in that style where there are colours. Styles add up.
[[nodiscard]] std::string painted(look const& seen, std::string const& in, std::string const& text);

// The text in lines of at most `width` columns. The first line begins in column `indent`; the others begin with
// `indent` spaces.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);
// The same on a terminal, which would otherwise break lines within words; elsewhere the text as it is.
[[nodiscard]] std::string fitted(std::string const& text, std::size_t indent, look const& seen);

struct table_row {
  std::size_t step;
  std::string call;
  struct argument {
    std::string_view name;
    std::string text;
    bool is_draw;
  };
  std::vector<argument> with;
  std::string admitted;
  std::string port;
  bool breaks;
};

struct named_vector {
  std::string id;
  bool is_whole = true;  // all calls of the vector, or some of them
};

struct shown_history {
  named_vector vector;  // nameless where no vectors were answered
  std::string parameters;
  std::vector<table_row> rows;
};

// The heading of the column of arguments; empty where no call has an argument. The text of a row in it. Arguments have
// names unless all are draws.
[[nodiscard]] std::string_view head_of_arguments(shown_history const& h) noexcept;
[[nodiscard]] std::string arguments_text(table_row const& row, std::string_view head);

// The table of a history: at each step, what the document admits under the assignment, and what the port answered.
[[nodiscard]] shown_history show_history(judge::run const& judged, judge::evidence const& e, spec::cube assignment);
// The same without a run. Marks the rows that break one of `claims`.
[[nodiscard]] shown_history show_history(judge::judged_system const& system, histories::draw_source const& draws,
                                         judge::claim_mask claims, judge::evidence const& e, spec::cube assignment);

// The table as text, indented by four spaces. A long table is cut in the middle.
[[nodiscard]] std::string table_text(shown_history const& h, look const& seen = {});

// base_ms=2 max_ms=5
[[nodiscard]] std::string parameters_text(histories::shape const& s, histories::history const& h);
// What one field admits: 4, 0..5, [0, 5] or 0.25.
[[nodiscard]] std::string admitted_text(histories::shape const& s, std::size_t field, spec::admissible const& a);
// The answer to a call in short: its number, or its word where it has none.
[[nodiscard]] std::string answer_text(histories::shape const& s, spec::expectation const& admitted);

}  // namespace backoff::reports
