// The name of a file that is not whole yet. It goes with this object unless the file was given its own name; and all of
// them can be taken away at once, by what ends the process without running destructors. Checked by:
// properties/oracle/writing_test.py, properties/oracle/out_of_memory/memory_test.cpp.
#pragma once

#include <sys/types.h>

#include <string>

#include "layers.hpp"

namespace backoff::session {

class temporary_file {
 public:
  explicit temporary_file(std::string path);
  temporary_file(temporary_file const&) = delete;  // the list of them holds its address
  temporary_file& operator=(temporary_file const&) = delete;
  ~temporary_file();

  // A descriptor that writes to the new file; below 0: errno says why, and a file that has the name stays.
  [[nodiscard]] int create(mode_t mode);
  // The same; the six X at the end of the path become what no other file has there.
  [[nodiscard]] int create_unique();
  // False: errno says why.
  [[nodiscard]] bool rename(std::string const& to);
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] temporary_file const* next() const noexcept { return next_; }

 private:
  void enter() noexcept;
  void leave() noexcept;

  std::string path_;
  bool is_there_ = false;
  temporary_file* next_ = nullptr;
};

// Allocates nothing. Afterwards no other file of this process is created or gets its name: what would, waits for ever.
void remove_temporary_files();

}  // namespace backoff::session
