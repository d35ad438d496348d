// What the targets of file readers share: a text as a file that has a path, and no disk.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace backoff::fuzz {

class file_of_text {
 public:
  explicit file_of_text(std::string_view text) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    while (!text.empty()) {
      auto const count = write(descriptor_, text.data(), text.size());
      if (count <= 0) std::abort();
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  file_of_text(file_of_text const&) = delete;
  file_of_text& operator=(file_of_text const&) = delete;
  ~file_of_text() { close(descriptor_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace backoff::fuzz
