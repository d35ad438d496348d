// A foreign port: a child process spoken to in port protocol 1, in batches, several in flight.
// Checked by: properties/oracle/broken_ports_test.py against real programs.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "session/breakdown.hpp"
#include "transport/port_process.hpp"
#include "transport/restartable.hpp"

namespace backoff::transport {

class port_session final : public restartable {
 public:
  // Starts the port and asks what it can do, which must be as expected, where another process of it has said so. Throws
  // session_failure.
  port_session(histories::shape const& s, std::vector<std::string> command, std::chrono::milliseconds timeout,
               judge::capabilities const* expected = nullptr);

  [[nodiscard]] judge::capabilities const& describes() const noexcept override { return about_; }
  // The same as it was said: one line of JSON.
  [[nodiscard]] std::string const& said() const noexcept { return said_; }
  // A failure inside a batch is traced to its history by asking a fresh process one by one; that history's result says
  // what broke, and the rest is judged by another process. Throws session_failure with the last of `breakdowns_max` of
  // these, or of as many as `restart` allowed.
  [[nodiscard]] std::vector<histories::result> run(std::span<histories::history const> histories) override;
  // The same; what was answered before a failure is in `results`, which was empty.
  void run(std::span<histories::history const> histories, std::vector<histories::result>& results);
  reason hold_back(reason why) override { return std::exchange(held_back_, std::move(why)); }
  static constexpr std::string_view known_to_break = "known to break the port";
  static constexpr std::string_view like_others = "others like it broke the port";
  // How many breakdowns a run goes on after, in place of `breakdowns_max`.
  void allow(std::size_t breakdowns) noexcept { allowed_ = breakdowns; }
  // Once that time has come, run returns the results that there are.
  void enough_at(std::optional<time_point> end) noexcept { enough_ = end; }
  // Says stop and waits for the end; kills what does not end. What is wrong with how it ended, in one line.
  [[nodiscard]] std::optional<std::string> stop();
  // Adds what is answered from now on to it.
  void count_in(std::atomic<std::uint64_t>& answered) noexcept { count_ = &answered; }
  std::optional<time_point> until(std::optional<time_point> end) noexcept override { return std::exchange(end_, end); }
  [[nodiscard]] bool out_of_time() const noexcept override { return has_come(end_); }

  // Before histories `first`, `first` + 1, … of a run that has seen `before` breakdowns, in other processes too.
  // answers: one of them has answered something.
  void resume(std::uint64_t first, std::size_t before, bool answers);
  [[nodiscard]] std::vector<breakdown> take_breakdowns() { return std::exchange(breakdowns_, {}); }
  static constexpr std::size_t breakdowns_max = 12;
  // The end of the message about histories that break the port only when they are sent together.
  static constexpr std::string_view each_alone = " sent together (each alone is answered)";
  [[nodiscard]] static session_failure too_many(breakdown const& b, std::size_t breakdowns = breakdowns_max);
  // A fresh process, for which the next history is number 1 of those that breakdowns speak of. Throws session_failure.
  void restart_uncounted();
  void restart(std::size_t allowed) override;
  // The end of its standard error.
  [[nodiscard]] std::string last_words() const;
  // That a process of the port has said something else of itself than the first one; empty: none has.
  [[nodiscard]] std::string const& contradiction() const noexcept { return contradiction_; }

 private:
  struct batch {
    std::size_t from;
    std::size_t count;  // 0: one that is not sent
    std::uint64_t id;
    std::string_view unsent = "longer than the port's max_line";
  };

  [[nodiscard]] static bool has_come(std::optional<time_point> t) noexcept {
    return t && std::chrono::steady_clock::now() >= *t;
  }
  void demand_time() const;
  void start();
  // After a breakdown; throws session_failure, naming that too.
  void start_again(std::exception const& error);
  [[nodiscard]] batch next_batch(std::span<histories::history const> all, std::size_t from) const;
  [[nodiscard]] std::string request(std::span<histories::history const> all, batch& b);
  void take(std::vector<histories::result>& results, std::vector<histories::result> answers);
  void trace(std::span<histories::history const> all, batch const& b, std::exception const& error,
             std::vector<histories::result>& results);
  // The failure that this makes, if the port is given up.
  [[nodiscard]] std::optional<session_failure> note(std::exception const& error, std::optional<std::size_t> index,
                                                    std::optional<histories::history> culprit);

  // All of its standard error has been seen then.
  [[nodiscard]] std::string how_it_ended(std::exception const& refused);

  histories::shape const* shape_;
  std::vector<std::string> command_;
  port_limits limits_;
  judge::capabilities about_;
  std::string said_;  // by the first process; empty where that was expected
  bool is_first_start_ = true;
  bool is_known_ = false;  // what the port says of itself
  std::string contradiction_;
  std::unique_ptr<port_process> process_;  // none where it did not start again
  std::string not_started_;                // why
  std::uint64_t next_id_ = 1;
  std::uint64_t answered_ = 0;
  std::atomic<std::uint64_t>* count_ = nullptr;
  std::size_t batch_max_ = 0;  // histories in a request; 0: as many as the port takes
  bool answered_anything_ = false;
  std::size_t allowed_ = breakdowns_max;
  std::size_t before_ = 0;  // breakdowns elsewhere, which count too
  reason held_back_;
  std::optional<time_point> end_;
  std::optional<time_point> enough_;
  bool busy_ = false;  // with requests whose answers nobody waits for any more
  std::vector<breakdown> breakdowns_;
};

}  // namespace backoff::transport
