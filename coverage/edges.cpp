// Writes, when a measured program ends, which edges between its basic blocks were taken: FILE.edges beside the profile
// FILE that LLVM_PROFILE_FILE names. Clang's own counts leave out the edges that an exception takes, and what
// the compiler makes up. coverage/edges.py reads the file; coverage_gate_test.py checks both.
//
// The file, in words of 64 bits, of each process that the program forked and of itself: how many edges there are; how
// many words describe the graph; the address of the function that ends the program when an exception meets noexcept;
// per edge its address, whether it enters a function and whether it was taken; the graph, as
// -fsanitize-coverage=control-flow lays it out. Addresses count from the program's begin.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
extern char const __executable_start;
[[gnu::weak]] void __clang_call_terminate(void*);
}

namespace {

using word = std::uint64_t;

struct edge {
  word address;
  word enters_a_function;
};

// Every file of the program tells the same: the linker has put them together.
char const* taken = nullptr;
char const* taken_end = nullptr;
edge const* edges = nullptr;
word const* graph = nullptr;
word const* graph_end = nullptr;

word address_in_file(word address) {
  auto const begin = reinterpret_cast<word>(&__executable_start);
  return address < begin || address + 1 == 0
             ? address
             : address - begin;  // the end of a list, no block, a call of an unknown function
}

std::FILE* open(char const* mode) {  // null where nobody asks for the file
  char const* const profile = std::getenv("LLVM_PROFILE_FILE");
  if (profile == nullptr) return nullptr;
  std::FILE* const file = std::fopen((std::string(profile) + ".edges").c_str(), mode);
  if (file == nullptr) std::abort();
  return file;
}

void write() {
  std::FILE* const file = open("ab");
  if (file == nullptr) return;
  auto const put = [file](word one) {
    if (std::fwrite(&one, sizeof one, 1, file) != 1) std::abort();
  };
  put(word(taken_end - taken));
  put(word(graph_end - graph));
  put(address_in_file(reinterpret_cast<word>(&__clang_call_terminate)));
  for (std::ptrdiff_t i = 0; i < taken_end - taken; ++i) {
    put(address_in_file(edges[i].address));
    put(edges[i].enters_a_function);
    put(word(taken[i] != 0));
  }
  for (word const* one = graph; one != graph_end; ++one) put(address_in_file(*one));
  if (std::fclose(file) != 0) std::abort();
}

}  // namespace

extern "C" {
void __sanitizer_cov_bool_flag_init(char const* begin, char const* end) {
  if (taken == nullptr) {
    if (std::FILE* const file = open("wb")) static_cast<void>(std::fclose(file));
    if (std::atexit(write) != 0) std::abort();
  }
  taken = begin;
  taken_end = end;
}
void __sanitizer_cov_pcs_init(edge const* begin, edge const* /*end*/) { edges = begin; }
void __sanitizer_cov_cfs_init(word const* begin, word const* end) {
  graph = begin;
  graph_end = end;
}
}
