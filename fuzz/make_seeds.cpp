// Seeds of the fuzz targets of the systems: the catalogue's distinguishing histories and generated ones, encoded. How
// histories are encoded, and which are generated, may change: seeds of before would then be read as other histories,
// few of them of any use, and the test of the build that runs --check says so.
//
// Usage: fuzz_make_seeds FOLDER            writes FOLDER/STEM/seed-NUMBER, and removes those of before
//        fuzz_make_seeds --check FOLDER    whether they are what would be written
// Exit: 0 done, 1 some are not, 2 usage or a folder that cannot be written.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "history/decode.hpp"
#include "history/systems.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::conformance;
using files = std::map<std::filesystem::path, std::string>;

constexpr std::size_t seeds = 64;  // of a system

files made() {
  files all;
  for (auto const* s : shapes()) {
    auto takes = built_in_subject(*s, library_ports(s->stem).front()).describes().takes;
    takes.features &= ~bit(feature::instances);
    plan histories(*s, takes, seeds, 1);
    unsigned number = 0;
    for (auto const& h : histories.next(seeds)) {
      auto const bytes = encode(*s, takes, h);
      auto const name = std::filesystem::path(s->stem) / ("seed-" + std::to_string(++number));
      all.emplace(name, std::string(bytes.begin(), bytes.end()));
    }
  }
  return all;
}

// Those of before; other seeds, such as campaigns kept, have other names.
files found(std::filesystem::path const& folder) {
  files all;
  for (auto const* s : shapes()) {
    if (!is_directory(folder / s->stem)) continue;
    for (auto const& entry : std::filesystem::directory_iterator(folder / s->stem)) {
      auto const name = entry.path().filename();
      if (!name.string().starts_with("seed-")) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      all.emplace(s->stem / name, std::string(std::istreambuf_iterator<char>(in), {}));
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  bool const check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (!check && (argc != 2 || argv[1][0] == '-')) {
    std::fprintf(stderr, "usage: fuzz_make_seeds [--check] FOLDER\n");
    return 2;
  }
  std::filesystem::path const folder = argv[argc - 1];
  auto const wanted = made();
  auto const there = found(folder);
  if (check) {
    std::size_t different = 0;
    for (auto const& [name, bytes] : wanted) {
      auto const at = there.find(name);
      if (at != there.end() && at->second == bytes) continue;
      ++different;
      std::printf("%s: %s\n", name.c_str(), at == there.end() ? "missing" : "not what would be written");
    }
    for (auto const& [name, bytes] : there) {
      if (wanted.contains(name)) continue;
      ++different;
      std::printf("%s: would not be written\n", name.c_str());
    }
    std::printf("%zu seeds, %zu different%s\n", wanted.size(), different,
                different == 0 ? "" : "; fuzz_make_seeds fuzz/seeds writes them anew");
    return different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  for (auto const& [name, bytes] : there) std::filesystem::remove(folder / name);
  for (auto const& [name, bytes] : wanted) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream out(folder / name, std::ios::binary);
    out.exceptions(std::ios::badbit | std::ios::failbit);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  return EXIT_SUCCESS;
} catch (std::exception const& e) {
  std::fprintf(stderr, "fuzz_make_seeds: %s\n", e.what());
  return 2;
}
