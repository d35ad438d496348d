// Text files that anyone may have written: they are read up to a limit. Checked by: properties/oracle/oracle_test.py,
// properties/oracle/results_test.py.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

namespace backoff::session {

inline constexpr std::size_t input_bytes_max = 64U << 20U;

// The bytes of the file, from its first; not open where it cannot be read.
[[nodiscard]] std::ifstream opened_input(std::string const& path);

// The text of the file. Throws usage_error, naming the path, if the file cannot be read or is larger than
// input_bytes_max. expected: what the file should be; the error of a file that cannot be read says so.
[[nodiscard]] std::string read_whole_file(std::string const& path, std::string const& expected);

// The lines that a pipe gave, in a file without a name, to be read again. Throws usage_error, naming the pipe and that
// file, if there is no room for them.
class kept_lines {
 public:
  explicit kept_lines(std::string pipe);
  void add(std::string_view line);  // without its '\n'
  [[nodiscard]] std::ifstream read();

 private:
  void demand_written() const;

  std::string pipe_;
  std::string path_;
  std::ofstream out_;
  std::ifstream in_;
};

// The next line, without its '\n'; of a line longer than `most`, its first `most` + 1 bytes. False at the end of the
// text. Sets eofbit where the line has no '\n'.
bool read_line(std::istream& in, std::string& line, std::size_t most = input_bytes_max);

}  // namespace backoff::session
