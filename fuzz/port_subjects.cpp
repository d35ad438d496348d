#include "port_subjects.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "host/interposed.hpp"
#include "session/exit_codes.hpp"

namespace backoff::fuzz {
namespace {

using namespace oracle;
using namespace host;

// Constants, the first so many that differ.
class constants_seen {
 public:
  void add(std::int64_t n) {
    auto const all = std::span(values_).first(used_);
    if (used_ < values_.size() && std::ranges::find(all, n) == all.end()) values_[used_++] = n;
  }
  [[nodiscard]] std::span<std::int64_t const> all() const noexcept { return std::span(values_).first(used_); }

 private:
  std::array<std::int64_t, 256> values_{};
  std::size_t used_ = 0;
};
constants_seen compared;
std::string said;  // by the port that broke last

constexpr std::chrono::seconds answer_timeout{2};
constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

std::vector<std::string> lines_of(char const* name) {
  std::vector<std::string> lines;
  char const* const text = std::getenv(name);
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    auto const end = rest.find('\n');
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

}  // namespace

port_in_process::port_in_process(shape const& s, std::vector<std::string> command)
    : session_(s, std::move(command), answer_timeout) {}

std::vector<result> port_in_process::run(std::span<history const> histories) {
  try {
    auto results = session_.run(histories);
    if (auto const all = session_.take_breakdowns(); !all.empty()) {
      said = all.back().stderr_tail;
      session_.restart(any_number);
    }
    return results;
  } catch (session::session_failure const& failure) {
    said = failure.stderr_tail;
    try {
      session_.restart(any_number);
    } catch (session::session_failure const& e) {
      std::fprintf(stderr, "error: the port does not start again: %s\n", e.what());
      std::_Exit(session::port_broke);
    }
    result broke;
    broke.kind = result_kind::broke;
    broke.why = failure.what();
    return std::vector<result>(histories.size(), broke);
  }
}

loaded_library::loaded_library(shape const& s, std::string const& path, std::vector<std::string> const& constants)
    : shape_(&s) {
  auto const* const interface = host::find_c_interface(s.stem);
  if (interface == nullptr)
    throw session::usage_error("the document of " + std::string(s.stem) + " describes no C interface");
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw session::usage_error(std::string("cannot load the library: ") + dlerror());
  std::vector<void*> addresses;
  for (auto const* name : interface->functions) {
    addresses.push_back(dlsym(library, name));
    if (addresses.back() == nullptr) throw session::usage_error("the library has no function " + std::string(name));
  }
  bound_ = interface->bind(addresses);
  about_.takes = host::taken_by(*interface, constants, addresses.front());
  about_.name = std::filesystem::path(path).filename();
  about_.language = "C library";
}

std::vector<result> loaded_library::run(std::span<history const> histories) {
  std::vector<result> results(histories.size());
  for (std::size_t i = 0; i < histories.size(); ++i) {
    results[i].answers.reserve(histories[i].steps.size());
    try {
      bound_->run(histories[i], results[i]);
    } catch (host::broken_contract const& e) {
      results[i].answers.push_back({observed::word(shape_->error_word)});
      results[i].why = e.what();
    }
    host::forget_allocations();
  }
  return results;
}

std::unique_ptr<subject> named_port(shape const& s) {
  if (char const* const library = std::getenv("BACKOFF_FUZZ_LIBRARY"))
    return std::make_unique<loaded_library>(s, library, lines_of("BACKOFF_FUZZ_CONSTANTS"));
  auto command = lines_of("BACKOFF_FUZZ_COMMAND");
  if (command.empty()) throw session::usage_error("no port: set BACKOFF_FUZZ_LIBRARY or BACKOFF_FUZZ_COMMAND");
  return std::make_unique<port_in_process>(s, std::move(command));
}

std::span<std::int64_t const> constants_of_port() noexcept { return compared.all(); }
std::string const& said_by_port() noexcept { return said; }

}  // namespace backoff::fuzz

// The comparisons of a loaded library: noted, then told to libFuzzer as if the library itself had called it, since it
// tells them apart by where they are.
// clang-format off
#define BACKOFF_COMPARED(name, type)                                            \
  extern "C" void __sanitizer_cov_trace_const_##name(type constant, type n);    \
  extern "C" void backoff_port_const_##name(type constant, type n);             \
  void backoff_port_const_##name(type constant, type n) {                       \
    backoff::fuzz::compared.add(static_cast<std::int64_t>(constant));          \
    [[clang::musttail]] return __sanitizer_cov_trace_const_##name(constant, n); \
  }
// clang-format on
BACKOFF_COMPARED(cmp1, std::uint8_t)
BACKOFF_COMPARED(cmp2, std::uint16_t)
BACKOFF_COMPARED(cmp4, std::uint32_t)
BACKOFF_COMPARED(cmp8, std::uint64_t)
#undef BACKOFF_COMPARED
