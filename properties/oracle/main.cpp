// backoff-oracle: the command line. Verbs, options and exit codes are pinned; what they do is in verbs.hpp.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "files/policy_file.hpp"
#include "files/sha256.hpp"
#include "histories/printable.hpp"
#include "histories/text_parts.hpp"
#include "oracle/command_line.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "policies/expression.hpp"
#include "reports/print_report.hpp"
#include "reports/text.hpp"
#include "session/temporary_file.hpp"
#include "transport/live_groups.hpp"
#include "transport/port_session.hpp"
#include "transport/uv_handles.hpp"

namespace {

using namespace backoff::oracle;
using backoff::histories::printable;

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

void demand_port(words const& w, CLI::App const& verb, judging_options const& options, char const* usage) {
  bool const library = verb.count("--library") != 0;
  if (library && w.has_port) throw usage_error("--library and -- PORT: expected one, not both");
  if (library && options.library.empty()) throw usage_error("--library '': expected a shared library");
  if (!library && !options.constants.empty())
    throw usage_error("--param needs --library; a port declares its own ranges");
  if (!library && w.port.empty()) throw usage_error(std::string("no port given, expected ") + usage);
}

// What nobody knows, with the nearest word that is known.
[[noreturn]] void refuse_word(std::string const& what, std::string const& word, std::string const& expected,
                              std::vector<std::string> const& known) {
  throw usage_error(fmt::format("unknown {} '{}', expected {}{}", what, word, expected,
                                backoff::policies::nearest_name(word, known)));
}

// Options of earlier versions, and what replaces them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> removed_options{{
    {"--any", "check the port against the document that it claims: 'backoff-oracle list' names the documents"},
    {"--sandbox", "run the whole command in a container without network"},
}};

void refuse_removed(std::vector<std::string> const& own) {
  for (auto const& word : own) {
    auto const name = std::string_view(word).substr(0, word.find('='));
    auto const* const removed = std::ranges::find(removed_options, name, &decltype(removed_options)::value_type::first);
    if (removed != removed_options.end()) throw usage_error(fmt::format("{} is removed: {}", name, removed->second));
  }
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
  command_line line(argv[0]);
  auto& app = line.app;
  std::vector<std::string> verbs;
  for (auto const* verb : app.get_subcommands([](CLI::App const*) { return true; })) verbs.push_back(verb->get_name());
  auto const named = text_parts::comma_separated(verbs);
  refuse_removed(w.own);
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
    std::string says = e.what();
    if (auto const at = says.find(": At Most 1 required"); at != std::string::npos)
      says.replace(at, std::string::npos, " is given twice");
    throw usage_error(fmt::format("{} (backoff-oracle {}--help)", says, verb));
  }

  know_the_shelf();
  // A file in place of a system's name declares one, which every verb then knows by its name.
  for (auto const& file :
       {line.policy, line.reported.policy, line.replayed.judging.policy, line.verified.judging.policy}) {
    if (!file.empty()) declare_file(file);
  }
  if (is_policy_file(line.checked.system)) line.checked.judging.policy = line.checked.system;
  std::vector<std::string*> systems_named{&line.listed, &line.evaluated.system, &line.checked.system,
                                          &line.watched.system, &line.made.system};
  for (auto& formula : line.planned.formulas) systems_named.push_back(&formula.system);
  if (!line.id.empty()) line.id = system_of_word(line.id);
  for (auto* const word : systems_named) {
    if (!word->empty()) *word = system_of_word(*word);
    if (word->empty() || backoff::judge::find_judged_system(*word) != nullptr) continue;
    std::vector<std::string> systems;
    for (auto const* system : backoff::judge::judged_systems()) systems.emplace_back(system->shape().stem);
    auto const expected = fmt::format(
        "one of: {}; a policy of the shelf (backoff-oracle list); or a policy file, whose name ends in .yaml, .yml or "
        ".json",
        text_parts::comma_separated(systems));
    for (auto const& each : shelf_policies()) systems.push_back(each.name);
    refuse_word("system", *word, expected, systems);
  }
  if (line.is("list")) return list(line.listed, line.json);
  if (line.is("explain")) return explain(line.id);
  if (line.is("init")) return init(line.begun);
  if (line.is("eval")) return eval(line.evaluated);
  if (line.is("report")) return report_results(line.files, line.reported);
  if (line.is("plan")) return plan_formulas(line.planned);
  if (line.is("vectors")) return vectors(line.made);
  if (line.is("verify")) return verify(line.verified);
  if (line.is("watch")) {
    if (w.port.empty()) throw usage_error("no program given, expected watch SYSTEM [options] -- PROGRAM [ARG…]");
    line.watched.program = w.port;
    return watch_program(line.watched);
  }
  if (line.is("check")) {
    demand_port(w, *app.get_subcommand("check"), line.checked.judging,
                "check SYSTEM [options] -- PORT [ARG…], or --library LIB");
    line.checked.port = w.port;
    if (!line.checked.judging.write_known_failing.empty() && !line.checked.judging.part.is_whole()) {
      throw usage_error(
          "--write-known-failing needs a whole run, and --shard runs a part of one: leave --shard out; --jobs N runs N "
          "processes of the port");
    }
    return check(line.checked);
  }
  demand_port(w, *app.get_subcommand("replay"), line.replayed.judging,
              "replay TOKEN|FILE [options] -- PORT [ARG…], or --library LIB");
  line.replayed.port = w.port;
  line.replayed.judging.whole = false;
  return replay(line.replayed);
}

int fail(exit_code code, char const* what) {
  auto const word = painted({0, is_coloured("auto", STDERR_FILENO)}, style::heading + style::bad, "error:");
  std::fprintf(stderr, "backoff-oracle: %s %s\n", word.c_str(),
               printable(what).c_str());  // one line, whatever was typed
  return code;
}

// Ends the program where memory does, in whatever thread. An exception would be a worse end: on its way something could
// take it for a fault of the port or of a file, or let none pass; and standard streams swallow it. Allocates nothing.
[[noreturn]] void end_without_memory() {
  static std::atomic_flag ends;
  while (ends.test_and_set()) pause();  // another thread does
  remove_temporary_files();
  live_groups::end_all();
  constexpr std::string_view plain = "backoff-oracle: error: not enough memory\n";
  constexpr std::string_view coloured = "\r\x1b[Kbackoff-oracle: \x1b[1m\x1b[31merror:\x1b[0m not enough memory\n";
  auto const& text = is_coloured("auto", STDERR_FILENO) ? coloured : plain;
  static_cast<void>(write(STDERR_FILENO, text.data(), text.size()) < 0);
  _exit(usage);
}

// As where a thread does not start: its stack is memory.
bool is_of_memory(std::system_error const& e) {
  return e.code() == std::errc::not_enough_memory || e.code() == std::errc::resource_unavailable_try_again;
}

}  // namespace

int main(int argc, char** argv) {
  // A file that is opened later must not become standard input, output or error.
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY) != descriptor) return usage;
    if (descriptor == STDOUT_FILENO) return fail(usage, "standard output is closed");
  }
  std::set_new_handler(end_without_memory);
  demand_memory_for_libuv();
  demand_memory_for_sha256();
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
    end_without_memory();
  } catch (std::system_error const& e) {
    if (is_of_memory(e)) end_without_memory();
    return fail(oracle_broke, e.what());
  } catch (std::exception const& e) {
    return fail(oracle_broke, e.what());
  }
}
