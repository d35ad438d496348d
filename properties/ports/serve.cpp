// Serves a built-in port through port protocol 1: `backoff-port [NAME [--draws GENERATOR [SEED]]]`, NAME as
// properties/ports/{library,right,wrong} list them, `library` where none is given, `c` for its functions for C; or a
// fault that begins late, as properties/ports/late.hpp names them (late-zero@21). With a generator of
// properties/ports/hidden.cpp the port makes its own draws, from that seed, or from one that each process has of its
// own. `backoff-port --right` lists the right ports that can, `backoff-port --wrong` all wrong ones, a line each,
// SYSTEM NAME; --list all of them with what each does differently. The model of a port program: read a line, answer it,
// flush.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include "histories/systems.hpp"
#include "ports/built_in.hpp"
#include "ports/late.hpp"
#include "protocol/messages.hpp"

namespace {

using namespace backoff::ports;
using namespace backoff::protocol;

class server {
 public:
  server(std::string name, std::string generator, std::uint64_t seed)
      : name_(std::move(name)), generator_(std::move(generator)), seed_(seed) {}

  // The answer to one line; nothing for stop.
  std::optional<std::string> answer(std::string const& line) {
    try {
      auto const r = parse_request(line, port_ ? shape_ : nullptr);
      if (r.kind == request_kind::stop) return std::nullopt;
      if (r.kind == request_kind::start) return start(r.system);
      if (r.kind == request_kind::run) return run_reply(*shape_, r.id, r.cases, port_->run(r.cases));
      return error_reply("unknown cmd");
    } catch (std::exception const& e) {
      return error_reply(e.what());
    }
  }

 private:
  std::string start(std::string const& system) {
    shape_ = find_shape(system);
    if (shape_ == nullptr) return error_reply("unknown system " + system);
    auto const* port = find_built_in(system, name_);
    auto const late = find_late_fault(system, name_);
    if (port == nullptr && !late)
      return error_reply("no built-in port " + name_ + " for " + system + "; backoff-port --list has the names");
    auto const* from = find_generator(generator_);
    if (!generator_.empty() && from == nullptr) return error_reply("no generator " + generator_);
    if (late) {
      port_ = std::make_unique<late_subject>(*shape_, *late, from);
    } else if (from == nullptr) {
      port_ = std::make_unique<built_in_subject>(*shape_, *port);
    } else {
      port_ = std::make_unique<hidden_subject>(*shape_, *port, *from, seed_);
    }
    return start_reply(*shape_, port_->describes());
  }

  std::string name_;
  std::string generator_;
  std::uint64_t seed_;
  shape const* shape_ = nullptr;
  std::unique_ptr<subject> port_;
};

void list_right_ports() {
  for (auto const* s : shapes()) {
    for (auto const ports : {library_ports(s->stem), right_ports(s->stem)}) {
      for (auto const& port : ports) {
        if (s->has_draws() && !draws_too_little(port)) std::cout << s->stem << ' ' << port.name << '\n';
      }
    }
  }
}

void list_wrong_ports() {
  for (auto const* s : shapes()) {
    for (auto const& port : wrong_ports(s->stem)) std::cout << s->stem << ' ' << port.name << '\n';
  }
}

void list_ports() {
  for (auto const* s : shapes()) {
    std::cout << s->stem << '\n';
    auto const list = [](char const* kind, std::span<built_in const> ports) {
      for (auto const& port : ports) std::cout << fmt::format("  {:<8} {:<28} {}\n", kind, port.name, port.sentence);
    };
    list("right", library_ports(s->stem));
    list("right", c_ports(s->stem));
    list("right", right_ports(s->stem));
    list("wrong", wrong_ports(s->stem));
  }
}

constexpr char const* help =
    "A built-in port, for trying backoff-oracle: backoff-oracle check SYSTEM -- backoff-port NAME\n"
    "\n"
    "Usage: backoff-port [NAME [--draws random [SEED]]]   answers requests on standard input (NAME: library)\n"
    "       backoff-port --list                           every port, by system: right or wrong, its name, what it "
    "does\n"
    "\n"
    "--draws: the port makes its own draws, from SEED; without it each process has a seed of its own.\n";

// No two processes share it.
std::uint64_t fresh_seed() {
  std::random_device entropy;
  return std::uint64_t{entropy()} << 32U | entropy();
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  static std::array<char, std::size_t{256} << 10U> buffer;  // a request of many histories in one piece
  std::cin.rdbuf()->pubsetbuf(buffer.data(), buffer.size());
  bool const draws = argc > 3 && std::string_view(argv[2]) == "--draws";
  std::string_view const only = argc == 2 ? argv[1] : "";
  if (only.starts_with("-")) {
    if (only == "--right") {
      list_right_ports();
    } else if (only == "--wrong") {
      list_wrong_ports();
    } else if (only == "--list") {
      list_ports();
    } else if (only == "--help" || only == "-h") {
      std::cout << help;
    } else {
      std::cerr << "backoff-port: error: unknown option '" << only << "', expected --list or --help\n";
      return 2;
    }
    return 0;
  }
  server port(argc > 1 ? argv[1] : "library", draws ? argv[3] : "",
              argc > 4 ? std::strtoull(argv[4], nullptr, 10) : fresh_seed());
  for (std::string line; std::getline(std::cin, line);) {
    auto const reply = port.answer(line);
    if (!reply) return 0;
    std::cout << *reply << '\n' << std::flush;
  }
  return 0;
}
