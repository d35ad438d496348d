// The pictures of a run, as numbers for the page to draw: delays by attempt, with what the document admits; hidden
// draws by their place in the window, with the bets on them; and, where a port shows no delay, its answers along its
// clock. The number of pictures is bounded. Which histories they show depends on the histories and the verdict alone.
// Checked by: properties/oracle/page_test.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "judge/counterexample.hpp"
#include "judge/run.hpp"

namespace backoff::reports {

// `data` is a JSON object, whose members depend on `kind`. null stands for no end, or no delay.
//   delays    attempt, delay: the names of the axes; last: the last attempt on the axis, at whose end later ones stand
//             band: [attempt, low, high]…, what is admitted whatever is drawn; fits: [attempt, delay]…;
//             misfits: [attempt, delay, what was admitted, what was answered]…
//   timeline  clock: the name of the axis; from, to: its ends, seconds from the first reading
//             zones: [from, to, words]…, what is admitted whatever is drawn; answers: [at, word, whether it fits]…
//   draws     bins: how many draws stand in each of some equal parts of their windows; expected: how many should
//   herd      unit: seconds of a bin; documented, port: requests in each bin, of clients as documented and of the
//   port's evidence  path: [draws, log10 of what bets have made of 1]…; threshold: the log10 that refutes
struct picture {
  std::string kind;
  std::string title;
  std::string says;  // what the picture shows, for readers who cannot see it
  std::string data;
};

// Makes the pictures of a judged run. It must see the histories of the run again, in their order.
class picture_maker {
 public:
  picture_maker(judge::run const& judged, std::vector<judge::counterexample> const& shown);
  ~picture_maker();
  void see(histories::history const& h, histories::result const& r, bool is_sample);
  void see_twice(histories::history const& h, histories::result const& one, histories::result const& other);
  [[nodiscard]] std::vector<picture> made() const;

 private:
  struct collected;
  std::unique_ptr<collected> all_;
};

}  // namespace backoff::reports
