// backoff-oracle: the command line. Verbs, options and exit codes are pinned; what they do is in verbs.hpp.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "history/printable.hpp"
#include "oracle/live_groups.hpp"
#include "oracle/policy_file.hpp"
#include "oracle/port_session.hpp"
#include "oracle/verbs.hpp"
#include "report/report.hpp"

namespace {

using namespace backoff::oracle;
using backoff::conformance::printable;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

// Everything behind the first "--" is the port and its arguments, whatever they look like.
struct words {
  std::vector<std::string> own;
  std::vector<std::string> port;
  bool has_port = false;
};

words split_words(int argc, char** argv) {
  words w;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    if (!w.has_port && word == "--") {
      w.has_port = true;
    } else {
      (w.has_port ? w.port : w.own).push_back(word);
    }
  }
  return w;
}

// A whole number of [low, high], written in digits alone.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) -> std::string {
        std::uint64_t n = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (error == std::errc{} && end == text.data() + text.size() && n >= low && n <= high) return {};
        return "'" + text + "': expected a whole number in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
      },
      "N");
}

CLI::Validator seconds() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        char* end = nullptr;
        double const s = std::strtod(text.c_str(), &end);
        if (end != text.c_str() && *end == '\0' && s >= 0.01 && s <= 86'400) return {};
        return "'" + text + "': expected seconds in [0.01, 86400]";
      },
      "S");
}

CLI::Validator path() {
  return CLI::Validator(
      [](std::string& text) -> std::string { return text.empty() ? "'': expected the name of a file" : ""; }, "FILE");
}

// I/N: part I of N.
CLI::Option* add_shard(CLI::App& verb, shard& to) {
  auto const parse = [&to](std::vector<std::string> const& words) {
    std::string const& text = words.back();
    auto const* const end = text.data() + text.size();
    auto const [slash, error] = std::from_chars(text.data(), end, to.number);
    if (error != std::errc{} || slash == end || *slash != '/') return false;
    auto const [last, error_of] = std::from_chars(slash + 1, end, to.of);
    return error_of == std::errc{} && last == end && to.number >= 1 && to.number <= to.of && to.of <= 1000;
  };
  return verb.add_option("--shard", parse, "judge part I of N of the plan; `report` joins them")
      ->type_name("I/N")
      ->expected(1);
}

void add_report_options(CLI::App& verb, report_options& to) {
  verb.add_option("--format", to.format, "human, json or markdown")
      ->check(CLI::IsMember({"human", "json", "markdown"}))
      ->type_name("");
  verb.add_option("--junit", to.junit, "write JUnit XML too, a test case a claim")->check(path())->type_name("FILE");
}

// What decides a verdict, once there are answers.
void add_verdict_options(CLI::App& verb, judging_options& to) {
  verb.add_option("--claim", to.claims,
                  "judge only the claims that match GLOB; what others show of readings counts for nothing then")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  verb.add_option("--skip", to.skips, "do not judge the claims that match GLOB")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  verb.add_option("--reading", to.readings, "admit only this alternative of a reading, a hazard too")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_flag("--strict", to.strict, "canonical readings of the document only; what it recommends fails too");
  verb.add_flag("--document-only", to.document_only, "what breaks the interface alone is reported, and does not fail");
  verb.add_option("--alpha", to.alpha, "probability that hidden draws refute a right port, in all (1e-9)")
      ->check(CLI::Range(1e-300, 0.1))
      ->type_name("A");
  add_report_options(verb, to.report);
  verb.add_option("--max-failures", to.max_failures, "stop after N failing histories (0: never)")
      ->check(whole_number(0, most))
      ->type_name("N");
}

void add_judging_options(CLI::App& verb, judging_options& to) {
  add_verdict_options(verb, to);
  verb.add_option("--library", to.library,
                  "judge a C library with the documented interface, in place of -- PORT; its code is run")
      ->type_name("LIB");
  verb.add_flag("--sandbox", to.sandbox,
                "run the library's code without network, processes, or files opened for writing, and with limits");
  verb.add_option("--param", to.constants, "what is compiled into the library, where it is not the documented default")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option(
          "--range", to.ranges,
          "put the port to these values alone, of a parameter, an argument (clock) or a constant; LOW or HIGH may "
          "be missing")
      ->type_name("NAME=LOW..HIGH")
      ->allow_extra_args(false);
  verb.add_option("--timeout", to.timeout_s, "seconds that an answer may take")->check(seconds())->type_name("S");
}

CLI::Option* add_known_failing(CLI::App& verb, judging_options& to) {
  return verb.add_option("--known-failing", to.known_failing, "failures that do not fail the run")
      ->check(path())
      ->type_name("FILE");
}

void add_policy(CLI::App& verb, std::string& to) {
  verb.add_option("--policy", to, "a policy's file: declares the system that is meant")
      ->check(path())
      ->type_name("FILE");
}

