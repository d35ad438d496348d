#include "session/input_file.hpp"

#include <array>
#include <fstream>

#include "session/exit_codes.hpp"

namespace backoff::session {

std::string read_whole_file(std::string const& path, std::string const& expected) {
  std::string text;
  bool readable = false;
  try {
    std::ifstream in(path, std::ios::binary);
    if (in) {
      std::array<char, 65'536> chunk{};
      while (in && text.size() <= input_bytes_max) {  // stops at the limit: the file may be endless
        in.read(chunk.data(), chunk.size());
        text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
      }
      readable = !in.bad();
    }
  } catch (std::exception const&) {  // a folder, a device that fails
  }
  if (!readable) throw usage_error("cannot read '" + path + "': expected " + expected);
  if (text.size() > input_bytes_max) throw usage_error("'" + path + "' is larger than 64 MiB");
  return text;
}

bool read_line(std::istream& in, std::string& line, std::size_t most) {
  line.clear();
  auto* const from = in.rdbuf();
  for (int c = from->sbumpc(); c != std::istream::traits_type::eof(); c = from->sbumpc()) {
    if (c == '\n') return true;
    line += static_cast<char>(c);
    if (line.size() > most) return true;
  }
  in.setstate(line.empty() ? std::ios::eofbit | std::ios::failbit : std::ios::eofbit);
  return !line.empty();
}

}  // namespace backoff::session
