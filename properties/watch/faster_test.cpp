#include "watch/faster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace backoff::watch {
namespace {

TEST(is_static, of_programs_scripts_and_what_cannot_be_read) {
  EXPECT_FALSE(is_static("/bin/sh"));
  EXPECT_FALSE(is_static("/nowhere"));
  EXPECT_FALSE(is_static("/proc/self/cmdline")) << "no ELF file";
  // The header of a program without a part for a loader.
  std::ifstream in("/bin/sh", std::ios::binary);
  std::string header(64, '\0');
  in.read(header.data(), 64);
  header[56] = header[57] = 0;  // no parts
  auto const file = std::filesystem::temp_directory_path() / "backoff_static_program";
  std::ofstream(file, std::ios::binary) << header;
  EXPECT_TRUE(is_static(file));
  EXPECT_THROW(static_cast<void>(faster_environment(file, 10)), std::runtime_error);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace backoff::watch
