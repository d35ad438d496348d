#include "watch/faster.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace backoff::watch {
namespace {

TEST(why_not_led, of_programs_scripts_and_what_cannot_be_read) {
  EXPECT_EQ(why_not_led("/bin/sh"), "");
  EXPECT_EQ(why_not_led("/nowhere"), "");
  EXPECT_EQ(why_not_led("/proc/self/cmdline"), "") << "no ELF file";
  // The header of a program without a part for a loader.
  std::ifstream in("/bin/sh", std::ios::binary);
  std::string header(64, '\0');
  in.read(header.data(), 64);
  header[56] = header[57] = 0;  // no parts
  auto const file = std::filesystem::temp_directory_path() / "backoff_static_program";
  std::ofstream(file, std::ios::binary) << header;
  EXPECT_EQ(why_not_led(file), "is statically linked");
  EXPECT_THROW(static_cast<void>(faster_environment(file, 10)), std::runtime_error);
  std::filesystem::remove(file);
}

TEST(why_not_led, of_a_go_program_that_has_a_loader) {
  struct {
    Elf64_Ehdr header{};
    Elf64_Phdr parts[2]{};
    Elf64_Nhdr note{4, 0, 4};
    char name[4] = {'G', 'o', 0, 0};
  } image;
  std::memcpy(image.header.e_ident, ELFMAG, SELFMAG);
  image.header.e_ident[EI_CLASS] = ELFCLASS64;
  image.header.e_phoff = sizeof image.header;
  image.header.e_phentsize = sizeof image.parts[0];
  image.header.e_phnum = 2;
  image.parts[0].p_type = PT_INTERP;
  image.parts[1].p_type = PT_NOTE;
  image.parts[1].p_offset = sizeof image.header + sizeof image.parts;
  auto const file = std::filesystem::temp_directory_path() / "backoff_go_program";
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<char const*>(&image), sizeof image);
  EXPECT_EQ(why_not_led(file), "is a Go program, which asks the kernel for the time");
  image.name[1] = 'N';
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<char const*>(&image), sizeof image);
  EXPECT_EQ(why_not_led(file), "");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace backoff::watch
