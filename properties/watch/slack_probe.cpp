#include "watch/slack_probe.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <string_view>
#include <utility>

#include "transport/uv_handles.hpp"

namespace backoff::watch {

using namespace transport;

namespace {

constexpr std::string_view request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
constexpr timeval longest_read{10, 0};

script script_of_probe(script const& watched) {
  using enum failure::kind;
  auto const fits = [](failure const& each) { return each.what != hang && !each.is_success(); };
  auto const found = std::ranges::find_if(watched.failures, fits);
  auto const instead = watched.is_http() ? failure{status, 503} : failure{close};
  return {{found == watched.failures.end() ? instead : *found}, {}};
}

// Connects, sends the request if there is one, and reads to the end. False: that was impossible.
bool visit(int port, bool asks) {
  auto const connection = descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connection.get() < 0) return false;
  ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &longest_read, sizeof longest_read);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A reset can come before connect returns.
  if (::connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return errno == ECONNRESET;
  if (asks) static_cast<void>(::send(connection.get(), request.data(), request.size(), MSG_NOSIGNAL));
  for (std::array<char, 4096> chunk;;) {
    auto const got = ::recv(connection.get(), chunk.data(), chunk.size(), 0);
    if (got > 0 || (got < 0 && errno == EINTR)) continue;
    return got == 0 || errno != EAGAIN;
  }
}

}  // namespace

std::int64_t slack_quantile_ns(std::span<slack_sample const> samples, double p) {
  if (samples.empty()) return 0;
  std::vector<std::int64_t> sorted;
  for (auto const& each : samples) sorted.push_back(each.slack_ns);
  auto const rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(sorted.size())));
  auto const at = sorted.begin() + static_cast<std::ptrdiff_t>(std::clamp(rank, std::size_t{1}, sorted.size()) - 1);
  std::ranges::nth_element(sorted, at);
  return *at;
}

slack_probe::slack_probe(uv_loop_t& loop, script const& failures, std::function<void(slack_sample)> sampled)
    : failures_(script_of_probe(failures)),
      sampled_(std::move(sampled)),
      server_(loop, failures_, [this] { changed(); }) {}

int slack_probe::start() {
  int const code = server_.listen();
  if (code == 0) {
    bool const asks = failures_.is_http();
    visitor_ = std::thread([this, port = server_.port(), asks] { visit_until_stopped(port, asks); });
  }
  return code;
}

void slack_probe::pause_between(std::chrono::milliseconds pause) {
  auto const lock = std::scoped_lock(mutex_);
  pause_ = pause;
}

bool slack_probe::broken() const {
  auto const lock = std::scoped_lock(mutex_);
  return broken_;
}

void slack_probe::stop() {
  {
    auto const lock = std::scoped_lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  server_.close();  // which ends a read
  if (visitor_.joinable()) visitor_.join();
}

void slack_probe::changed() {
  auto const& two = server_.notes().attempts;
  if (two.size() < 2 || server_.failed_in_a_row() == 0) return;
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): a second attempt comes when the first has failed
  sampled_({two[1].came_ns, two[1].came_ns - *two[0].failed_ns});
  server_.forget();
}

void slack_probe::visit_until_stopped(int port, bool asks) {
  for (auto lock = std::unique_lock(mutex_); !stopping_;) {
    lock.unlock();
    // NOLINTNEXTLINE(misc-redundant-expression): the second visit follows the failure of the first
    bool const visited = visit(port, asks) && visit(port, asks);
    lock.lock();
    if (!visited) {
      broken_ = !stopping_;
      return;
    }
    wake_.wait_for(lock, pause_, [this] { return stopping_; });
  }
}

}  // namespace backoff::watch
