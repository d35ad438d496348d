// A C library as a port: `backoff-host LIBRARY [NAME=VALUE…]` loads it, puts the history's draws and clock
// in the place of the system's, and speaks port protocol 1. The words are what is compiled into the library. A library
// that crashes or hangs takes the host with it, as any port would be taken.
//
// The library's standard output goes to standard error, and it has no input: the protocol is on descriptors of its own.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "histories/systems.hpp"
#include "host/c_interface.hpp"
#include "host/guard.hpp"
#include "host/interposed.hpp"
#include "protocol/messages.hpp"

namespace {

using namespace backoff::host;

// Lines over descriptors that the library does not know.
class wire {
 public:
  wire() : in_(moved(STDIN_FILENO, "/dev/null")), out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, lowest)) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }

  // False at the end of input.
  bool read(std::string& line) {
    for (;;) {
      if (auto const end = held_.find('\n', seen_); end != std::string::npos) {
        line.assign(held_, begin_, end - begin_);
        begin_ = seen_ = end + 1;
        return true;
      }
      held_.erase(0, begin_);
      begin_ = 0;
      seen_ = held_.size();
      held_.resize(seen_ + chunk);
      auto const count = ::read(in_, held_.data() + seen_, chunk);
      held_.resize(seen_ + static_cast<std::size_t>(count > 0 ? count : 0));
      if (count == 0 || (count < 0 && errno != EINTR)) return false;
    }
  }

  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      auto const count = ::write(out_, text.data(), text.size());
      if (count < 0 && errno != EINTR) return false;
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

 private:
  static constexpr int lowest = 10;  // beyond those that a library may take for granted
  static constexpr std::size_t chunk = std::size_t{64} << 10U;

  static int moved(int from, char const* instead) {
    int const to = fcntl(from, F_DUPFD_CLOEXEC, lowest);
    int const other = open(instead, O_RDONLY);
    dup2(other, from);
    close(other);
    return to;
  }

  int in_;
  int out_;
  std::string held_;
  std::size_t begin_ = 0;
  std::size_t seen_ = 0;
};

class server {
 public:
  server(std::string library, std::span<std::string const> constants)
      : path_(std::move(library)), constants_(constants) {}

  // The answer to one line; nothing for stop.
  std::optional<std::string> answer(std::string const& line) {
    try {
      auto const r = parse_request(line, bound_ ? shape_ : nullptr);
      if (r.kind == request_kind::stop) return std::nullopt;
      if (r.kind == request_kind::start) return start(r.system);
      if (r.kind == request_kind::run) return run_reply(*shape_, r.id, r.cases, run(r.cases));
      return error_reply("unknown cmd");
    } catch (std::exception const& e) {
      return error_reply(e.what());
    }
  }

 private:
  std::string start(std::string const& system) {
    auto const* interface = find_c_interface(system);
    if (interface == nullptr) return error_reply("no documented C interface for " + system);
    shape_ = find_shape(system);
    // A bare name would be looked for among the system's libraries.
    auto const file = path_.find('/') == std::string::npos ? "./" + path_ : path_;
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return error_reply(std::string("cannot load the library: ") + dlerror());
    std::vector<void*> addresses;
    for (auto const* name : interface->functions) {
      addresses.push_back(dlsym(library, name));
      if (addresses.back() == nullptr)
        return error_reply(path_ + " has no function " + name + ", which a library of " + system + " must have");
    }
    bound_ = interface->bind(addresses);
    capabilities about;
    about.takes = taken_by(*interface, constants_, addresses.front());
    about.name = std::filesystem::path(path_).filename();
    about.language = "C library";
    return start_reply(*shape_, about);
  }

  std::vector<result> run(std::span<history const> cases) {
    std::vector<result> results(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      auto& r = results[i];
      r.answers.reserve(cases[i].steps.size());
      try {
        bound_->run(cases[i], r);
      } catch (broken_contract const& e) {
        r.answers.push_back({observed::word(shape_->error_word)});
        r.why = e.what();
      }
      forget_allocations();
    }
    return results;
  }

  std::string path_;
  std::span<std::string const> constants_;
  shape const* shape_ = nullptr;
  std::unique_ptr<bound_library> bound_;
};

}  // namespace

int main(int argc, char** argv) try {
  std::span<char*> const words(argv + 1, argv + std::max(argc, 1));
  if (words.empty()) {
    std::fputs("usage: backoff-host LIBRARY [NAME=VALUE…], started by backoff-oracle --library\n", stderr);
    return 2;
  }
  wire oracle;
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // so that a library's last words are seen
  find_code_of_system();
  guarded_page::explain_crashes();
  std::vector<std::string> const constants(words.begin() + 1, words.end());
  server port(words.front(), constants);
  for (std::string line; oracle.read(line);) {
    auto const reply = port.answer(line);
    if (!reply) break;
    if (!oracle.write(*reply + "\n")) return 1;
  }
  return 0;
} catch (std::exception const& e) {
  std::fprintf(stderr, "backoff-host: %s\n", e.what());
  return 2;
}
