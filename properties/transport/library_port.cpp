#include "transport/library_port.hpp"

#include <unistd.h>

#include <filesystem>

#include "histories/text.hpp"
#include "host/c_interface.hpp"
#include "session/exit_codes.hpp"

namespace backoff::transport {
namespace {

namespace host = host;

std::string host_beside_this_program() {
  std::error_code error;
  auto const own = std::filesystem::read_symlink("/proc/self/exe", error);
  auto const path = own.parent_path() / "backoff-host";
  if (error || access(path.c_str(), X_OK) != 0)
    throw usage_error("--library needs the program backoff-host beside this one: expected " + path.string());
  return path.string();
}

}  // namespace

std::vector<std::string> host_command(std::string_view stem, std::string const& library,
                                      std::vector<std::string> const& constants) {
  auto const* const interface = host::find_c_interface(stem);
  if (interface == nullptr) {
    std::string names;
    for (auto const* i : host::c_interfaces()) names.append(names.empty() ? "" : ", ").append(i->stem);
    throw usage_error("--library: the document of " + std::string(stem) +
                      " describes no C interface; those that do: " + names);
  }
  try {
    static_cast<void>(host::taken_by(*interface, constants));
  } catch (histories::text_error const& e) {
    throw usage_error(std::string("--param: ") + e.what());
  }
  std::vector<std::string> command{host_beside_this_program()};
  command.push_back(library);
  command.insert(command.end(), constants.begin(), constants.end());
  return command;
}

}  // namespace backoff::transport
