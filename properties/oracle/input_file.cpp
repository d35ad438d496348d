#include "oracle/input_file.hpp"

#include <fstream>
#include <iterator>

#include "report/exit_codes.hpp"

namespace backoff::oracle {

std::string read_whole_file(std::string const& path, std::string const& expected) {
  std::string text;
  bool readable = false;
  try {
    std::ifstream in(path, std::ios::binary);
    if (in) text.assign(std::istreambuf_iterator<char>(in), {});
    readable = !in.fail() && !in.bad();
  } catch (std::exception const&) {  // a folder, a device that fails
  }
  if (!readable) throw usage_error("cannot read '" + path + "': expected " + expected);
  if (text.size() > input_bytes_max) throw usage_error("'" + path + "' is larger than 64 MiB");
  return text;
}

}  // namespace backoff::oracle
