// Writes the seeds of a system's fuzz target: the catalogue's distinguishing histories and a few generated ones,
// encoded. Usage: fuzz_make_seeds FOLDER      writes FOLDER/STEM/NAME
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "history/decode.hpp"
#include "history/systems.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

int main(int argc, char** argv) {
  using namespace backoff::conformance;
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_make_seeds FOLDER\n");
    return 2;
  }
  for (auto const* s : shapes()) {
    std::filesystem::path const folder = std::filesystem::path(argv[1]) / s->stem;
    std::filesystem::create_directories(folder);
    auto takes = built_in_subject(*s, library_ports(s->stem).front()).describes().takes;
    takes.features &= ~bit(feature::instances);
    plan histories(*s, takes, 24, 1);
    int number = 0;
    for (auto const& h : histories.next(24)) {
      auto const bytes = encode(*s, takes, h);
      std::ofstream out(folder / ("seed-" + std::to_string(++number)), std::ios::binary);
      out.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
  }
}
