#include "watch/faster.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace backoff::watch {
namespace {

namespace fs = std::filesystem;

constexpr auto library = "faketime/libfaketimeMT.so.1";

std::optional<fs::path> found_library() {
  std::error_code none;
  for (auto const* const root : {"/usr/lib", "/usr/local/lib", "/usr/lib64"}) {
    if (fs::exists(fs::path(root) / library, none)) return fs::path(root) / library;
    for (auto const& folder : fs::directory_iterator(root, none)) {
      if (fs::exists(folder.path() / library, none)) return folder.path() / library;
    }
  }
  return std::nullopt;
}

// As execvp finds it.
fs::path found_program(std::string const& name) {
  if (name.find('/') != std::string::npos) return name;
  auto const* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  std::error_code none;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::exists(fs::path(folder) / name, none)) return fs::path(folder) / name;
  }
  return name;
}

}  // namespace

std::string why_not_led(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header)) return "";
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return "";
  bool has_loader = false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + std::uint64_t{i} * header.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&part), sizeof part)) return "";
    has_loader |= part.p_type == PT_INTERP;
    if (part.p_type != PT_NOTE) continue;
    std::array<char, sizeof(Elf64_Nhdr) + 3> note{};  // with the beginning of its name
    in.seekg(static_cast<std::streamoff>(part.p_offset));
    bool const is_read = static_cast<bool>(in.read(note.data(), note.size()));
    if (is_read && std::string_view(note.data() + sizeof(Elf64_Nhdr), 3) == std::string_view("Go\0", 3))
      return "is a Go program, which asks the kernel for the time";
    in.clear();
  }
  return has_loader ? "" : "is statically linked";
}

std::vector<std::string> faster_environment(std::string const& program, double times) {
  auto const file = found_program(program);
  if (auto const why = why_not_led(file); !why.empty())
    throw std::runtime_error(fmt::format("{} {}: libfaketime cannot lead it", file.string(), why));
  auto const found = found_library();
  if (!found) throw std::runtime_error(fmt::format("expected {} in /usr/lib: install libfaketime", library));
  return {"LD_PRELOAD=" + found->string(), fmt::format("FAKETIME=+0 x{}", times), "DONT_FAKE_MONOTONIC=0"};
}

}  // namespace backoff::watch
