// The whole program in this process, with memory that ends: malloc, and thereby each form of operator new, and the
// start of a thread. Where the program wants some, this process forks: in one child that call fails, in another one it
// and all that follow. The child goes on to its end, is looked at, and then the program goes on here; so each call
// costs a fork, and not a run. The child has its own copy of what was written so far.
//
// A child cannot share a libuv loop with its parent. When the run creates a loop, the test stops following it: each
// later call fails in a child that runs the rest of the program by itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace backoff::oracle {

// How a run ended, and what it left.
struct ended_run {
  int status = 0;  // of waitpid
  std::string out;
  std::string err;
  std::map<std::string, std::string> files;  // in its folder
};

struct program_run {
  std::vector<std::string> words;             // behind the program's name
  std::map<std::string, std::string> before;  // files in its folder; no others are there
  bool is_repeatable = true;                  // what it writes is the same each time
};

struct struck_calls {
  std::uint64_t calls = 0;     // of those that take memory
  std::uint64_t struck = 0;    // of them, in a child each, twice
  std::uint64_t survived = 0;  // such children that ended as the whole run does
  std::vector<std::string> wrong;
};

// The run with all the memory it wants.
[[nodiscard]] ended_run whole_run(program_run const& asked);
// Strikes the first call from each place, a stack of callers, that no run of this process has struck; and each call
// whose number is a multiple of the stride, unless that is 0.
[[nodiscard]] struck_calls strike_calls(program_run const& asked, ended_run const& whole, std::uint64_t stride);

// What happens in this object's life is another process's in the real program: its memory is none of these.
class memory_of_another_process {
 public:
  memory_of_another_process();
  memory_of_another_process(memory_of_another_process const&) = delete;
  memory_of_another_process& operator=(memory_of_another_process const&) = delete;
  ~memory_of_another_process();

 private:
  bool before_;
};

}  // namespace backoff::oracle
