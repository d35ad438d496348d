// backoff-oracle: the command line. Verbs, options and exit codes are pinned; what they do is in verbs.hpp.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "files/policy_file.hpp"
#include "histories/printable.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "policies/expression.hpp"
#include "reports/print_report.hpp"
#include "reports/text.hpp"
#include "transport/live_groups.hpp"
#include "transport/port_session.hpp"

namespace {

using namespace backoff::oracle;
using backoff::histories::printable;

// As wide as a terminal usually is.
constexpr std::size_t help_width = 80;

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
      "");
}

// A decimal number of [low, high].
CLI::Validator number(double low, double high, std::string const& expected) {
  return CLI::Validator(
      [low, high, expected](std::string& text) -> std::string {
        char* end = nullptr;
        double const n = std::strtod(text.c_str(), &end);
        if (end != text.c_str() && *end == '\0' && n >= low && n <= high) return {};
        return "'" + text + "': expected " + expected;
      },
      "");
}

CLI::Validator seconds() { return number(0.01, 86'400, "seconds in [0.01, 86400]"); }

CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& text) -> std::string {
        if (std::ranges::find(words, text) != words.end()) return {};
        return fmt::format("'{}': expected one of: {}{}", text, fmt::join(words, ", "),
                           backoff::policies::nearest_name(text, words));
      },
      "");
}

// The help: lines that fit a terminal, and the port behind --, of which CLI11 knows nothing.
class help_text final : public CLI::Formatter {
 public:
  std::string make_help(CLI::App const* app, std::string name, CLI::AppFormatMode mode) const override {
    auto text = Formatter::make_help(app, std::move(name), mode);
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
    return text;
  }
  std::string make_usage(CLI::App const* app, std::string name) const override {
    auto text = Formatter::make_usage(app, std::move(name));
    bool const takes_port = app->get_option_no_throw("--library") != nullptr;
    if (takes_port) text.insert(text.find_last_not_of('\n') + 1, " {-- PORT [ARG…]|--library LIB}");
    return text;
  }
  std::string make_option_opts(CLI::Option const* option) const override {
    auto const text = Formatter::make_option_opts(option);
    return text.substr(0, std::min(text.find(" Excludes:"), text.find(" REQUIRED")));
  }
  std::string make_option_desc(CLI::Option const* option) const override {
    return in_column(option->get_description());
  }
  std::string make_subcommand(CLI::App const* verb) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_name(), in_column(verb->get_description()), get_column_width());
    return out.str();
  }

 private:
  [[nodiscard]] std::string in_column(std::string const& text) const {
    return wrapped(text, 0, help_width - get_column_width());
  }
};

CLI::Validator path() {
  return CLI::Validator(
      [](std::string& text) -> std::string { return text.empty() ? "'': expected the name of a file" : ""; }, "");
}

// I/N: part I of N.
bool is_shard(std::string const& text, shard& to) {
  auto const* const end = text.data() + text.size();
  auto const [slash, error] = std::from_chars(text.data(), end, to.number);
  if (error != std::errc{} || slash == end || *slash != '/') return false;
  auto const [last, error_of] = std::from_chars(slash + 1, end, to.of);
  return error_of == std::errc{} && last == end && to.number >= 1 && to.number <= to.of && to.of <= 1000;
}
CLI::Option* add_shard(CLI::App& verb, shard& to) {
  auto const parse = [&to](std::string const& text) {
    if (is_shard(text, to)) return;
    throw CLI::ValidationError("--shard", "'" + text + "': expected I/N with 1 <= I <= N <= 1000");
  };
  return verb
      .add_option_function<std::string>("--shard", parse, "Judge part I of N of the plan; `report` joins the parts")
      ->type_name("I/N");
}

CLI::Option* add_file(CLI::App& verb, std::string const& name, std::string& to, std::string const& about) {
  return verb.add_option(name, to, about)->check(path())->type_name("FILE");
}

// Those that `check --any` prints in, or all.
std::vector<std::string> names_of_forms(bool of_any) {
  std::vector<std::string> names;
  for (auto const& form : report_forms()) {
    if (form.of_any || !of_any) names.emplace_back(form.name);
  }
  return names;
}

