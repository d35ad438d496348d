#include "oracle/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "reports/print_report.hpp"

namespace backoff::oracle {
namespace {

using std::chrono::steady_clock;

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }

bool is_dumb() {
  auto const* const term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

std::size_t columns_of(int descriptor) {
  constexpr std::size_t usual = 80;
  winsize size{};
  bool const known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return known ? size.ws_col : usual;
}

// 7 s, 3 min 20 s, 2 h 5 min
std::string duration_text(double seconds) {
  auto const s = static_cast<std::uint64_t>(std::llround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

// 1200/s, 3.5/s, 12/min
std::string rate_text(double a_second) {
  if (a_second >= 10) return fmt::format("{:.0f}/s", a_second);
  return a_second >= 1 ? fmt::format("{:.1f}/s", a_second) : fmt::format("{:.0f}/min", 60 * a_second);
}

double seconds_of(steady_clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

bool is_coloured(std::string_view choice, int descriptor) {
  if (choice != "auto") return choice == "always";
  auto const* const refused = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && !is_dumb() && (refused == nullptr || *refused == '\0');
}

std::string fitting(std::string_view text) {
  if (!is_terminal(STDOUT_FILENO)) return std::string(text);
  auto const width = columns_of(STDOUT_FILENO);
  std::string result;
  while (!text.empty()) {
    auto const line = text.substr(0, text.find('\n'));
    auto const gap = line.substr(0, width / 2).rfind("  ");
    auto const column = std::min(line.find_first_not_of(' '), line.size());
    auto const indent = gap == std::string_view::npos || gap < column ? column : gap + 2;
    result.append(line.substr(0, indent)).append(wrapped(line.substr(indent), indent, width)) += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return result;
}

void show(report const& r, report_options const& options) {
  look seen;
  if (is_terminal(STDOUT_FILENO)) seen.columns = std::clamp<std::size_t>(columns_of(STDOUT_FILENO), 60, look().width());
  seen.colour = is_coloured(options.color, STDOUT_FILENO);
  print(r, form_named(options.format), options.quiet, seen);
}

progress::progress(bool wanted) : shown_(wanted && is_terminal(STDERR_FILENO) && !is_dumb()) {
  if (!shown_) return;
  // Signals are for the thread that waits for a port.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    drawing_ = std::thread([this] { draw_until_the_end(); });
  } catch (std::system_error const&) {
    shown_ = false;  // the system has no room for another thread: nothing is drawn
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void progress::begin(std::string what, std::string of, std::uint64_t total, std::optional<time_point> until) {
  std::lock_guard const held(lock_);
  what_ = std::move(what);
  of_ = std::move(of);
  total_ = total;
  until_ = until;
  began_ = steady_clock::now();
  done_ = 0;
}

void progress::say(std::string const& line) {
  std::lock_guard const held(lock_);
  take_away();
  std::fputs(line.c_str(), stderr);
}

void progress::end() {
  if (!drawing_.joinable()) return;
  {
    std::lock_guard const held(lock_);
    ended_ = true;
  }
  ends_.notify_one();
  drawing_.join();
  take_away();
}

void progress::draw_until_the_end() {
  constexpr std::chrono::milliseconds at_first{500};
  constexpr std::chrono::milliseconds each{200};
  std::unique_lock held(lock_);
  for (auto wait = at_first; !ends_.wait_for(held, wait, [this] { return ended_; }); wait = each) {
    if (what_.empty()) continue;
    auto const line = text(columns_of(STDERR_FILENO) - 1);  // one more would begin another line
    std::fputs(("\r" + line + "\x1b[K").c_str(), stderr);
    std::fflush(stderr);
    drawn_ = true;
  }
}

// What is done gives way to the numbers where both do not fit.
std::string progress::text(std::size_t width) const {
  auto const now = steady_clock::now();
  double const took = seconds_of(now - began_);
  auto const done = done_.load();
  std::string numbers;
  if (!of_.empty()) numbers = fmt::format(": {}{} {}", done, total_ == 0 ? "" : fmt::format(" of {}", total_), of_);
  numbers += ", " + (done == 0 || took <= 0 ? duration_text(took) : rate_text(static_cast<double>(done) / took));
  std::optional<double> left;
  if (total_ != 0 && done != 0)
    left = static_cast<double>(total_ - std::min(done, total_)) * took / static_cast<double>(done);
  double const at_most = until_ ? std::max(0.0, seconds_of(*until_ - now)) : 0;
  if (until_ && (!left || *left > at_most)) {
    numbers += fmt::format(", at most {} left", duration_text(at_most));
  } else if (left) {
    numbers += fmt::format(", {} left", duration_text(*left));
  }
  return (what_.substr(0, width - std::min(width, numbers.size())) + numbers).substr(0, width);
}

void progress::take_away() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace backoff::oracle
