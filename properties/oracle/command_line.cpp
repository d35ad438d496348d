#include "oracle/command_line.hpp"

#include <fmt/format.h>

#include <sstream>

#include "histories/text_parts.hpp"
#include "oracle/option_kinds.hpp"
#include "reports/print_report.hpp"

namespace backoff::oracle {

namespace {

void add_report_options(CLI::App& verb, report_options& to, std::vector<std::string> const& forms) {
  verb.add_option("--format", to.format, "Format of the verdict (human)")
      ->check(one_of(forms))
      ->type_name(text_parts::listed(forms, "|"));
  verb.add_flag("-q,--quiet", to.quiet, "Print only the last line of the report, which is the verdict")
      ->excludes(verb.get_option("--format"));
  add_file(verb, "--junit", to.junit, "Also write JUnit XML, one test case per claim");
}

void add_report_options(CLI::App& verb, report_options& to) {
  std::vector<std::string> forms;
  for (auto const& form : report_forms()) forms.emplace_back(form.name);
  add_report_options(verb, to, forms);
  verb.add_option("--color", to.color, "Colour the human verdict (auto: on a terminal, unless NO_COLOR is set)")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("auto|always|never");
}

CLI::Option* add_certificate(CLI::App& verb, report_options& to) {
  return add_file(verb, "--certificate", to.certificate,
                  "Write the evidence for the verdict to FILE, for backoff-certify");
}

// What decides a verdict, once there are answers.
void add_verdict_options(CLI::App& verb, judging_options& to) {
  verb.add_option("--claim", to.claims,
                  "Judge only the claims that match GLOB; the other claims then do not affect the readings")
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

CLI::Option* add_known_failing(CLI::App& verb, std::string& to) {
  return add_file(verb, "--known-failing", to, "Read known failures, which do not fail the run, from FILE");
}

CLI::Option* add_system(CLI::App& verb, std::string& to) {
  return verb.add_option("SYSTEM", to, "The document, as `list` prints it, or a policy file")->type_name("");
}

void add_policy(CLI::App& verb, std::string& to) {
  verb.add_option("--policy", to, "The policy file that declares the system")->check(path())->type_name("FILE");
}

constexpr char const* exits =
    "Exit codes:\n"
    "  0  the port conforms\n"
    "  1  the port does not conform, or breaks the interface that ports share\n"
    "  2  usage error, nothing matched, or not enough memory\n"
    "  3  the port crashed, hung or broke the protocol\n"
    "  4  the oracle disagrees with itself: please report it\n"
    "  5  inconclusive\n";

constexpr char const* exits_of_programs =
    "Exit codes:\n"
    "  0  the program conforms, as far as it was seen\n"
    "  1  the program does not conform\n"
    "  2  usage error, or not enough memory\n"
    "  3  the program cannot be started, or made no attempt\n"
    "  5  inconclusive\n";

constexpr char const* exits_of_texts =
    "Exit codes:\n"
    "  0  done\n"
    "  2  usage error, nothing matched, or not enough memory\n";

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

void add_list(CLI::App& app, command_line& to) {
  auto& verb = *app.add_subcommand("list", "List the systems, or the requirements, readings and claims of one");
  verb.add_option("SYSTEM", to.listed, "List this system, or this policy file, only");
  verb.add_flag("--json", to.json, "Print JSON");
  verb.footer(exits_of_texts);
}

void add_explain(CLI::App& app, command_line& to) {
  auto& verb = *app.add_subcommand("explain", "Explain a name that `list` or a verdict shows");
  verb.add_option("ID", to.id, "The name, or a policy file")->required()->type_name("");
  add_policy(verb, to.policy);
  verb.footer(exits_of_texts);
}

void add_init(CLI::App& app, init_options& to) {
  auto& verb = *app.add_subcommand("init", "Write a policy and an adapter; at a terminal, ask for what is missing");
  verb.add_option("NAME", to.name, "Name of the policy, and of its files (my_policy)")->type_name("");
  verb.add_option("--language", to.language, "Language of the adapter (python)")
      ->type_name("python|javascript|go|java|rust|c|cpp");
  verb.add_option("--base", to.base, "First delay, such as 100ms, 1.5s or 2min (1000ms)")->type_name("DELAY");
  verb.add_option("--unit", to.unit, "Unit of the delays of your code (that of --base)")->type_name("ns|us|ms|s");
  verb.add_option("--factor", to.factor, "Growth of delays: such as 1.6, constant or linear (2)")->type_name("F");
  verb.add_option("--jitter", to.jitter, "Jitter: none, full, equal, decorrelated, or such as 20% or +100ms (none)")
      ->type_name("JITTER");
  verb.add_option("--cap", to.cap, "Longest delay, or none (none)")->type_name("DELAY");
  verb.add_option("--retries", to.retries, "Retries, without the first try, or forever (forever)")->type_name("N");
  verb.add_option("--draws", to.draws,
                  "Random numbers: your code makes them, or takes one of [0, 1) for each delay (hidden)")
      ->type_name("hidden|given");
  verb.footer(
      "Examples:\n"
      "  1 s x 1.6, +/- 20 %, at most 120 s, 10 retries, by a client in Go:\n"
      "    backoff-oracle init my_client --language go --base 1s --factor 1.6 \\\n"
      "      --jitter 20% --cap 120s --retries 10\n"
      "\n" +
      std::string(exits_of_texts));
}

void add_eval(CLI::App& app, eval_options& to) {
  auto& verb = *app.add_subcommand("eval", "Print the documented answers for one history, one line per reading");
  add_system(verb, to.system)->required();
  verb.add_option("KEY=VALUE", to.assignments, "Every parameter, and draw=7,4 or steps=next:7,reset");
  verb.footer(exits_of_texts);
}

void add_check(CLI::App& app, check_options& to) {
  auto& verb = *app.add_subcommand("check", "Test a port against a document");
  add_system(verb, to.system)->required();
  verb.add_option("--cases", to.cases, "Number of histories (10000; 10000000 at level 2)")
      ->check(whole_number(1, std::uint64_t{1} << 53))
      ->type_name("N");
  verb.add_option("--seed", to.seed, "Seed of the generated histories (1)")
      ->check(whole_number(0, most))
      ->type_name("N");
  verb.add_option("--level", to.level, "Depth of the search: 10,000 histories, or ten million (1)")
      ->check(whole_number(1, 2))
      ->type_name("1|2");
  verb.add_option("--jobs", to.judging.jobs, "Run N processes of the port (1); the verdict is the same")
      ->check(whole_number(1, 64))
      ->type_name("N");
  verb.add_option("--max-time", to.judging.max_time_s,
                  "Stop trying histories after S seconds; shrinking the findings may take S seconds more")
      ->check(seconds())
      ->type_name("S");
  auto* const shard_option = add_shard(verb, to.judging.part);
  add_file(verb, "--resume", to.resume, "Continue the interrupted run that wrote RESULTS")->type_name("RESULTS");
  add_known_failing(verb, to.judging.known_failing);
  add_judging_options(verb, to.judging);
  add_file(verb, "--results", to.judging.results, "Write every answer to FILE, for `report`");
  add_file(verb, "--write-known-failing", to.judging.write_known_failing,
           "Write the current failures to FILE as known failures");
  add_certificate(verb, to.judging.report);
  verb.get_option("--max-failures")->excludes(shard_option);
  group(verb, "Histories", {"--cases", "--seed", "--level", "--range", "--max-failures"});
  group(verb, "Port", {"--jobs", "--timeout", "--max-time", "--library", "--param", "--shard", "--resume"});
  group(verb, "Judgement",
        {"--claim", "--skip", "--reading", "--strict", "--document-only", "--alpha", "--known-failing"});
  group(verb, "Output",
        {"--format", "--quiet", "--color", "--junit", "--results", "--certificate", "--write-known-failing"});
  verb.footer(
      "Examples:\n"
      "  A port in Python, then a C library with the documented functions:\n"
      "    backoff-oracle check aws_backoff_algorithm -- python3 my_port.py\n"
      "    backoff-oracle check aws_retry_utils --library ./libretry.so\n"
      "  In a build, with known failures and a report for the build server:\n"
      "    backoff-oracle check aws_step_functions --known-failing known.txt \\\n"
      "      --junit oracle.xml -- ./my-port\n"
      "  A long run in two parts, and their verdict:\n"
      "    backoff-oracle check my_policy.yaml --level 2 --shard 1/2 --results 1 -- ./p\n"
      "    backoff-oracle check my_policy.yaml --level 2 --shard 2/2 --results 2 -- ./p\n"
      "    backoff-oracle report --policy my_policy.yaml 1 2\n"
      "\n" +
      std::string(exits) + limits);
}

void add_watch(CLI::App& app, watch_options& to) {
  auto& verb = *app.add_subcommand("watch", "Judge how long a program waits, as it runs against a server that fails");
  add_system(verb, to.system)->required();
  verb.add_option("--param", to.params,
                  "The value of a parameter, or of an argument in every call; other parameters keep their defaults")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option(
          "--fail", to.failures,
          "How each attempt fails, in order; the last entry repeats: a status, close, reset, hang or bytes:N (503)")
      ->type_name("LIST");
  verb.add_option("--retry-after", to.retry_after_s, "Send Retry-After: S with each status that is not 2xx")
      ->check(whole_number(0, 86'400))
      ->type_name("S");
  verb.add_option("--runs", to.runs, "Run the program N times (20 to 100, as the draws need)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  verb.add_option("--jobs", to.jobs, "Run N at a time (10)")->check(whole_number(1, 256))->type_name("N");
  verb.add_option("--max-time", to.longest_s, "End a run after S seconds (120)")->check(seconds())->type_name("S");
  verb.add_option("--idle", to.idle_s,
                  "End a run S seconds after the longest documented delay, if no attempt comes (60)")
      ->check(seconds())
      ->type_name("S");
  verb.add_option("--max-attempts", to.attempts_max, "End a run that makes more than N attempts (100)")
      ->check(whole_number(2, 10'000))
      ->type_name("N");
  verb.add_option("--slack", to.slack_ms, "Allow waits to be MS milliseconds too long, instead of the measured slack")
      ->check(whole_number(0, 3'600'000))
      ->type_name("MS");
  verb.add_option("--faster", to.faster, "Let time pass N times faster for the program, by libfaketime")
      ->check(whole_number(1, 100))
      ->type_name("N");
  add_known_failing(verb, to.known_failing);
  add_report_options(verb, to.report, {"human", "json"});
  add_file(verb, "--results", to.results, "Write each wait to FILE, for `report`");
  group(verb, "Server", {"--fail", "--retry-after"});
  group(verb, "Program", {"--runs", "--jobs", "--max-time", "--idle", "--max-attempts", "--faster"});
  group(verb, "Judgement", {"--param", "--slack", "--known-failing"});
  group(verb, "Output", {"--format", "--quiet", "--junit", "--results"});
  verb.footer(
      "In the arguments of PROGRAM, {url} stands for the address of the server,\n"
      "{target} for its host and port, {host} and {port} for each.\n\n"
      "Examples:\n"
      "  backoff-oracle watch curl_retry --param retry=3 -- curl -s --retry 3 {url}\n"
      "  backoff-oracle watch my_policy.yaml --fail reset -- ./client {target}\n\n" +
      std::string(exits_of_programs));
}

// NAME, or NAME:PARAMETER=VALUE,…
plan_options::formula formula_of(std::string const& text) {
  auto const colon = text.find(':');
  if (colon == std::string::npos || text.find('=', colon) == std::string::npos) return {text, {}};
  plan_options::formula f{text.substr(0, colon), {}};
  std::istringstream rest(text.substr(colon + 1));
  for (std::string one; std::getline(rest, one, ',');) f.params.push_back(one);
  return f;
}

void add_plan(CLI::App& app, plan_options& to) {
  auto& verb = *app.add_subcommand("plan", "Compute what a formula does to one client, and to many that fail together");
  verb.add_option_function<std::vector<std::string>>(
          "SYSTEM",
          [&to](std::vector<std::string> const& all) {
            for (auto const& text : all) to.formulas.push_back(formula_of(text));
          },
          "Documents, as `list` prints them, or policy files; each may be followed by settings: "
          "SYSTEM:NAME=VALUE,NAME=VALUE")
      ->required()
      ->type_name("");
  verb.add_option("--param", to.params, "The value of a parameter in every formula; others keep their defaults")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--retries", to.retries, "Show the first N retries (10); clients give up where the document does")
      ->check(whole_number(1, 100))
      ->type_name("N");
  add_time(verb, "--within", [&to](double s) { to.within_s = s; }, "Count the retries that fit into this time");
  verb.add_option("--clients", to.clients, "N clients fail together")
      ->check(whole_number(1, 10'000'000))
      ->type_name("N");
  add_time(verb, "--ramp", [&to](double s) { to.ramp_s = s; }, "The clients fail one after another, within this time");
  add_time(verb, "--outage", [&to](double s) { to.outage_s = s; }, "Length of the outage of the server");
  verb.add_option_function<std::string>(
          "--capacity",
          [&to](std::string const& text) {
            auto number = text.ends_with("/s") ? text.substr(0, text.size() - 2) : text;
            if (!whole_number(1, 1'000'000'000)(number).empty())
              throw CLI::ValidationError("--capacity",
                                         "'" + text + "': expected N/s, N a whole number in [1, 1000000000]");
            to.capacity = std::stoull(number);
          },
          "The server answers N requests per second; the others fail")
      ->type_name("N/s");
  verb.add_option("--seed", to.seed, "Seed of the draws (1)")->check(whole_number(0, most))->type_name("N");
  verb.add_flag("--compare", to.compare,
                "Compare the formula with the same delays without jitter, and jittered otherwise");
  auto* const format_option = verb.add_option("--format", to.format, "Format of the output (human)")
                                  ->check(one_of({"human", "json", "csv", "markdown", "svg"}))
                                  ->type_name("human|json|csv|markdown|svg");
  verb.add_option("-o,--output", to.output, "Write an HTML page instead of the text")
      ->check(path())
      ->type_name("FILE.html")
      ->excludes(format_option);
  verb.add_flag("--quiet", to.quiet, "Show no progress");
  for (auto const* name : {"--ramp", "--outage", "--capacity", "--seed", "--compare"})
    verb.get_option(name)->needs(verb.get_option("--clients"));
  group(verb, "One client", {"--param", "--retries", "--within"});
  group(verb, "Many clients", {"--clients", "--ramp", "--outage", "--capacity", "--seed", "--compare"});
  group(verb, "Output", {"--format", "--output", "--quiet"});
  verb.footer(
      "Examples:\n"
      "  backoff-oracle plan grpc_connection_backoff --within 30s\n"
      "  backoff-oracle plan aws_backoff_algorithm:base_ms=100,max_ms=20000 \\\n"
      "      --clients 10000 --outage 30s -o plan.html\n" +
      std::string(exits_of_texts));
}

void add_replay(CLI::App& app, replay_options& to) {
  auto& verb = *app.add_subcommand("replay", "Run one history again");
  verb.add_option("TOKEN|FILE", to.what, "The history: a token, or a file with a token or JSON")
      ->required()
      ->type_name("");
  add_policy(verb, to.judging.policy);
  add_judging_options(verb, to.judging);
  verb.footer(exits);
}

void add_vectors(CLI::App& app, vectors_options& to) {
  auto& verb = *app.add_subcommand("vectors", "Print test vectors, for code that the oracle cannot start");
  add_system(verb, to.system)->required();
  verb.add_option("--count", to.count, "Number of planned histories (400)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  verb.add_option("--max-calls", to.calls_max, "Leave out histories of more than N calls (64)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  verb.add_option("--seed", to.seed, "Seed of the generated histories (1)")
      ->check(whole_number(0, most))
      ->type_name("N");
  verb.add_option("--format", to.format, "Print json, or lines of ID TAB history")
      ->check(one_of({"json", "lines"}))
      ->type_name("json|lines");
  add_file(verb, "--describe", to.describe,
           "Limit the vectors to what a port accepts: FILE holds its JSON reply to `start`");
  verb.footer(exits_of_texts);
}

void add_verify(CLI::App& app, verify_options& to) {
  auto& verb = *app.add_subcommand("verify", "Judge answers to test vectors");
  verb.add_option("VECTORS", to.vectors, "The output of `vectors`")->required()->type_name("FILE");
  verb.add_option("ANSWERS", to.results, "What the port answered, as JSON or plain lines")
      ->required()
      ->type_name("FILE");
  add_policy(verb, to.judging.policy);
  add_verdict_options(verb, to.judging);
  add_known_failing(verb, to.judging.known_failing);
  add_certificate(verb, to.judging.report);
  verb.footer(exits);
}

void add_report(CLI::App& app, command_line& to) {
  auto& verb = *app.add_subcommand("report", "Print the verdict on results files: one run, or all shards of one");
  verb.add_option("RESULTS", to.files, "Files that `check --results` or `watch --results` wrote")
      ->required()
      ->type_name("FILE");
  add_policy(verb, to.reported.policy);
  add_report_options(verb, to.reported);
  auto* const certificate_option = add_certificate(verb, to.reported);
  verb.add_option("-o,--output", to.reported.page,
                  "Write an HTML page, of one or several runs; exits with the worst of their codes")
      ->check(path())
      ->type_name("FILE.html")
      ->excludes(verb.get_option("--format"))
      ->excludes(certificate_option);
  verb.footer(exits);
}

}  // namespace

command_line::command_line(char const* program)
    : app("Tests retry and back-off code against the public document that it implements.", "backoff-oracle") {
  for (auto* const called :
       {&begun.program, &checked.judging.program, &replayed.judging.program, &verified.judging.program})
    *called = program;
  app.require_subcommand(1);
  app.set_version_flag("--version", "backoff-oracle " BACKOFF_VERSION ", port protocol 1");
  app.formatter(help_text());
  app.footer(std::string(exits) + limits);  // subcommands inherit it
  add_list(app, *this);
  add_explain(app, *this);
  add_init(app, begun);
  add_eval(app, evaluated);
  add_check(app, checked);
  add_watch(app, watched);
  add_plan(app, planned);
  add_replay(app, replayed);
  add_vectors(app, made);
  add_verify(app, verified);
  add_report(app, *this);
}

}  // namespace backoff::oracle
