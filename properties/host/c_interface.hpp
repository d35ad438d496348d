// The C interfaces that a document describes, so that a library which has one needs no adapter: backoff-host loads it
// and is the port. One file a system, from the document alone:
// properties/systems/STEM/ports/c_interface.cpp. Checked by: properties/oracle/library_test.py.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "histories/random.hpp"
#include "judge/subject.hpp"

namespace backoff::host {

// What a call did that its interface rules out: a status that is none, an answer that was never given. The call counts
// as failed, and what() says why.
struct broken_contract : std::runtime_error {
  using runtime_error::runtime_error;
};

// The functions of one library.
class bound_library {
 public:
  virtual ~bound_library() = default;
  // Makes the calls of the history on fresh instances and adds an answer for each, and why one is as it is. Throws
  // broken_contract, after the answers of the calls before.
  virtual void run(history const& h, result& to) = 0;
};

// A parameter that is compiled into the library, and what it is by default.
struct constant {
  std::string_view param;
  std::int64_t by_default;
};

struct c_interface {
  std::string_view stem;
  std::span<char const* const> functions;  // that a library must have
  std::span<constant const> constants;
  draw_source draws;
  feature_mask features;
  // To what the interface's types hold, and what the library that has that function asks for; null: none is loaded.
  void (*narrow)(domain&, void const* function);
  // The addresses stand in the order of `functions`.
  std::unique_ptr<bound_library> (*bind)(std::span<void* const> addresses);
};

[[nodiscard]] std::span<c_interface const* const> c_interfaces() noexcept;
// Null where the document describes none.
[[nodiscard]] c_interface const* find_c_interface(std::string_view stem) noexcept;

// What stands for all that a history does not say: alike for equal ones, so that a replay finds the same.
[[nodiscard]] random_bits drawn_from(history const& h) noexcept;

// What a port with that interface takes, where the words NAME=VALUE say what is compiled into it, and `function` is one
// of the library's. Throws text_error, naming what was expected.
[[nodiscard]] domain taken_by(c_interface const& of, std::span<std::string const> constants,
                              void const* function = nullptr);

template <class Function>
[[nodiscard]] Function* function_at(void* address) noexcept {
  return reinterpret_cast<Function*>(address);
}

}  // namespace backoff::host