void add_report_options(CLI::App& verb, report_options& to) {
  verb.add_option("--format", to.format, "Format of the verdict (human)")
      ->check(one_of(names_of_forms(false)))
      ->type_name(fmt::format("{}", fmt::join(names_of_forms(false), "|")));
  verb.add_option("--color", to.color, "Colour the human verdict (auto: on a terminal, unless NO_COLOR is set)")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("auto|always|never");
  verb.add_flag("-q,--quiet", to.quiet, "Print only the last line of the report, which is the verdict")
      ->excludes(verb.get_option("--format"));
  add_file(verb, "--junit", to.junit, "Also write JUnit XML, one test case per claim");
}

CLI::Option* add_certificate(CLI::App& verb, report_options& to) {
  return add_file(verb, "--certificate", to.certificate,
                  "Write the evidence for the verdict to FILE, for backoff-certify");
}

// What decides a verdict, once there are answers.
void add_verdict_options(CLI::App& verb, judging_options& to) {
  verb.add_option("--claim", to.claims,
                  "Judge only the claims that match GLOB; the other claims then decide no reading")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  verb.add_option("--skip", to.skips, "Do not judge the claims that match GLOB")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  verb.add_option("--reading", to.readings, "Admit only this alternative of a reading; VALUE may be a hazard")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_flag("--strict", to.strict,
                "Admit only the canonical readings, and fail a port that breaks a recommendation");
  verb.add_flag("--document-only", to.document_only,
                "Report a broken interface claim, but do not fail the port for it");
  verb.add_option("--alpha", to.alpha, "Highest probability that chance fails a correct port with hidden draws (1e-9)")
      ->check(number(1e-300, 0.1, "a probability above 0, at most 0.1"))
      ->type_name("A");
  add_report_options(verb, to.report);
  verb.add_option("--max-failures", to.max_failures, "Stop after N failing histories (0: never)")
      ->check(whole_number(0, most))
      ->type_name("N");
}

void add_judging_options(CLI::App& verb, judging_options& to) {
  add_verdict_options(verb, to);
  verb.add_option("--library", to.library,
                  "Judge a C library with the documented functions instead of -- PORT; runs its code")
      ->type_name("LIB");
  verb.add_flag("--sandbox", to.sandbox,
                "Run the library without network, new processes or files opened for writing, and with resource limits");
  verb.add_option("--param", to.constants,
                  "The value of a constant that the library was compiled with, if it is not the documented default")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option(
          "--range", to.ranges,
          "Use only these values of a parameter, an argument (clock) or a constant; omit LOW or HIGH for an open end")
      ->type_name("NAME=LOW..HIGH")
      ->allow_extra_args(false);
  verb.add_option("--timeout", to.timeout_s, "Time limit for one answer, in seconds (10)")
      ->check(seconds())
      ->type_name("S");
}

CLI::Option* add_known_failing(CLI::App& verb, judging_options& to) {
  return add_file(verb, "--known-failing", to.known_failing,
                  "Read known failures, which do not fail the run, from FILE");
}

void add_policy(CLI::App& verb, std::string& to) {
  verb.add_option("--policy", to, "The policy file that declares the system")->check(path())->type_name("FILE");
}

// The help lists the options of a verb by purpose.
void group(CLI::App& verb, char const* heading, std::initializer_list<char const*> names) {
  for (auto const* name : names) verb.get_option(name)->group(heading);
}

void demand_port(words const& w, CLI::App const& verb, judging_options const& options, char const* usage) {
  bool const library = verb.count("--library") != 0;
  if (library && w.has_port) throw usage_error("--library and -- PORT: expected one, not both");
  if (library && options.library.empty()) throw usage_error("--library '': expected a shared library");
  if (!library && !options.constants.empty())
    throw usage_error("--param needs --library; a port declares its own ranges");
  if (!library && options.sandbox) throw usage_error("--sandbox needs --library; a port always runs without a sandbox");
  if (!library && w.port.empty()) throw usage_error(std::string("no port given, expected ") + usage);
}

