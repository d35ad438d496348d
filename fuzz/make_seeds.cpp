// Seeds of the fuzz targets of the systems: the catalogue's distinguishing histories and generated ones, encoded. The
// build makes them, so that they are always those histories: how histories are encoded, and which are generated, may
// change.
//
// Usage: fuzz_make_seeds FOLDER    writes FOLDER/STEM/made/seed-NUMBER, and removes those of before
// Exit: 0 done, 2 usage or a folder that cannot be written.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "histories/decode.hpp"
#include "histories/systems.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::oracle;
using namespace backoff::ports;
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
      auto const name = std::filesystem::path(s->stem) / "made" / ("seed-" + std::to_string(++number));
      all.emplace(name, std::string(bytes.begin(), bytes.end()));
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: fuzz_make_seeds FOLDER\n");
    return 2;
  }
  std::filesystem::path const folder = argv[1];
  for (auto const* s : shapes()) std::filesystem::remove_all(folder / s->stem / "made");
  for (auto const& [name, bytes] : made()) {
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
