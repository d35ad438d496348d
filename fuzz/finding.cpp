#include "finding.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "histories/json.hpp"
#include "histories/shrink.hpp"
#include "histories/text.hpp"
#include "judge/catalogue.hpp"

namespace backoff::fuzz {
namespace {

using namespace oracle;

constexpr unsigned seconds_alone = 10;
constexpr std::chrono::seconds shrinking_max{30};
constexpr std::size_t lines_shown_max = 8;

// A file name of words: what is no letter and no digit becomes a hyphen.
std::string name_of(finding const& f) {
  std::string name(f.claim == finding::no_claim ? f.what : std::string(f.system->claims()[f.claim].name));
  for (char& c : name) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) c = '-';
  }
  return std::string(f.system->shape().stem) + "-" + name.substr(0, 80);
}

std::string indented(std::string const& lines) {
  std::istringstream in(lines);
  std::string text;
  for (std::string line; std::getline(in, line);) text += "    " + line + "\n";
  return text;
}

std::string words_of(finding const& f, std::string const& token) {
  std::string text = "finding: " + std::string(f.system->shape().stem) + ": ";
  if (f.claim == finding::no_claim) {
    text += f.what + "\n";
  } else {
    auto const& claim = f.system->claims()[f.claim];
    text += std::string(claim.name) + "\n  " + std::string(claim.sentence) + "\n";
    for (auto const id : claim.requirements) {
      auto const* const r = catalogue_of(f.system->shape().stem).find_requirement(id);
      if (r != nullptr)
        text += "  requirement " + r->id + " (" + r->strength + "), " + r->place + "\n    " + r->text + "\n";
    }
  }
  if (!f.remark.empty()) text += "  " + f.remark + "\n";
  text += f.table;
  if (!f.said.empty()) text += "  standard error:\n" + indented(f.said);
  return text + "  token  " + token + "\n";
}

// Whether the file is there with all of it; otherwise it is as it was.
bool write_whole(std::filesystem::path const& path, std::string const& text) {
  auto const temporary = path.string() + "." + std::to_string(getpid());
  int const file = open(temporary.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_TRUNC, 0666);
  bool written = file >= 0;
  for (std::string_view left = text; written && !left.empty();) {
    auto const n = write(file, left.data(), left.size());
    written = n > 0;
    if (written) left.remove_prefix(static_cast<std::size_t>(n));
  }
  written = written && fsync(file) == 0;
  if (file >= 0) written = close(file) == 0 && written;
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  auto const* const why = std::strerror(errno);
  static_cast<void>(unlink(temporary.c_str()));
  std::fprintf(stderr, "error: the finding cannot be written to %s: %s; it is above\n", path.c_str(), why);
  return false;
}

// Of what a process wrote before it ended, the line that names the fault, without what differs from run to run.
std::string named_fault(std::string const& text) {
  auto const line_at = [&](std::size_t at) { return text.substr(at, text.find('\n', at) - at); };
  constexpr std::string_view summary = "SUMMARY: ";
  constexpr std::string_view undefined = "runtime error: ";
  if (auto const at = text.find(undefined); at != std::string::npos) {
    auto line = line_at(text.rfind('\n', at) + 1);
    if (auto const path = line.rfind('/', line.find(':')); path != std::string::npos) line.erase(0, path + 1);
    return line;
  }
  if (auto const at = text.find(summary); at != std::string::npos) {
    auto const line = line_at(at + summary.size());
    auto const second = line.find(' ', line.find(' ') + 1);
    return line.substr(0, second);  // AddressSanitizer: KIND
  }
  return "";
}

// The lines of a sanitizer that say what it saw and where, or else the last lines.
std::string head_of(std::string const& text) {
  std::istringstream in(text);
  std::string head;
  for (std::string line; std::getline(in, line);) {
    bool const names = line.find("runtime error: ") != std::string::npos || line.find("==ERROR: ") != std::string::npos;
    if (names || line.starts_with("SUMMARY: ")) head += line + "\n";
  }
  return head.empty() ? last_lines(text) : head;
}

std::string told(int status, std::string const& text) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "does not answer";
  if (auto fault = named_fault(text); !fault.empty()) return fault;
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  return "exits with " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void file_finding(finding const& f) {
  history_set const set{&f.system->shape(), f.histories};
  auto const token = to_token(set);
  auto const json = to_json(set);
  auto const words = words_of(f, token);
  std::fprintf(stderr, "%s%s\n", words.c_str(), json.c_str());
  if (char const* const folder = std::getenv("BACKOFF_FUZZ_FINDINGS")) {
    std::error_code none;
    for (auto const& into : {std::filesystem::path(folder), std::filesystem::temp_directory_path(none)}) {
      auto const path = (into / name_of(f)).string();
      if (write_whole(path + ".json", json + "\n") && write_whole(path + ".txt", words)) return;
    }
  }
}

std::string read_input(char const* path) {
  std::ifstream in(path, std::ios::binary);
  std::string const text(std::istreambuf_iterator<char>(in), {});
  if (in) return text;
  std::fprintf(stderr, "error: %s: cannot be read\n", path);
  std::exit(2);
}

ending breaks_alone(void (*run)(std::vector<history> const&), std::vector<history> const& histories) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::fflush(nullptr);
  pid_t const child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    alarm(seconds_alone);
    run(histories);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    if (text.size() < (std::size_t{1} << 20U)) text.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {told(status, text), head_of(text)};
}

std::string last_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (std::size_t n = 0; n < lines_shown_max && begin != 0 && begin != std::string_view::npos; ++n)
    begin = text.rfind('\n', begin - 1);
  return std::string(begin == std::string_view::npos ? text : text.substr(begin == 0 ? 0 : begin + 1));
}

judge::evidence until_it_breaks(history const& h,
                                std::function<std::optional<std::vector<answer>>(history const&)> const& answers) {
  judge::evidence e{0, h, {result_kind::broke, {}, ""}};
  auto beginning = h;
  while (beginning.steps.size() > 1) {
    beginning.steps.pop_back();
    if (auto all = answers(beginning)) {
      e.got.answers = std::move(*all);
      break;
    }
  }
  return e;
}

std::string table_until_it_breaks(reports::shown_history shown, judge::evidence const& e) {
  if (e.got.answers.size() < shown.rows.size()) shown.rows[e.got.answers.size()].breaks = true;
  return reports::table_text(shown);
}

history smallest_breaking(shape const& s, domain const& takes, history const& h, std::string const& how,
                          void (*run)(std::vector<history> const&)) {
  auto const until = std::chrono::steady_clock::now() + shrinking_max;
  return shrink(s, takes, h, [&](std::vector<history> const& candidates) {
    std::vector<bool> fails(candidates.size());
    for (std::size_t i = 0; i < candidates.size() && std::chrono::steady_clock::now() < until; ++i) {
      fails[i] = breaks_alone(run, {candidates[i]}).how == how;
      if (fails[i]) break;
    }
    return fails;
  });
}

}  // namespace backoff::fuzz
