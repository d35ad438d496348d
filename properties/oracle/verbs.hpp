// The program's verbs: each takes what the command line said and returns the exit code. Printing goes to standard
// output, errors are thrown. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/exit_codes.hpp"
#include "session/options.hpp"

namespace backoff::oracle {

struct check_options {
  std::string system;
  std::vector<std::string> port;
  std::uint64_t cases = 0;  // 0: as many as the level asks for
  std::uint64_t seed = 1;
  int level = 1;
  std::string resume;  // a results file
  judging_options judging;
};

struct replay_options {
  std::string what;  // a token, or a file that holds a token or JSON
  std::vector<std::string> port;
  judging_options judging;
};

struct eval_options {
  std::string system;
  std::vector<std::string> assignments;  // key=value
};

// What is not given is asked at a terminal, and elsewhere what a sentence that does not mention it means.
struct init_options {
  std::string program;  // as it was called
  std::optional<std::string> name;
  std::optional<std::string> language;
  std::optional<std::string> unit;
  std::optional<std::string> base;
  std::optional<std::string> jitter;
  std::optional<std::string> factor;
  std::optional<std::string> cap;
  std::optional<std::string> retries;
  std::optional<std::string> draws;
};

struct watch_options {
  std::string system;
  std::vector<std::string> program;  // and its arguments
  std::vector<std::string> params;   // key=value
  std::string failures = "503";
  std::optional<std::uint32_t> retry_after_s;
  std::optional<std::uint64_t> runs;  // by default, as many as the draws need
  std::size_t jobs = 10;
  double longest_s = 120;          // of a run
  double idle_s = 60;              // after a failure
  std::size_t attempts_max = 100;  // of a run
  double faster = 1;               // how many times, by libfaketime
  std::optional<double> slack_ms;  // in place of what is measured
  std::string known_failing;       // a file
  std::string results;             // a file
  report_options report;
};

struct plan_options {
  struct formula {
    std::string system;
    std::vector<std::string> params;  // NAME=VALUE
  };
  std::vector<formula> formulas;
  std::vector<std::string> params;  // of all formulas
  std::size_t retries = 10;
  std::optional<double> within_s;
  std::uint64_t clients = 0;  // 0: no herd
  double ramp_s = 0;
  double outage_s = 0;
  std::optional<std::uint64_t> capacity;  // requests a second
  std::uint64_t seed = 1;
  bool compare = false;          // with other strategies of jitter
  std::string format = "human";  // json, csv, markdown, svg
  std::string output;            // an HTML file
  bool quiet = false;
};

struct vectors_options {
  std::string system;
  std::uint64_t count = 400;
  std::uint64_t calls_max = 64;
  std::uint64_t seed = 1;
  std::string format = "json";  // or lines
  std::string describe;         // a file with a start reply: what the port takes
};

struct verify_options {
  std::string vectors;  // files
  std::string results;
  judging_options judging;
};

exit_code list(std::string const& system, bool json);  // all of them where none is named
exit_code explain(std::string const& id);
// Writes a policy and an adapter that conforms to it.
exit_code init(init_options const& options);
exit_code eval(eval_options const& options);
exit_code check(check_options const& options);
exit_code replay(replay_options const& options);
// Runs a program against a server that fails as told, and judges how long it waits.
exit_code watch_program(watch_options const& options);
// Says what formulas do to one client and to many.
exit_code plan_formulas(plan_options const& options);
// vectors prints test vectors for ports that cannot be driven. verify judges what was answered to them elsewhere.
exit_code vectors(vectors_options const& options);
exit_code verify(verify_options const& options);
// Judges what results files hold, together.
exit_code report_results(std::vector<std::string> const& files, report_options const& options);

}  // namespace backoff::oracle
