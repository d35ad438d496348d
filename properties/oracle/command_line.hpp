// What each verb takes on the command line. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "oracle/verbs.hpp"

namespace backoff::oracle {

// The parser, and what it has read.
struct command_line {
  explicit command_line(char const* program);  // as it was called
  command_line(command_line const&) = delete;
  command_line& operator=(command_line const&) = delete;
  ~command_line() = default;

  [[nodiscard]] bool is(char const* verb) const { return app.get_subcommand(verb)->parsed(); }

  CLI::App app;
  std::string listed;  // of list
  bool json = false;
  std::string id;  // of explain
  std::string policy;
  init_options begun;
  eval_options evaluated;
  check_options checked;
  watch_options watched;
  plan_options planned;
  replay_options replayed;
  vectors_options made;
  verify_options verified;
  std::vector<std::string> files;  // of report
  report_options reported;
};

}  // namespace backoff::oracle
