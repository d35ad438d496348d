// Small programs that are watched, for the tests of this folder: shell and Python.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "watch/watch_runs.hpp"

namespace backoff::watch {

// Far more than anything here takes, where the end is not the limit's.
inline run_limits patient() {
  using namespace std::chrono_literals;
  return {.most_time = 60s, .most_attempts = 1000, .idle = 60s, .stop_grace = 10s};
}

inline watch_plan plan_of(std::string_view failures, std::vector<std::string> command,
                          run_limits const& limits = patient()) {
  watch_plan plan;
  plan.command = std::move(command);
  plan.failures = std::get<script>(read_script(failures));
  plan.limits = limits;
  plan.slack_samples = 0;
  return plan;
}

// What a client in Python begins with. read_all marks how the connection ended: "<end>", "<reset>".
inline std::vector<std::string> python(std::string const& source) {
  static std::string const prelude = R"(
import socket, sys, time
port = int(sys.argv[1])
def connect(): return socket.create_connection(("127.0.0.1", port))
def read_all(s):
  data = b""
  while True:
    try: got = s.recv(65536)
    except ConnectionResetError: return data + b"<reset>"
    if not got: return data + b"<end>"
    data += got
def read_until(s, end):
  data = b""
  while not data.endswith(end): data += s.recv(1) or sys.exit("ended after %r" % data)
  return data
def ask(s, head, body=b""): s.sendall(head.encode() + b"\r\n\r\n" + body)
)";
  return {"/usr/bin/python3", "-ISc", prelude + source, "{port}"};
}

inline std::vector<std::string> shell(std::string const& source) { return {"/bin/sh", "-c", source, "sh", "{port}"}; }

inline std::vector<run> runs_of(watch_plan const& plan) {
  std::vector<run> all;
  auto const result = watch_runs(plan, [&](run const& each, slack const&) {
    all.push_back(each);
    return true;
  });
  EXPECT_EQ(result.ended, watched::ending::all_ran);
  EXPECT_EQ(result.trouble, "");
  EXPECT_EQ(all.size(), plan.runs);
  all.resize(plan.runs);
  return all;
}

inline run run_of(watch_plan const& plan) { return runs_of(plan).front(); }

// One that must exit with 0.
inline run run_of_python(std::string_view failures, std::string const& source) {
  auto result = run_of(plan_of(failures, python(source)));
  EXPECT_EQ(result.ended, run::ending::exited);
  EXPECT_EQ(result.status, 0) << result.standard_error;
  return result;
}

inline std::int64_t wait_ns(run const& r, std::size_t before) {
  auto const& all = r.notes.attempts;
  auto const failed_ns = before < all.size() ? all[before - 1].failed_ns : std::nullopt;
  if (!failed_ns) {
    ADD_FAILURE() << "no attempt " << before << " after a failure: " << r.standard_error;
    return 0;
  }
  return all[before].came_ns - *failed_ns;
}

}  // namespace backoff::watch
