#include "oracle/called.hpp"

namespace backoff::oracle {

invocation called_by(results_header const& header) {
  auto const& options = header.options;
  invocation called{header.program,   words_for_replay(options), header.command,  header.seed,
                    header.ran.total, options.library.empty(),   header.ran.which};
  called.ranges = options.ranges;
  return called;
}

void note_end(invocation& called, how_ended how) noexcept {
  called.out_of_time |= how == how_ended::out_of_time;
  called.interrupted |= how == how_ended::out_of_time || how == how_ended::interrupted;
  called.cut_short |= how != how_ended::done;
}

}  // namespace backoff::oracle