constexpr char const* exits =
    "Exit codes:\n"
    "  0  the port conforms\n"
    "  1  the port does not conform, or breaks the interface that ports share\n"
    "  2  usage error, or nothing matched\n"
    "  3  the port crashed, hung or broke the protocol\n"
    "  4  the oracle disagrees with itself: please report it\n"
    "  5  inconclusive\n";

constexpr char const* exits_of_programs =
    "Exit codes:\n"
    "  0  the program conforms, as far as it was seen\n"
    "  1  the program does not conform\n"
    "  2  usage error\n"
    "  3  the program cannot be started, or made no attempt\n"
    "  5  inconclusive\n";

constexpr char const* exits_of_texts =
    "Exit codes:\n"
    "  0  done\n"
    "  2  usage error, or nothing matched\n";

constexpr char const* limits =
    "\n"
    "Limits:\n"
    "  text       A reply: 16 MiB, 65,536 JSON values plus 64 per call, 32 levels. A\n"
    "             name, version, language or mapping: 256 bytes. An input file:\n"
    "             64 MiB. Of what a port prints, the oracle keeps 1,000 bytes of each\n"
    "             error, the last 4 KiB of standard error and 16 MiB of unexpected\n"
    "             replies. The text of a verdict: 200 lines of at most 4 KiB,\n"
    "             100 kB; a longer verdict is in a file.\n"
    "  seconds    An answer to a batch or to one history: --timeout. A run:\n"
    "             --max-time. Shrinking the findings: 60, or --max-time if that is\n"
    "             less. The exit of a port: 2, and 2 more after SIGTERM.\n"
    "  processes  --jobs at a time. A port is given up after 12 failures that have\n"
    "             nothing in common, or 3 time-outs. Shrinking the findings: 200\n"
    "             restarts.";

// What nobody knows, with the nearest word that is known.
[[noreturn]] void refuse_word(std::string const& what, std::string const& word, std::string const& expected,
                              std::vector<std::string> const& known) {
  throw usage_error(fmt::format("unknown {} '{}', expected {}{}", what, word, expected,
                                backoff::policies::nearest_name(word, known)));
}

// The option or argument that no verb takes.
[[noreturn]] void refuse_extra(CLI::App const& app, CLI::App const& verb) {
  auto const extra = app.remaining(true);
  auto const option = std::ranges::find_if(extra, [](std::string const& word) { return word.starts_with("-"); });
  auto const help = fmt::format("backoff-oracle {} --help", verb.get_name());
  if (option == extra.end()) {
    bool const takes_port = verb.get_option_no_throw("--library") != nullptr;
    auto const hint = takes_port ? ": write -- before the command that starts the port" : " of " + verb.get_name();
    throw usage_error(fmt::format("unexpected argument '{}'{} ({})", extra.front(), hint, help));
  }
  std::vector<std::string> known;
  for (auto const* o : verb.get_options())
    for (auto const& name : o->get_lnames()) known.push_back("--" + name);
  auto const name = option->substr(0, option->find('='));
  throw usage_error(fmt::format("unknown option '{}' of {}{} ({} lists them)", name, verb.get_name(),
                                backoff::policies::nearest_name(name, known), help));
}

