// A file that is there whole or not at all: written to a temporary beside it, which takes its name and its mode at the
// end. What is no regular file (a device, a pipe) is written to directly; a link stays one. Checked by:
// properties/oracle/report_forms_test.py (full disk, no folder, no permission, a limit on its size), writing_test.py
// (each call of writing fails, or is the last of the process).
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "session/temporary_file.hpp"

namespace backoff::files {

class output_file {
 public:
  // Creates the temporary. This and all that follows throw usage_error, naming the path.
  explicit output_file(std::string path);
  // Removes the temporary unless the file was committed.
  ~output_file() = default;
  output_file(output_file&& other) noexcept = default;
  output_file& operator=(output_file&&) = delete;
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  void write(std::string_view text);
  // Has the system take what was written so far: a full disk shows here.
  void flush();
  void commit();
  [[nodiscard]] std::string const& path() const noexcept { return path_; }

 private:
  struct closer {
    void operator()(std::FILE* f) const noexcept { static_cast<void>(std::fclose(f)); }
  };

  // The stream on it; throws where there is none.
  [[nodiscard]] std::FILE* opened(int descriptor) const;

  std::string path_;
  std::string written_;                                 // the same, or what a link of that name leads to
  std::unique_ptr<session::temporary_file> temporary_;  // none: written to directly, or committed
  std::unique_ptr<std::FILE, closer> file_;
};

// Throws usage_error where two of these are one file. Empty paths, and devices, may be the same.
struct output_name {
  std::string_view option;
  std::string path;
};
void demand_different(std::span<output_name const> all);

// The file that begins with that, which is written at once, so that a full disk shows; none where there is no path.
[[nodiscard]] std::optional<output_file> begun_file(std::string const& path, std::string_view text);

}  // namespace backoff::files
