// Sends the histories of a run to the port, and collects the answers. Answers of a run that was cut off come first;
// then the port is asked, but for histories like those that broke it. Checked by: properties/oracle/port_feed_test.cpp,
// properties/oracle/broken_ports_test.py, properties/oracle/results_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "explain/breaking.hpp"
#include "files/results.hpp"
#include "oracle/resumed_results.hpp"
#include "oracle/started_port.hpp"
#include "oracle/terminal.hpp"
#include "session/breakdown.hpp"
#include "session/known_failing.hpp"
#include "transport/port_pool.hpp"

namespace backoff::oracle {

// Why no more histories are judged.
struct run_end {
  how_ended how = how_ended::done;
  std::optional<breakdown> gave_up{};  // the port broke too often to go on
  [[nodiscard]] bool goes_on() const { return how == how_ended::done; }
  // Whether a signal or the time limit ended the run, not the port.
  [[nodiscard]] bool is_interrupted() const noexcept {
    return how == how_ended::interrupted || how == how_ended::out_of_time;
  }
};

class port_feed {
 public:
  // The arguments that are references must outlive this.
  port_feed(started_port port, histories::shape const& s, known_failing const& known,
            std::optional<resumed_results>& resumed, progress& line);
  port_feed(port_feed const&) = delete;
  port_feed& operator=(port_feed const&) = delete;

  struct answered {
    std::vector<histories::result> results;  // of the first histories; of all if the run goes on
    run_end end{};
  };
  // Asks the probes, which settle how the port maps draws. until: the time limit, if any.
  [[nodiscard]] answered probe(std::span<histories::history const> probes,
                               std::optional<restartable::time_point> until);
  // The next call of next() begins with history `first` of the run. until: the time limit of all that follow.
  void begin_at(std::uint64_t first, std::optional<restartable::time_point> until);
  // Asks the next histories, the first of which is number `from` of the run.
  [[nodiscard]] answered next(std::span<histories::history const> histories, std::uint64_t from);
  // Two fresh processes answer the same samples.
  struct answered_twice {
    std::vector<histories::result> one;
    std::vector<histories::result> other;
    run_end end{};
  };
  [[nodiscard]] answered_twice twice(std::span<histories::history const> samples);

  [[nodiscard]] judge::capabilities const& about() const { return about_; }
  [[nodiscard]] port_pool& port() noexcept { return port_; }
  [[nodiscard]] explain::breaking const& breaking() const noexcept { return breaking_; }

 private:
  [[nodiscard]] std::string_view held_back(histories::history const& h) const;
  enum class breakage : std::uint8_t { none, in_a_region, anywhere };
  breakage learn_where_it_breaks(std::span<histories::history const> asked, std::span<histories::result const> results);
  void ask(std::span<histories::history const> histories, std::vector<histories::result>& results);
  [[nodiscard]] run_end end_of(session_failure const& e);

  known_failing const* known_;
  port_pool port_;
  judge::capabilities about_;
  explain::breaking breaking_;
  std::optional<resumed_results>* resumed_;
  progress* line_;
};

}  // namespace backoff::oracle
