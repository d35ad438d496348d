// The verbs check and replay: hold a live port to a document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "histories/json.hpp"
#include "judge/plan.hpp"
#include "oracle/judging.hpp"
#include "session/input_file.hpp"
#include "transport/library_port.hpp"
#include "transport/live_groups.hpp"

namespace backoff::oracle {
namespace {

constexpr std::size_t chunk = 2'048;

history_set parse_histories(std::string const& what) {
  auto const slash = what.find('/');  // a token without parameters has nothing else to tell it by than its system
  bool const token = slash != std::string::npos &&
                     (what.find('=') != std::string::npos || find_judged_system(what.substr(0, slash)) != nullptr);
  try {
    if (token && !std::ifstream(what)) return parse_token(what);
    auto text = read_whole_file(what, "a file or a replay token");
    constexpr char const* blanks = " \t\r\n";
    auto const first = text.find_first_not_of(blanks);
    if (first == std::string::npos) throw text_error("is empty: expected a token or JSON");
    text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
    return text.front() == '{' ? parse_json(text) : parse_token(text);
  } catch (text_error const& e) {
    throw usage_error((token ? std::string("replay token: ") : what + ": ") + e.what());
  }
}

// The command that starts the port: a library has one of ours.
std::vector<std::string> port_of(judged_system const& system, std::vector<std::string> const& port,
                                 judging_options const& options) {
  if (options.library.empty()) return port;
  return host_command(system.shape().stem, options.library, options.constants, options.sandbox);
}

// A port that draws for itself, or whose mapping of the draws nobody knows, may fail on one try and not on the next:
// until it does, or often enough to say how rarely it can.
void draw_again(judging& session, std::vector<history> const& cases, bool more) {
  std::size_t const tries_max = tries_of_replay(cases);
  std::size_t tries = 1;
  session.doing("drawing again", (tries_max - 1) * cases.size());
  while (more && !session.fails() && tries < tries_max) {
    std::vector<history> again;
    std::size_t const now = std::min(tries, tries_max - tries);
    for (std::size_t i = 0; i < now; ++i) again.insert(again.end(), cases.begin(), cases.end());
    more = session.feed(again);
    tries += now;
  }
  if (!more || session.fails()) return;
  // A failure of probability p shows in n tries with 1 - (1 - p)^n; that is 0.99 where p is about ln(100) / n.
  session.say(fmt::format(
      "backoff-oracle: note: the port {} for itself: nothing failed in {} tries; what fails in one of {:.0f} would "
      "have failed, with probability 0.99\n",
      session.draws() ? "draws" : "may draw", tries, std::max(1.0, static_cast<double>(tries) / std::log(100.0))));
}

// All histories of the plan that are the run's part.
void judge_plan(judging& session, shape const& s, files::part const& ran, std::uint64_t seed) {
  session.settle_mapping();
  plan histories(s, session.takes(), ran.total, seed, session.wants_samples());
  histories.skip(ran.first());
  session.begin(histories, ran.end() - ran.first());
  auto const next = [&] { return histories.next(std::min<std::uint64_t>(chunk, ran.end() - histories.given())); };
  for (auto batch = next(); !batch.empty() && session.feed(batch, &histories);) batch = next();
  if (ran.which.number == ran.which.of) session.compare_processes(histories.for_two_processes());
}

// Runs under the list, the first with the same seed, until some in a row find nothing to add to it. Whether the last of
// them was not given up.
bool try_with_other_seeds(failing_list& list, judged_system const& system, check_options const& options,
                          std::uint64_t total) {
  constexpr std::size_t runs_max = 40;
  constexpr std::size_t quiet_max = 10;
  constexpr double longest_s = 120;
  auto how = options.judging;
  double const given_s = how.max_time_s != 0 ? std::min(how.max_time_s, longest_s) : longest_s;
  auto const began = std::chrono::steady_clock::now();
  auto const left_s = [&] {
    return given_s - std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  how.report.format = "human";  // JSON would tell of a port that does not start
  how.results = how.known_failing = how.write_known_failing = how.report.junit = how.report.certificate = "";
  std::size_t quiet = 0;
  bool ended = false;
  for (std::size_t i = 0; i < runs_max && quiet < quiet_max && left_s() > 0; ++i) {
    try {
      how.max_time_s = left_s();
      auto const known = known_failing::parse(system, options.judging.write_known_failing, list.lines());
      judging again(system, port_of(system, options.port, how), how, options.seed + i, total, {}, &known);
      judge_plan(again, system.shape(), {how.part, total}, options.seed + i);
      quiet = again.add_to(list) ? 0 : quiet + 1;
      ended = !again.gave_up();
      if (!ended && known.may_break_anywhere()) return false;  // there is no more to be said of where it breaks
    } catch (session_failure const&) {
      return false;
    }
  }
  return ended;
}

}  // namespace

exit_code check(check_options const& options) {
  auto const& system = named_system(options.system);
  std::uint64_t const total = options.cases != 0 ? options.cases : cases_of_level(options.level);
  live_groups::interrupt_first();
  judging session(system, port_of(system, options.port, options.judging), options.judging, options.seed, total,
                  options.resume);
  judge_plan(session, system.shape(), {options.judging.part, total}, options.seed);
  return session.finish([&](failing_list& list) { return try_with_other_seeds(list, system, options, total); });
}

exit_code replay(replay_options const& options) {
  auto const set = parse_histories(options.what);
  auto const& system = named_system(set.system->stem);
  judging session(system, port_of(system, options.port, options.judging), options.judging, 1);
  auto const cases = without_hidden_draws(set.cases, system.shape(), session.takes());
  for (auto const& h : cases) demand_takeable(h, system.shape(), session.takes());
  session.settle_mapping();
  session.doing("replaying", cases.size());
  bool more = session.feed(cases);
  if (session.may_draw() && !cases.empty()) draw_again(session, cases, more);
  return session.finish();
}

}  // namespace backoff::oracle