void demand_port(words const& w, CLI::App const& verb, judging_options const& options, char const* usage) {
  bool const library = verb.count("--library") != 0;
  if (library && w.has_port) throw usage_error("--library and -- PORT: expected one of them");
  if (library && options.library.empty()) throw usage_error("--library '': expected a shared library");
  if (!library && !options.constants.empty()) throw usage_error("--param needs --library: a port declares its ranges");
  if (!library && options.sandbox) throw usage_error("--sandbox needs --library: a port is started as it is");
  if (!library && w.port.empty()) throw usage_error(std::string("no port to judge: expected ") + usage);
}

exit_code dispatch(int argc, char** argv) {
  words const w = split_words(argc, argv);
  CLI::App app("Holds retry back-off implementations to the public documents that they follow.", "backoff-oracle");
  app.require_subcommand(1);
  app.set_version_flag("--version", "backoff-oracle " BACKOFF_VERSION ", port protocol 1");
  app.footer(
      "Exit: 0 conforms · 1 does not conform, or breaks the interface · 2 usage, or nothing matched · 3 the port\n"
      "crashed, hung or broke the protocol · 4 the oracle disagrees with itself · 5 inconclusive\n"
      "Bounds:\n"
      "  text       a reply 16 MiB, 65,536 JSON values and 64 more for each call, 32 levels; a name, version, "
      "language\n"
      "             or mapping 256 bytes; an input file 64 MiB. Kept: 1,000 bytes of a reason, the last 4 KiB of\n"
      "             standard error, 16 MiB of replies that were not asked for\n"
      "  seconds    an answer, to a batch or to one history: --timeout; a run: --max-time; making findings smaller:\n"
      "             60, or --max-time where that is less; the end of a port: 2, and 2 more after SIGTERM\n"
      "  processes  --jobs at a time; 5 restarts after failures, 2 of them after time-outs; 200 restarts to make a\n"
      "             finding smaller");

  bool json = false;
  std::string listed;
  auto* const list_verb = app.add_subcommand("list", "the systems, their requirements, readings and claims");
  list_verb->add_option("SYSTEM", listed, "this one alone; a policy's file too");
  list_verb->add_flag("--json", json, "as JSON");

  std::string id;
  auto* const explain_verb = app.add_subcommand("explain", "a system, requirement, reading or claim");
  explain_verb->add_option("ID", id, "a name; or a policy's file")->required();
  std::string policy;
  add_policy(*explain_verb, policy);

  eval_options evaluated;
  auto* const eval_verb = app.add_subcommand("eval", "the documented answers for one history, a line per reading");
  eval_verb->add_option("SYSTEM", evaluated.system)->required();
  eval_verb->add_option("KEY=VALUE", evaluated.assignments, "every parameter; draw=7,4 or steps=next:7,reset");

  check_options checked;
  checked.judging.program = argv[0];
  auto* const check_verb =
      app.add_subcommand("check", "hold a live port to a document: check SYSTEM [options] -- PORT [ARG…]");
  check_verb->add_option("SYSTEM", checked.system, "a document's name, or the file of a policy of your own")
      ->required();
  check_verb->add_option("--cases", checked.cases, "how many histories (10000; level 2: 10000000)")
      ->check(whole_number(1, std::uint64_t{1} << 53))
      ->type_name("N");
  check_verb->add_option("--seed", checked.seed, "of the generated histories (1)")
      ->check(whole_number(0, most))
      ->type_name("N");
  check_verb->add_option("--level", checked.level, "1 or 2: how deep")->check(CLI::Range(1, 2))->type_name("");
  check_verb->add_option("--jobs", checked.judging.jobs, "run N processes of the port (1); the verdict is the same")
      ->check(whole_number(1, 64))
      ->type_name("N");
  check_verb
      ->add_option("--max-time", checked.judging.max_time_s,
                   "seconds after which no history is tried any more; making what was found smaller has as long again")
      ->check(seconds())
      ->type_name("S");
  auto* const shard_option = add_shard(*check_verb, checked.judging.part);
  check_verb->add_option("--results", checked.judging.results, "write all that was answered, for `report`")
      ->check(path())
      ->type_name("FILE");
  check_verb->add_option("--resume", checked.resume, "go on where the run of these results was cut off")
      ->check(path())
      ->type_name("RESULTS");
  add_known_failing(*check_verb, checked.judging);
  check_verb->add_option("--write-known-failing", checked.judging.write_known_failing, "what fails, as such a file")
      ->check(path())
      ->type_name("FILE");
  add_judging_options(*check_verb, checked.judging);
  check_verb->get_option("--max-failures")->excludes(shard_option);

  replay_options replayed;
  replayed.judging.program = argv[0];
  auto* const replay_verb =
      app.add_subcommand("replay", "one history again: replay TOKEN|FILE [options] -- PORT [ARG…]");
  replay_verb->add_option("TOKEN|FILE", replayed.what)->required();
  add_policy(*replay_verb, replayed.judging.policy);
  add_judging_options(*replay_verb, replayed.judging);

  vectors_options made;
  auto* const vectors_verb =
      app.add_subcommand("vectors", "test vectors for ports that cannot be driven; verify judges the answers");
  vectors_verb->add_option("SYSTEM", made.system)->required();
  vectors_verb->add_option("--count", made.count, "how many histories are planned (400)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  vectors_verb->add_option("--max-calls", made.calls_max, "leave out histories of more calls (64)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  vectors_verb->add_option("--seed", made.seed, "of the generated histories (1)")
      ->check(whole_number(0, most))
      ->type_name("N");
  vectors_verb->add_option("--format", made.format, "json, or lines of ID TAB history")
      ->check(CLI::IsMember({"json", "lines"}))
      ->type_name("");
  vectors_verb->add_option("--describe", made.describe, "what the port takes: JSON, as it would answer start")
      ->check(path())
      ->type_name("FILE");

  verify_options verified;
  verified.judging.program = argv[0];
  auto* const verify_verb =
      app.add_subcommand("verify", "judge what was answered to vectors elsewhere: verify VECTORS ANSWERS [options]");
  verify_verb->add_option("VECTORS", verified.vectors)->required();
  verify_verb->add_option("ANSWERS", verified.results)->required();
  add_policy(*verify_verb, verified.judging.policy);
  add_verdict_options(*verify_verb, verified.judging);
  add_known_failing(*verify_verb, verified.judging);

  std::vector<std::string> files;
  report_options reported;
  auto* const report_verb = app.add_subcommand("report", "the verdict on what results files hold: all shards of a run");
  report_verb->add_option("RESULTS", files)->required();
  add_policy(*report_verb, reported.policy);
  add_report_options(*report_verb, reported);
  report_verb
      ->add_option("-o,--output", reported.page, "write a page of HTML, of several runs too; exit: the worst of them")
      ->check(path())
      ->type_name("FILE.html")
      ->excludes(report_verb->get_option("--format"));

  constexpr std::string_view verbs = " list explain eval check replay vectors verify report ";
  if (!w.own.empty() && !w.own[0].starts_with('-') && verbs.find(" " + w.own[0] + " ") == std::string_view::npos) {
    throw usage_error("unknown verb '" + w.own[0] +
                      "', expected one of: list, explain, eval, check, replay, vectors, verify, report");
  }
  if (!w.own.empty() && w.own[0].starts_with('-') && app.get_option_no_throw(w.own[0]) == nullptr) {
    throw usage_error(
        "unknown option '" + w.own[0] +
        "': expected a verb (list, explain, eval, check, replay, vectors, verify, report), --help or --version");
  }
  try {
    app.parse(std::vector<std::string>(w.own.rbegin(), w.own.rend()));
  } catch (CLI::CallForHelp const& e) {
    app.exit(e);
    return conforms;
  } catch (CLI::CallForVersion const& e) {
    app.exit(e);
    return conforms;
  } catch (CLI::ParseError const& e) {
    throw usage_error(std::string(e.what()) + " (backoff-oracle --help)");
  }

  // A file in place of a system's name declares one, which every verb then knows by its name.
  for (auto const& file : {policy, reported.policy, replayed.judging.policy, verified.judging.policy}) {
    if (!file.empty()) declare_file(file);
  }
  if (is_policy_file(checked.system)) checked.judging.policy = checked.system;
  for (auto* const word : {&listed, &id, &evaluated.system, &checked.system, &made.system}) {
    if (!word->empty()) *word = system_of_word(*word);
  }
  if (list_verb->parsed()) return list(listed, json);
  if (explain_verb->parsed()) return explain(id);
  if (eval_verb->parsed()) return eval(evaluated);
  if (report_verb->parsed()) return report_results(files, reported);
  if (vectors_verb->parsed()) return vectors(made);
  if (verify_verb->parsed()) return verify(verified);
  if (check_verb->parsed()) {
    demand_port(w, *check_verb, checked.judging, "check SYSTEM [options] -- PORT [ARG…], or --library LIB");
    checked.port = w.port;
    return check(checked);
  }
  demand_port(w, *replay_verb, replayed.judging, "replay TOKEN|FILE [options] -- PORT [ARG…], or --library LIB");
  replayed.port = w.port;
  replayed.judging.whole = false;
  return replay(replayed);
}

int fail(exit_code code, char const* what) {
  std::fprintf(stderr, "backoff-oracle: %s\n", printable(what).c_str());  // one line, whatever was typed
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // A file that is opened later must not become standard input, output or error.
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY) != descriptor) return usage;
    if (descriptor == STDOUT_FILENO) return fail(usage, "standard output is closed");
  }
  live_groups::end_with_this_process();
  live_groups::adopt_orphans();
  try {
    exit_code const code = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail(usage, "cannot write to standard output");
    return code;
  } catch (usage_error const& e) {
    return fail(usage, e.what());
  } catch (session_failure const& e) {
    if (live_groups::interrupted()) return fail(inconclusive, "interrupted before anything was judged");
    if (!e.stderr_tail.empty()) std::fputs(quoted_lines(e.stderr_tail).c_str(), stderr);
    return fail(port_broke, e.what());
  } catch (std::bad_alloc const&) {
    return fail(usage, "not enough memory");
  } catch (std::exception const& e) {
    return fail(oracle_broke, e.what());
  }
}
