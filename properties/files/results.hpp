// A run as a file: what was asked of which port, every answer, and what the judge made of them, so that others can
// judge them again: `report` does, for the parts of a run together. JSON Lines: a header, the answers, what was shown,
// and a footer with the digest of all before it; properties/protocol/results.schema.json. Answers are short texts,
// about as long as their digits; a history that is regenerated from the seed is not written. Checked by:
// properties/oracle/results_test.py.
#pragma once

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/outside.hpp"
#include "files/output_file.hpp"
#include "files/sha256.hpp"
#include "judge/counterexample.hpp"
#include "session/breakdown.hpp"
#include "session/known_failing.hpp"
#include "session/names.hpp"
#include "session/options.hpp"
#include "transport/port_session.hpp"

namespace backoff::files {

// Which part of a plan is run: histories [first, first + count).
struct part {
  shard which;
  std::uint64_t total;
  [[nodiscard]] std::uint64_t first() const noexcept { return at(which.number - 1); }
  [[nodiscard]] std::uint64_t end() const noexcept { return at(which.number); }

 private:
  // Neither product overflows: total <= 2^53, and there are at most 1,000 shards.
  [[nodiscard]] std::uint64_t at(std::uint64_t n) const { return total * n / which.of; }
};

// What a results file begins with.
struct results_header {
  std::string system;
  std::string port;  // as it described itself, as JSON
  std::string program;
  std::vector<std::string> command;
  std::uint64_t seed = 1;
  part ran;
  judging_options options;  // those that a verdict depends on, and those of replay lines
  std::string known_failing_name;
  std::vector<std::string> known_failing;  // lines of that file
  std::string document{};                  // which version of it: read, and written from the system itself
};

// Why a run ended where it did.
enum class how_ended : std::uint8_t { done, enough, interrupted, gave_up, out_of_time };

// The readings of a set of assignments, those alone of which it leaves fewer alternatives than `of` has.
[[nodiscard]] nlohmann::ordered_json readings_json(spec::reading_table const& table, spec::cube of, spec::cube c);

// What the judge has come to: what a file says of it is held against what its answers say when they are judged again.
[[nodiscard]] nlohmann::ordered_json state_of(judge::run const& judged);

// Histories as a number that changes when they do: a plan is the same only for the same generators.
class plan_digest {
 public:
  void add(std::span<histories::history const> histories);
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t state_ = 0xcbf2'9ce4'8422'2325;
};

class results_writer {
 public:
  // Throws usage_error where the file cannot be written; so do all that follow.
  explicit results_writer(std::string const& path);
  void begin(results_header const& header);
  void probes(std::span<histories::result const> results);
  void answers(std::uint64_t from, std::span<histories::history const> histories,
               std::span<histories::result const> results);
  void twice(std::span<histories::result const> one, std::span<histories::result const> other);
  void compared_with_itself(judge::run const& judged, std::span<judge::compared const> all);
  // region: where it breaks; nullptr where that was not looked for. cut_short: until the time for that was over.
  void shown(judge::run const& judged, judge::counterexample const& c, explain::tested_region const* region,
             bool region_cut_short);
  void outside(histories::shape const& s, explain::outside const& tried, bool cut_short);
  void broke(judge::run const& judged, broken_port const& b);
  void end(judge::run const& judged, how_ended how);

 private:
  void line(std::string const& text);

  output_file file_;
  sha256 digest_;
  plan_digest plan_;
  std::uint64_t histories_ = 0;
};

// A results file that is whole. Its answers are read one line at a time.
class results_file {
 public:
  // Throws usage_error, naming the path, and the line where one is to blame: no results file, truncated, edited.
  explicit results_file(std::string path);

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] results_header const& header() const noexcept { return header_; }
  [[nodiscard]] how_ended ended() const noexcept { return ended_; }
  [[nodiscard]] nlohmann::ordered_json const& state() const noexcept { return state_; }
  [[nodiscard]] std::string const& plan() const { return plan_; }
  [[nodiscard]] std::uint64_t histories() const noexcept { return histories_; }

  struct two_processes {
    std::vector<histories::result> one;
    std::vector<histories::result> other;
  };
  // Throw usage_error where they are not those of such histories.
  [[nodiscard]] std::vector<histories::result> probes(histories::shape const& s) const;
  [[nodiscard]] two_processes twice(histories::shape const& s) const;
  [[nodiscard]] std::vector<judge::compared> compared_with_itself(judge::judged_system const& system) const;
  [[nodiscard]] std::vector<broken_port> broke() const;
  // The results of the next histories; none after the last.
  [[nodiscard]] std::vector<histories::result> next(histories::shape const& s);
  // The next histories are the first ones again.
  void begin_again();

  // A counterexample as the file has it, without the breach that it shows.
  struct finding {
    std::string claim;
    judge::how_shown how;
    std::uint64_t explained_by;
    std::vector<judge::evidence> histories;
    std::vector<std::string> excuses;
    judge::tries again{};
    bool cut_short = false;
    std::optional<explain::tested_region> region{};
    bool region_cut_short = false;
  };
  [[nodiscard]] std::vector<finding> findings(histories::shape const& s) const;
  struct elsewhere {
    explain::outside tried;
    bool cut_short;
  };
  // Nothing where none was tried.
  [[nodiscard]] std::optional<elsewhere> outside(histories::shape const& s) const;

  // Throws usage_error, naming what differs, where a run with that header is another one, or this one came to its end:
  // there is nothing to resume. Where the program is does not matter.
  void demand_resumable(results_header const& header) const;

  [[noreturn]] void refuse(std::string const& why) const;

 private:
  void read_header(std::string_view line);
  void read_footer(std::string_view line);

  std::string path_;
  results_header header_;
  nlohmann::json header_line_;
  how_ended ended_ = how_ended::done;
  nlohmann::ordered_json state_;
  std::string plan_;
  std::uint64_t histories_ = 0;
  nlohmann::json probes_;
  nlohmann::json twice_;
  nlohmann::json compared_;
  std::vector<nlohmann::json> findings_;
  std::vector<nlohmann::json> broke_;
  nlohmann::json outside_;
  std::ifstream answers_;
};

// One result as a text, or as an object where there is more to say; read back.
[[nodiscard]] nlohmann::ordered_json to_json(histories::result const& r);
// Throw text_error.
[[nodiscard]] histories::result parse_answered(histories::shape const& s, std::string_view text);
[[nodiscard]] histories::result parse_result(histories::shape const& s, nlohmann::json const& j);

}  // namespace backoff::files
