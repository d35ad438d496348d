// The verbs check and replay: hold a live port to a document.
#include <chrono>

#include "histories/json.hpp"
#include "oracle/check_session.hpp"
#include "oracle/started_port.hpp"
#include "oracle/verbs.hpp"
#include "session/input_file.hpp"
#include "transport/live_groups.hpp"

namespace backoff::oracle {
namespace {

history_set parse_histories(std::string const& what) {
  auto const slash = what.find('/');  // a token without parameters has nothing else to tell it by than its system
  bool const token = slash != std::string::npos &&
                     (what.find('=') != std::string::npos || find_judged_system(what.substr(0, slash)) != nullptr);
  try {
    if (token && !opened_input(what)) return parse_token(what);
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

// What is run, as its results say it.
results_header asked_for(judged_system const& system, std::vector<std::string> const& port,
                         judging_options const& options, std::uint64_t seed, std::uint64_t cases) {
  return {std::string(system.shape().stem),
          {},
          options.program,
          command_of(system, port, options),
          seed,
          {options.part, cases},
          options,
          {},
          {}};
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
      auto asks = asked_for(system, options.port, how, options.seed + i, total);
      check_session again(system, std::move(asks), prepare(system, how, {}, &known));
      again.judge_plan();
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
  auto asks = asked_for(system, options.port, options.judging, options.seed, total);
  check_session session(system, std::move(asks), prepare(system, options.judging, options.resume));
  session.judge_plan();
  return session.finish([&](failing_list& list) { return try_with_other_seeds(list, system, options, total); });
}

exit_code replay(replay_options const& options) {
  auto const set = parse_histories(options.what);
  auto const& system = named_system(set.system->stem);
  auto asks = asked_for(system, options.port, options.judging, 1, 0);
  check_session session(system, std::move(asks), prepare(system, options.judging));
  session.judge(set.cases);
  return session.finish();
}

}  // namespace backoff::oracle