exit_code dispatch(int argc, char** argv) {
  words const w = split_words(argc, argv);
  CLI::App app("Tests retry and back-off code against the public document that it implements.", "backoff-oracle");
  app.require_subcommand(1);
  app.set_version_flag("--version", "backoff-oracle " BACKOFF_VERSION ", port protocol 1");
  app.formatter(std::make_shared<help_text>());
  app.footer(std::string(exits) + limits);  // subcommands inherit it

  bool json = false;
  std::string listed;
  auto* const list_verb =
      app.add_subcommand("list", "List the systems, or the requirements, readings and claims of one");
  list_verb->add_option("SYSTEM", listed, "List this system, or this policy file, only");
  list_verb->add_flag("--json", json, "Print JSON");

  std::string id;
  auto* const explain_verb = app.add_subcommand("explain", "Explain a system, requirement, reading, claim or theorem");
  explain_verb->add_option("ID", id, "Its name, as `list` prints it, or a policy file")->required()->type_name("");
  std::string policy;
  add_policy(*explain_verb, policy);

  init_options begun;
  begun.program = argv[0];
  auto* const init_verb =
      app.add_subcommand("init", "Write a policy and an adapter; at a terminal, ask for what is missing");
  init_verb->add_option("NAME", begun.name, "Name of the policy, and of its files (my_policy)")->type_name("");
  init_verb->add_option("--language", begun.language, "Language of the adapter (python)")
      ->type_name("python|javascript|go|java|rust|c|cpp");
  init_verb->add_option("--base", begun.base, "First delay, such as 100ms, 1.5s or 2min (1000ms)")->type_name("DELAY");
  init_verb->add_option("--unit", begun.unit, "Unit of the delays of your code (that of --base)")
      ->type_name("ns|us|ms|s");
  init_verb->add_option("--factor", begun.factor, "Growth of delays: such as 1.6, constant or linear (2)")
      ->type_name("F");
  init_verb
      ->add_option("--jitter", begun.jitter, "Jitter: none, full, equal, decorrelated, or such as 20% or +100ms (none)")
      ->type_name("JITTER");
  init_verb->add_option("--cap", begun.cap, "Longest delay, or none (none)")->type_name("DELAY");
  init_verb->add_option("--retries", begun.retries, "Retries, without the first try, or forever (forever)")
      ->type_name("N");
  init_verb
      ->add_option("--draws", begun.draws,
                   "Random numbers: your code makes them, or takes one of [0, 1) for each delay (hidden)")
      ->type_name("hidden|given");
  init_verb->footer(
      "Examples:\n"
      "  1 s x 1.6, +/- 20 %, at most 120 s, 10 retries, by a client in Go:\n"
      "    backoff-oracle init my_client --language go --base 1s --factor 1.6 \\\n"
      "      --jitter 20% --cap 120s --retries 10\n"
      "\n" +
      std::string(exits_of_texts));

  eval_options evaluated;
  auto* const eval_verb =
      app.add_subcommand("eval", "Print the documented answers for one history, one line per reading");
  eval_verb->add_option("SYSTEM", evaluated.system, "The document, as `list` prints it, or a policy file")
      ->required()
      ->type_name("");
  eval_verb->add_option("KEY=VALUE", evaluated.assignments, "Every parameter, and draw=7,4 or steps=next:7,reset");

  check_options checked;
  checked.judging.program = argv[0];
  auto* const check_verb = app.add_subcommand("check", "Test a port against a document");
  check_verb->add_option("SYSTEM", checked.system, "The document, as `list` prints it, or a policy file")
      ->type_name("");
  check_verb->add_option("--cases", checked.cases, "Number of histories (10000; 10000000 at level 2)")
      ->check(whole_number(1, std::uint64_t{1} << 53))
      ->type_name("N");
  check_verb->add_option("--seed", checked.seed, "Seed of the generated histories (1)")
      ->check(whole_number(0, most))
      ->type_name("N");
  check_verb->add_option("--level", checked.level, "Depth of the search: 10,000 histories, or ten million (1)")
      ->check(whole_number(1, 2))
      ->type_name("1|2");
  check_verb->add_option("--jobs", checked.judging.jobs, "Run N processes of the port (1); the verdict is the same")
      ->check(whole_number(1, 64))
      ->type_name("N");
  check_verb
      ->add_option("--max-time", checked.judging.max_time_s,
                   "Stop trying histories after S seconds; shrinking the findings may take S seconds more")
      ->check(seconds())
      ->type_name("S");
  auto* const shard_option = add_shard(*check_verb, checked.judging.part);
  add_file(*check_verb, "--resume", checked.resume, "Continue the interrupted run that wrote RESULTS")
      ->type_name("RESULTS");
  add_known_failing(*check_verb, checked.judging);
  add_judging_options(*check_verb, checked.judging);
  add_file(*check_verb, "--results", checked.judging.results, "Write every answer to FILE, for `report`");
  add_file(*check_verb, "--write-known-failing", checked.judging.write_known_failing,
           "Write the current failures to FILE as known failures");
  add_certificate(*check_verb, checked.judging.report);
  auto* const any_option = check_verb->add_flag(
      "--any", checked.any, "Find the document or the shelf's policy that explains the delays; SYSTEM may be omitted");
  check_verb->get_option("--max-failures")->excludes(shard_option);
  for (auto const* name : {"--cases", "--level", "--jobs", "--max-time", "--shard", "--resume", "--known-failing",
                           "--write-known-failing", "--results", "--certificate", "--junit", "--claim", "--skip",
                           "--reading", "--strict", "--document-only", "--alpha", "--max-failures"})
    any_option->excludes(check_verb->get_option(name));
  group(*check_verb, "Histories", {"--cases", "--seed", "--level", "--range", "--max-failures"});
  group(*check_verb, "Port",
        {"--jobs", "--timeout", "--max-time", "--library", "--sandbox", "--param", "--shard", "--resume"});
  group(*check_verb, "Judgement",
        {"--any", "--claim", "--skip", "--reading", "--strict", "--document-only", "--alpha", "--known-failing"});
  group(*check_verb, "Output",
        {"--format", "--quiet", "--color", "--junit", "--results", "--certificate", "--write-known-failing"});
  check_verb->footer(
      "Examples:\n"
      "  A port in Python, then a C library with the documented functions:\n"
      "    backoff-oracle check aws_backoff_algorithm -- python3 my_port.py\n"
      "    backoff-oracle check aws_retry_utils --library ./libretry.so --sandbox\n"
      "  In a build, with known failures and a report for the build server:\n"
      "    backoff-oracle check aws_step_functions --known-failing known.txt \\\n"
      "      --junit oracle.xml -- ./my-port\n"
      "  A long run in two parts, and their verdict:\n"
      "    backoff-oracle check my_policy.yaml --level 2 --shard 1/2 --results 1 -- ./p\n"
      "    backoff-oracle check my_policy.yaml --level 2 --shard 2/2 --results 2 -- ./p\n"
      "    backoff-oracle report --policy my_policy.yaml 1 2\n"
      "\n" +
      std::string(exits) + limits);

  watch_options watched;
  auto* const watch_verb =
      app.add_subcommand("watch", "Judge how long a program waits, as it runs against a server that fails");
  watch_verb->add_option("SYSTEM", watched.system, "The document, as `list` prints it, or a policy file")
      ->required()
      ->type_name("");
  watch_verb->add_option("--param", watched.params, "A parameter of the document; the others have their defaults")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  watch_verb
      ->add_option("--fail", watched.failures,
                   "How the attempts fail, the last one for good: a status, close, reset, hang or bytes:N (503)")
      ->type_name("LIST");
  watch_verb->add_option("--retry-after", watched.retry_after_s, "The failures say Retry-After: S seconds")
      ->check(whole_number(0, 86'400))
      ->type_name("S");
  watch_verb->add_option("--runs", watched.runs, "Number of times that the program is run (20)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  watch_verb->add_option("--jobs", watched.jobs, "How many run at a time (10)")
      ->check(whole_number(1, 256))
      ->type_name("N");
  watch_verb->add_option("--max-time", watched.longest_s, "End a run after S seconds (120)")
      ->check(seconds())
      ->type_name("S");
  watch_verb->add_option("--idle", watched.idle_s, "End a run S seconds after a failure, if no attempt comes (60)")
      ->check(seconds())
      ->type_name("S");
  watch_verb->add_option("--max-attempts", watched.attempts_max, "End a run after N attempts (100)")
      ->check(whole_number(2, 10'000))
      ->type_name("N");
  watch_verb
      ->add_option("--slack", watched.slack_ms,
                   "How many milliseconds a wait may be too long, in place of what is measured")
      ->check(whole_number(0, 3'600'000))
      ->type_name("MS");
  watch_verb->add_option("--faster", watched.faster, "Let time pass N times faster for the program, by libfaketime")
      ->check(whole_number(1, 100))
      ->type_name("N");
  watch_verb->add_option("--format", watched.format, "Print text or json")
      ->check(one_of({"text", "json"}))
      ->type_name("text|json");
  watch_verb->add_flag("--quiet", watched.quiet, "Show no progress");
  watch_verb->footer(
      "In the arguments of PROGRAM, {url} stands for the address of the server,\n"
      "{target} for its host and port, {host} and {port} for each.\n"
      "Examples:\n"
      "  backoff-oracle watch curl_retry --param retry=3 -- curl -s --retry 3 {url}\n"
      "  backoff-oracle watch my_policy.yaml --fail reset -- ./client {target}\n" +
      std::string(exits_of_programs));

  replay_options replayed;
  replayed.judging.program = argv[0];
  auto* const replay_verb = app.add_subcommand("replay", "Run one history again");
  replay_verb->add_option("TOKEN|FILE", replayed.what, "The history: a token, or a file with a token or JSON")
      ->required()
      ->type_name("");
  add_policy(*replay_verb, replayed.judging.policy);
  add_judging_options(*replay_verb, replayed.judging);

  vectors_options made;
  auto* const vectors_verb = app.add_subcommand("vectors", "Print test vectors, for code that the oracle cannot start");
  vectors_verb->add_option("SYSTEM", made.system, "The document, as `list` prints it, or a policy file")
      ->required()
      ->type_name("");
  vectors_verb->add_option("--count", made.count, "Number of planned histories (400)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  vectors_verb->add_option("--max-calls", made.calls_max, "Leave out histories of more than N calls (64)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  vectors_verb->add_option("--seed", made.seed, "Seed of the generated histories (1)")
      ->check(whole_number(0, most))
      ->type_name("N");
  vectors_verb->add_option("--format", made.format, "Print json, or lines of ID TAB history")
      ->check(one_of({"json", "lines"}))
      ->type_name("json|lines");
  add_file(*vectors_verb, "--describe", made.describe,
           "Limit the vectors to what a port accepts: FILE holds its JSON reply to `start`");

  verify_options verified;
  verified.judging.program = argv[0];
  auto* const verify_verb = app.add_subcommand("verify", "Judge answers to test vectors");
  verify_verb->add_option("VECTORS", verified.vectors, "The output of `vectors`")->required()->type_name("FILE");
  verify_verb->add_option("ANSWERS", verified.results, "What the port answered, as JSON or plain lines")
      ->required()
      ->type_name("FILE");
  add_policy(*verify_verb, verified.judging.policy);
  add_verdict_options(*verify_verb, verified.judging);
  add_known_failing(*verify_verb, verified.judging);
  add_certificate(*verify_verb, verified.judging.report);

  std::vector<std::string> files;
  report_options reported;
  auto* const report_verb =
      app.add_subcommand("report", "Print the verdict on results files: one run, or all shards of one");
  report_verb->add_option("RESULTS", files, "Files that `check --results` wrote")->required()->type_name("FILE");
  add_policy(*report_verb, reported.policy);
  add_report_options(*report_verb, reported);
  auto* const certificate_option = add_certificate(*report_verb, reported);
  report_verb
      ->add_option("-o,--output", reported.page,
                   "Write an HTML page, of one or several runs; exits with the worst of their codes")
      ->check(path())
      ->type_name("FILE.html")
      ->excludes(report_verb->get_option("--format"))
      ->excludes(certificate_option);

  for (auto* const verb : {list_verb, explain_verb, eval_verb, vectors_verb}) verb->footer(exits_of_texts);
  for (auto* const verb : {replay_verb, verify_verb, report_verb}) verb->footer(exits);

  std::vector<std::string> verbs;
  for (auto const* verb : app.get_subcommands([](CLI::App const*) { return true; })) verbs.push_back(verb->get_name());
  auto const named = fmt::format("{}", fmt::join(verbs, ", "));
  if (w.own.empty()) throw usage_error("no command given, expected one of: " + named + " (backoff-oracle --help)");
  if (!w.own.empty() && !w.own[0].starts_with('-') && std::ranges::find(verbs, w.own[0]) == verbs.end())
    refuse_word("command", w.own[0], "one of: " + named, verbs);
  if (!w.own.empty() && w.own[0].starts_with('-') && app.get_option_no_throw(w.own[0]) == nullptr)
    refuse_word("option", w.own[0], "a command (" + named + "), --help or --version", {});
  try {
    app.parse(std::vector<std::string>(w.own.rbegin(), w.own.rend()));
  } catch (CLI::CallForHelp const& e) {
    app.exit(e);
    return conforms;
  } catch (CLI::CallForVersion const& e) {
    app.exit(e);
    return conforms;
  } catch (CLI::ParseError const& e) {
    auto const parsed = app.get_subcommands();
    if (!parsed.empty() && !app.remaining(true).empty()) refuse_extra(app, *parsed.front());
    auto const verb = parsed.empty() ? std::string() : parsed.front()->get_name() + " ";
    throw usage_error(fmt::format("{} (backoff-oracle {}--help)", e.what(), verb));
  }

  know_the_shelf();
  // A file in place of a system's name declares one, which every verb then knows by its name.
  for (auto const& file : {policy, reported.policy, replayed.judging.policy, verified.judging.policy}) {
    if (!file.empty()) declare_file(file);
  }
  if (is_policy_file(checked.system)) checked.judging.policy = checked.system;
  for (auto* const word : {&listed, &id, &evaluated.system, &checked.system, &watched.system, &made.system}) {
    if (!word->empty()) *word = system_of_word(*word);
  }
  for (auto const* word : {&listed, &evaluated.system, &checked.system, &watched.system, &made.system}) {
    if (word->empty() || backoff::judge::find_judged_system(*word) != nullptr) continue;
    std::vector<std::string> systems;
    for (auto const* system : backoff::judge::judged_systems()) systems.emplace_back(system->shape().stem);
    auto const expected = fmt::format(
        "one of: {}; a policy of the shelf (backoff-oracle list); or a policy file, whose name ends in .yaml, .yml or "
        ".json",
        fmt::join(systems, ", "));
    for (auto const& each : shelf_policies()) systems.push_back(each.name);
    refuse_word("system", *word, expected, systems);
  }
  if (list_verb->parsed()) return list(listed, json);
  if (explain_verb->parsed()) return explain(id);
  if (init_verb->parsed()) return init(begun);
  if (eval_verb->parsed()) return eval(evaluated);
  if (report_verb->parsed()) return report_results(files, reported);
  if (vectors_verb->parsed()) return vectors(made);
  if (verify_verb->parsed()) return verify(verified);
  if (watch_verb->parsed()) {
    if (w.port.empty()) throw usage_error("no program given, expected watch SYSTEM [options] -- PROGRAM [ARG…]");
    watched.program = w.port;
    return watch_program(watched);
  }
  if (check_verb->parsed()) {
    if (!checked.any && checked.system.empty()) throw usage_error("SYSTEM is required (backoff-oracle check --help)");
    demand_port(w, *check_verb, checked.judging, "check SYSTEM [options] -- PORT [ARG…], or --library LIB");
    checked.port = w.port;
    if (checked.any && !form_named(checked.judging.report.format).of_any) {
      throw usage_error(fmt::format("--format {}: expected {} with --any", checked.judging.report.format,
                                    fmt::join(names_of_forms(true), " or ")));
    }
    if (checked.any && checked.system.empty() && !checked.judging.library.empty())
      throw usage_error("--library needs SYSTEM, whose C interface it has");
    return checked.any ? check_any(checked) : check(checked);
  }
  demand_port(w, *replay_verb, replayed.judging, "replay TOKEN|FILE [options] -- PORT [ARG…], or --library LIB");
  replayed.port = w.port;
  replayed.judging.whole = false;
  return replay(replayed);
}

int fail(exit_code code, char const* what) {
  auto const* const word = is_coloured("auto", STDERR_FILENO) ? "\x1b[1;31merror:\x1b[0m" : "error:";
  std::fprintf(stderr, "backoff-oracle: %s %s\n", word, printable(what).c_str());  // one line, whatever was typed
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
