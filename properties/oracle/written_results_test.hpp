// Results of a run that was cut off, as a file.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "files/results.hpp"
#include "oracle/played_port_test.hpp"
#include "protocol/messages.hpp"

namespace backoff::oracle {

// The header of the results of that port, which was to answer so many histories.
inline results_header header_of(played_session const& session, std::uint64_t cases) {
  results_header header{"aws_backoff_algorithm", {}, "backoff-oracle", {"port"}, 1, {{}, cases}, {}, {}, {}};
  header.port = protocol::start_reply(full_jitter().shape(), session.port.describes());
  return header;
}

// What it answered to the probes, and to the first histories; `broke` is said of it at the end.
inline std::string cut_off_results(played_session& session, std::vector<histories::history> const& asked,
                                   std::uint64_t cases, std::vector<breakdown> const& broke = {}) {
  auto path = testing::TempDir() + "cut_off_results.jsonl";
  results_writer to(path);
  to.begin(header_of(session, cases));
  auto const& judged = session.feed.judged();
  to.probes(session.port.run(judge::mapping_probes(judged, 1)));
  to.answers(0, asked, session.port.run(asked));
  for (auto const& b : broke) to.broke(judged, {b, {}});
  to.end(judged, how_ended::interrupted);
  return path;
}

// The first histories of the plan of that run.
inline std::vector<histories::history> planned(played_session const& session, std::uint64_t count) {
  judge::plan histories(full_jitter().shape(), session.port.describes().takes, 1'000, 1);
  auto const some = histories.next(count);
  return {some.begin(), some.end()};
}

}  // namespace backoff::oracle
