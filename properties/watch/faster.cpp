#include "watch/faster.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

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

bool is_static(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + std::uint64_t{i} * header.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&part), sizeof part)) return false;
    if (part.p_type == PT_INTERP) return false;
  }
  return true;
}

std::vector<std::string> faster_environment(std::string const& program, double times) {
  auto const file = found_program(program);
  if (is_static(file))
    throw std::runtime_error(fmt::format("{} is statically linked: libfaketime cannot lead it", file.string()));
  auto const found = found_library();
  if (!found) throw std::runtime_error(fmt::format("expected {} in /usr/lib: install libfaketime", library));
  return {"LD_PRELOAD=" + found->string(), fmt::format("FAKETIME=+0 x{}", times), "DONT_FAKE_MONOTONIC=0"};
}

}  // namespace backoff::watch
