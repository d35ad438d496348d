// Runs a fuzz target without a fuzzer. On files: regressions and seeds are replayed by the tests of the release build.
// On inputs made from seeds: `--random FIRST COUNT`; the seed of an input that ends the program is printed.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data,  // NOLINT(readability-redundant-declaration): in a unit
                                      std::size_t size);

namespace {

// Bytes that are mostly small, as what is usual is for targets that read them one by one.
std::vector<std::uint8_t> made_from(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(1 + random() % 200);
  auto const usual = random() % 8;  // of eight bytes
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() % 8 < usual ? random() % 128 : random());
  return bytes;
}

std::uint64_t current_seed;

void tell_seed(int signal) {
  std::fprintf(stderr, "signal %d: again with --random %llu 1\n", signal,
               static_cast<unsigned long long>(current_seed));
  std::_Exit(1);
}

int on_random_inputs(std::uint64_t first, std::uint64_t count) {
  for (int const signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, tell_seed);
  for (current_seed = first; current_seed < first + count; ++current_seed) {
    auto const bytes = made_from(current_seed);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::fprintf(stderr, "%llu inputs tried\n", static_cast<unsigned long long>(count));
  return count == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--random")
    return on_random_inputs(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (auto const& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::vector<char> const bytes(std::istreambuf_iterator<char>(in), {});
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
      ++files;
    }
  }
  std::printf("%zu files replayed\n", files);
  return files == 0 ? 1 : 0;
}
