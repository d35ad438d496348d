#include "transport/process_group.hpp"

#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include "session/out_of_memory.hpp"
#include "transport/live_groups.hpp"

namespace backoff::transport {
namespace {

// Held while a child has been started but is not yet known as running: it is no orphan.
std::mutex starting;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  auto all = std::vector<char*>{};
  for (auto& each : texts) all.push_back(each.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

process_group::~process_group() {
  if (pid_ == 0) return;
  auto const lock = std::scoped_lock(starting);
  if (live_groups::none()) live_groups::end_orphans();
}

int process_group::start(uv_loop_t& loop, std::vector<std::string>& command, std::span<int const> descriptors,
                         std::vector<std::string>* environment, on_exit exited) {
  ignore_broken_pipes();
  told_ = std::move(exited);
  auto stdio = std::vector<uv_stdio_container_t>(descriptors.size());
  for (auto k = std::size_t{0}; k < stdio.size(); ++k) {
    stdio[k].flags = descriptors[k] < 0 ? UV_IGNORE : UV_INHERIT_FD;
    stdio[k].data.fd = descriptors[k];
  }
  auto arguments = pointers(command);
  auto variables = environment == nullptr ? std::vector<char*>{} : pointers(*environment);

  auto options = uv_process_options_t{};
  options.exit_cb = [](uv_process_t* process, std::int64_t status, int by) {
    auto& self = *static_cast<process_group*>(process->data);
    self.exited_ = true;
    // Here and not later: libuv has reaped the child this very moment, so its number, unless kept by the rest of the
    // group, cannot have come to mean another process group yet.
    self.signal(SIGKILL);
    live_groups::remove(self.pid_);
    close_handle(self.process_);
    self.told_(static_cast<int>(status), by);
  };
  options.file = command.front().c_str();
  options.args = arguments.data();
  options.env = environment == nullptr ? nullptr : variables.data();
  options.flags = UV_PROCESS_DETACHED;
  options.stdio_count = static_cast<int>(stdio.size());
  options.stdio = stdio.data();
  process_.data = this;

  auto const lock = std::scoped_lock(starting);
  int const code = uv_spawn(&loop, &process_, &options);
  if (code == UV_ENOMEM) session::out_of_memory();
  if (code < 0) return code;
  pid_ = process_.pid;
  live_groups::add(pid_);
  return 0;
}

void process_group::signal(int signal) const {
  if (pid_ != 0) static_cast<void>(::kill(-pid_, signal));
}

void process_group::close() {
  if (process_.loop != nullptr) close_handle(process_);
}

}  // namespace backoff::transport
