// What a person at a terminal sees besides the report: how far a long command is, and how wide and coloured a report
// may be. In a pipe there is none of it. Checked by: properties/oracle/terminal_test.py.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "reports/report.hpp"
#include "session/options.hpp"

namespace backoff::oracle {

// Whether what is written to the descriptor is coloured. choice: auto, always or never. auto: on a terminal that is not
// dumb, unless NO_COLOR is set.
[[nodiscard]] bool is_coloured(std::string_view choice, int descriptor);

// The text as standard output shows it. On a terminal, lines that are too long are wrapped. What follows the break is
// indented: it begins where the last column of a table begins in that line.
[[nodiscard]] std::string fitting(std::string_view text);

// The report as the options want it, to standard output.
void show(report const& r, report_options const& options);

// One line on standard error, where that is a terminal. It says what is being done, how much of it is done, the rate
// and the time left. It appears after half a second, and is taken away when this ends. A thread draws it, so that it
// moves while a port keeps everything waiting.
class progress {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  explicit progress(bool wanted = true);
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  ~progress() { end(); }

  // What is done from now on. total: how many `of` there are; 0: unknown. until: when it ends at the latest.
  void begin(std::string what, std::string of, std::uint64_t total = 0, std::optional<time_point> until = {});
  // What is done, as far as it is counted; any thread may add to it.
  [[nodiscard]] std::atomic<std::uint64_t>& done() noexcept { return done_; }
  // Writes a line to standard error, in place of the line that is drawn.
  void say(std::string const& line);
  // Takes the line away for good. Call before anything else is printed.
  void end();

 private:
  void draw_until_the_end();
  [[nodiscard]] std::string text(std::size_t width) const;
  void take_away();

  bool shown_;
  std::mutex mutable lock_;
  std::condition_variable ends_;
  bool ended_ = false;
  bool drawn_ = false;
  std::string what_;
  std::string of_;
  std::uint64_t total_ = 0;
  std::optional<time_point> until_;
  time_point began_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> done_ = 0;
  std::thread drawing_;
};

}  // namespace backoff::oracle
