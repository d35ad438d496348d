// What fuzzing has found, as people and as the other engines take it: the claim, the requirement behind it, the
// smallest history in its one JSON form and the line that replays it. Checked by: fuzz/campaign_test.py.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/evidence.hpp"
#include "judge/judged_system.hpp"
#include "reports/history_table.hpp"

namespace backoff::fuzz {

struct finding {
  static constexpr unsigned no_claim = ~0U;
  judge::judged_system const* system;
  unsigned claim = no_claim;                  // that is broken; none: it broke, or refused what it declares
  std::string what;                           // in that case
  std::vector<histories::history> histories;  // the last one shows it
  std::string remark{};                       // one line more, where there is more to say
  std::string table{};                        // what is admitted and what was answered, in lines
  std::string said{};                         // on standard error, in lines, where it broke
};

// Prints it to standard error. Where the environment names a folder, BACKOFF_FUZZ_FINDINGS, writes it there, or in the
// folder for temporary files where that is full: NAME.json, the history, and NAME.txt, the words; whole or not at all.
void file_finding(finding const& f);

// The file's bytes; ends the process where it cannot be read.
[[nodiscard]] std::string read_input(char const* path);

// How a process ended that did nothing but run some histories.
struct ending {
  std::string how;   // empty: as it should; otherwise what broke, the same words each time
  std::string said;  // the lines of a sanitizer that name the fault and its place, or the last lines of standard error
};
[[nodiscard]] ending breaks_alone(void (*run)(std::vector<histories::history> const&),
                                  std::vector<histories::history> const& histories);

// What is answered to a history until it breaks: the answers to its longest beginning that does not break. `answers`
// has none where a history breaks.
[[nodiscard]] judge::evidence until_it_breaks(
    histories::history const& h,
    std::function<std::optional<std::vector<histories::answer>>(histories::history const&)> const& answers);
// The table of such a history; the first step without an answer is marked.
[[nodiscard]] std::string table_until_it_breaks(reports::shown_history shown, judge::evidence const& e);
// The last lines of a text.
[[nodiscard]] std::string last_lines(std::string_view text);

// The history shrunk, one process for each try, while it breaks in the same way; half a minute at most.
[[nodiscard]] histories::history smallest_breaking(histories::shape const& s, histories::domain const& takes,
                                                   histories::history const& h, std::string const& how,
                                                   void (*run)(std::vector<histories::history> const&));

}  // namespace backoff::fuzz
