// Bounds the length of a verdict. What is longer goes into files in the working directory. Checked by:
// properties/oracle/replay_test.py.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/output_file.hpp"
#include "files/sha256.hpp"
#include "reports/print_report.hpp"
#include "session/exit_codes.hpp"

namespace backoff::reports {
namespace {

constexpr std::size_t lines_max = 200;
constexpr std::size_t bytes_max = 100'000;
constexpr std::size_t line_max = 4'096;   // bytes, without the end of the line
constexpr std::size_t token_max = 3'000;  // bytes of a token; the rest of a replay line starts the port

// Writes the file. Returns why that failed; empty: it did not.
std::string written(std::string const& path, std::string const& text) {
  try {
    output_file file(path);
    file.write(text);
    file.commit();
    return {};
  } catch (usage_error const& e) {
    return e.what();
  }
}

struct line {
  std::string text;
  bool kept;
};

// The text, cut between two characters if it is longer than a line may be.
std::string cut(std::string_view text, look const& seen) {
  if (text.size() <= line_max) return std::string(text);
  std::string const mark = fmt::format(" [cut]{}", seen.colour ? style::plain : "");
  auto end = line_max - mark.size();
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + mark;
}

std::vector<line> lines_of(std::vector<text_part> const& parts, look const& seen) {
  std::vector<line> all;
  for (auto const& part : parts) {
    bool is_first = true;
    for (std::string_view left = part.text; !left.empty();) {
      auto const text = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(left.size(), text.size() + 1));
      bool const is_last = left.empty() && &part != &parts.front();  // a replay line
      all.push_back({cut(text, seen), part.kept || is_first || is_last});
      is_first = is_first && text.empty();
    }
  }
  return all;
}

}  // namespace

void write_long_histories(report& r) {
  auto const shorten = [&](std::string const& token, std::string& file) {
    if (token.size() <= token_max || r.called.vector_of) return;
    sha256 digest;
    digest.add(token);
    // The name holds a digest of the histories, so that no other histories overwrite the file.
    auto const name = fmt::format("{}-{}.history", r.judged->system().shape().stem, digest.digest().substr(0, 12));
    auto why = written(name, token + "\n");
    if (why.empty()) file = name;
    if (r.unwritten.empty()) r.unwritten = std::move(why);
  };
  for (auto& f : r.findings) shorten(f.token, f.file);
  for (auto& b : r.broke) shorten(b.token, b.file);
}

std::string to_short_text(report const& r, look const& seen, std::string& unwritten) {
  auto const parts = text_parts_of(r, seen);
  auto lines = lines_of(parts, seen);
  std::size_t bytes = 0;
  std::size_t whole = 0;
  for (auto const& l : lines) bytes += l.text.size() + 1;
  for (auto const& part : parts) whole += part.text.size();
  if (lines.size() <= lines_max && bytes <= bytes_max && bytes == whole) return to_text(r, seen);

  auto const name = fmt::format("{}.verdict", r.judged->system().shape().stem);
  auto const why = written(name, to_text(r));
  if (unwritten.empty()) unwritten = why;

  // Takes the verdict, the lines that are kept, and then lines from the beginning on while there is room. One line says
  // what is missing.
  constexpr std::size_t note_bytes_max = 200;
  std::size_t lines_left = lines_max - 1;
  std::size_t bytes_left = bytes_max - note_bytes_max;
  std::vector<bool> shown(lines.size());
  auto const take = [&](std::size_t i) {
    auto const size = lines[i].text.size() + 1;
    if (shown[i]) return true;
    if (lines_left == 0 || bytes_left < size) return false;
    --lines_left;
    bytes_left -= size;
    shown[i] = true;
    return true;
  };
  for (std::size_t i = lines.size(); i > 0 && !lines[i - 1].text.empty(); --i) static_cast<void>(take(i - 1));
  for (std::size_t i = 0; i < lines.size(); ++i) static_cast<void>(lines[i].kept && take(i));
  for (std::size_t i = 0; i < lines.size() && take(i); ++i) continue;

  auto const missing = static_cast<std::size_t>(std::ranges::count(shown, false));
  auto const note = fmt::format(
      "{}[{}; {}]\n", seen.colour ? style::plain : "",
      missing == 0 ? "long lines are cut"
                   : fmt::format("{} of {} lines are left out from here on", missing, lines.size()),
      why.empty() ? fmt::format("{} holds the whole verdict", name) : "the whole verdict could not be written");
  auto const at = static_cast<std::size_t>(std::ranges::find(shown, false) - shown.begin());
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == (missing == 0 ? lines.size() - 1 : at)) text += note;
    if (shown[i]) text += lines[i].text + "\n";
  }
  return text;
}

}  // namespace backoff::reports
