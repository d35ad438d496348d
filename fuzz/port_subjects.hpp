// Foreign ports as fuzzing drives them: a program over the pipe, or a C library in this process, whose calls of the
// system go to the history's draws, clock and memory (port_symbols.txt). Checked by: fuzz/campaign_test.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "judge/judged_system.hpp"
#include "judge/subject.hpp"
#include "ports/host/c_interface.hpp"
#include "transport/port_session.hpp"

namespace backoff::fuzz {

// In a process of its own: where it breaks, the next history finds a fresh one.
class port_in_process final : public conformance::subject {
 public:
  port_in_process(conformance::shape const& s, std::vector<std::string> command);
  [[nodiscard]] conformance::capabilities const& describes() const noexcept override { return session_.describes(); }
  [[nodiscard]] std::vector<conformance::result> run(std::span<conformance::history const> histories) noexcept override;

 private:
  oracle::port_session session_;
};

// In this process, which it takes with it where it crashes.
class loaded_library final : public conformance::subject {
 public:
  loaded_library(conformance::shape const& s, std::string const& path, std::vector<std::string> const& constants);
  [[nodiscard]] conformance::capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<conformance::result> run(std::span<conformance::history const> histories) noexcept override;

 private:
  conformance::shape const* shape_;
  conformance::capabilities about_;
  std::unique_ptr<conformance::host::bound_library> bound_;
};

// The port that the environment names: BACKOFF_FUZZ_LIBRARY, a path, with BACKOFF_FUZZ_CONSTANTS; or
// BACKOFF_FUZZ_COMMAND. Lists have a word a line. Throws what says why there is none.
[[nodiscard]] std::unique_ptr<conformance::subject> named_port(conformance::shape const& s);

// What the code of a loaded library has compared with, where it was compiled with -fsanitize=fuzzer-no-link.
[[nodiscard]] std::span<std::int64_t const> constants_of_port() noexcept;

}  // namespace backoff::fuzz
