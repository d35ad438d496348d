#include "reports/replay_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "histories/printable.hpp"

namespace backoff::reports {

std::string quoted(std::string const& word) {
  bool const plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_./=,:+@%~").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && word.front() != '~') return word;
  std::string text = "'";
  if (printable(word) != word) {  // the line is shown on a terminal too
    text = "$'";
    for (char const c : word) {
      auto const byte = static_cast<unsigned char>(c);
      bool const itself = byte >= ' ' && byte <= '~' && c != '\'' && c != '\\';
      text += itself ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
    return text + "'";
  }
  for (char const c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

namespace {

std::string command_line(report const& r, char const* verb, std::string const& what,
                         std::vector<std::string> const& more) {
  std::string line = quoted(r.called.program) + " " + verb;
  if (r.called.vector_of) {
    for (auto const& word : r.called.command) line += " " + quoted(word);
  } else {
    line += " " + quoted(what);
  }
  for (auto const& word : more) line += " " + word;
  for (auto const& word : r.called.options) line += " " + quoted(word);
  if (!r.called.command_follows || r.called.vector_of) return line;
  line += " --";
  for (auto const& word : r.called.command) line += " " + quoted(word);
  return line;
}

// The line that replays a token, or the file that holds it.
std::string replay_line(report const& r, std::string const& token, std::string const& file) {
  if (r.called.in_process) return ".replay = \"" + token + "\"";
  return command_line(r, r.called.vector_of ? "verify" : "replay", file.empty() ? token : file, {});
}

}  // namespace

std::string replay_line(report const& r, shown_breakdown const& b) { return replay_line(r, b.token, b.file); }

std::string replay_line(report const& r, finding const& f) {
  // A replay of vectors judges all of them again, by all claims: only all together settle the readings.
  if (r.called.vector_of || (!f.sampled && r.called.in_process)) return replay_line(r, f.token, f.file);
  if (r.called.in_process)
    return ".cases = " + std::to_string(r.called.cases) + ", .seed = " + std::to_string(r.called.seed);
  report of = r;
  if (!f.sampled) {
    for (auto const& reading : f.pinned) of.called.options.insert(of.called.options.end(), {"--reading", reading});
    return replay_line(of, f.token, f.file);
  }
  std::string system(r.judged->system().shape().stem);
  auto& words = of.called.options;
  if (auto const at = std::ranges::find(words, "--policy"); at != words.end()) {  // `check` takes it as its system
    system = at[1];
    words.erase(at, at + 2);
  }
  return command_line(of, "check", system,
                      {"--cases", std::to_string(r.called.cases), "--seed", std::to_string(r.called.seed)});
}

}  // namespace backoff::reports
