// Foreign ports as fuzzing drives them: a program over the pipe, or a C library in this process, whose calls of the
// system go to the history's draws, clock and memory (port_symbols.txt). Checked by: fuzz/campaign_test.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/c_interface.hpp"
#include "judge/judged_system.hpp"
#include "judge/subject.hpp"
#include "transport/port_session.hpp"

namespace backoff::fuzz {

// In a process of its own: where it breaks, the next history finds a fresh one.
class port_in_process final : public judge::subject {
 public:
  port_in_process(histories::shape const& s, std::vector<std::string> command);
  [[nodiscard]] judge::capabilities const& describes() const noexcept override { return session_.describes(); }
  [[nodiscard]] std::vector<histories::result> run(std::span<histories::history const> histories) override;

 private:
  transport::port_session session_;
};

// In this process, which it takes with it where it crashes.
class loaded_library final : public judge::subject {
 public:
  loaded_library(histories::shape const& s, std::string const& path, std::vector<std::string> const& constants);
  [[nodiscard]] judge::capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<histories::result> run(std::span<histories::history const> histories) override;

 private:
  histories::shape const* shape_;
  judge::capabilities about_;
  std::unique_ptr<host::bound_library> bound_;
};

// The port that the environment names: BACKOFF_FUZZ_LIBRARY, a path, with BACKOFF_FUZZ_CONSTANTS; or
// BACKOFF_FUZZ_COMMAND. Lists have a word a line. Throws what says why there is none.
[[nodiscard]] std::unique_ptr<judge::subject> named_port(histories::shape const& s);

// What the code of a loaded library has compared with, where it was compiled with -fsanitize=fuzzer-no-link.
[[nodiscard]] std::span<std::int64_t const> constants_of_port() noexcept;

// The end of what a port in a process of its own said on standard error when it last broke.
[[nodiscard]] std::string const& said_by_port() noexcept;

}  // namespace backoff::fuzz
