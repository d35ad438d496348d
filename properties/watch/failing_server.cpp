#include "watch/failing_server.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/uv_handles.hpp"
#include "watch/http_request.hpp"
#include "watch/http_response.hpp"
#include "watch/monotonic.hpp"

namespace backoff::watch {

using namespace transport;

namespace {

constexpr int backlog = 1024;
constexpr std::uint64_t linger_ms = 2000;

}  // namespace

// It owns itself until libuv has closed both of its handles, which can be after the server has gone.
class failing_server::connection {
 public:
  explicit connection(failing_server& server);
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;

  void accept();
  void close();

 private:
  enum class state { asking, hanging, ending };

  static void on_alloc(uv_handle_t* handle, std::size_t, uv_buf_t* buffer);
  static void on_read(uv_stream_t* from, ssize_t count, uv_buf_t const* buffer);
  static void on_closed(uv_handle_t* handle);

  void received(std::string_view bytes);
  void disconnected();
  void begin(std::int64_t came_ns);
  void note_request();
  void give(bool keep);
  void write(std::string bytes);
  void end_output();
  void detach();

  failing_server* server_;  // nothing once it is closed
  uv_tcp_t socket_{};
  uv_timer_t lingering_{};
  uv_shutdown_t ending_{};
  int handles_ = 2;
  std::int64_t accepted_ns_ = 0;
  std::size_t begun_ = 0;               // attempts on it
  std::optional<std::size_t> attempt_;  // the one that has no failure yet
  state state_ = state::asking;
  http_request request_;
};

failing_server::connection::connection(failing_server& server) : server_(&server) {
  uv_tcp_init(server.loop_, &socket_);  // neither can fail
  uv_timer_init(server.loop_, &lingering_);
  socket_.data = this;
  lingering_.data = this;
  server.connections_.insert(this);
  ++server.silent_;
}

void failing_server::connection::accept() {
  if (uv_accept(stream(server_->listener_), stream(socket_)) < 0) return close();
  accepted_ns_ = now_ns();
  uv_tcp_nodelay(&socket_, 1);
  if (uv_read_start(stream(socket_), on_alloc, on_read) < 0) return close();
  auto const& failures = *server_->failures_;
  auto const next = failures.failures[failures.index_at(server_->notes_.attempts.size())].what;
  if (failures.is_http() && next != failure::kind::close && next != failure::kind::reset) return;
  begin(accepted_ns_);
  if (server_ != nullptr) give(false);
}

void failing_server::connection::detach() {
  if (server_ == nullptr) return;
  if (begun_ == 0) --server_->silent_;
  server_->connections_.erase(this);
  server_ = nullptr;
}

void failing_server::connection::close() {
  detach();
  for (auto* const handle : {reinterpret_cast<uv_handle_t*>(&socket_), reinterpret_cast<uv_handle_t*>(&lingering_)}) {
    if (uv_is_closing(handle) == 0) uv_close(handle, on_closed);
  }
}

void failing_server::connection::on_closed(uv_handle_t* handle) {
  auto* const self = static_cast<connection*>(handle->data);
  if (--self->handles_ == 0) delete self;
}

void failing_server::connection::on_alloc(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
  auto& chunk = static_cast<connection*>(handle->data)->server_->chunk_;
  *buffer = uv_buf_t{chunk.data(), chunk.size()};
}

void failing_server::connection::on_read(uv_stream_t* from, ssize_t count, uv_buf_t const* buffer) {
  auto& self = *static_cast<connection*>(from->data);
  if (count < 0) return self.disconnected();
  if (count > 0) self.received({buffer->base, static_cast<std::size_t>(count)});
}

void failing_server::connection::received(std::string_view bytes) {
  if (state_ == state::ending) return;
  auto const read_ns = now_ns();
  bool const opened_ahead = accepted_ns_ < server_->last_failed_ns_;
  if (!attempt_) begin(begun_ > 0 || opened_ahead ? read_ns : accepted_ns_);
  for (auto got = http_request::state::partial; server_ != nullptr; got = http_request::state::partial) {
    bool const read_before = state_ == state::hanging && request_.said() != attempt::form::nothing;
    if (!read_before) got = request_.take(std::exchange(bytes, {}));
    note_request();
    if (state_ == state::hanging) return;
    if (got == http_request::state::partial) {
      if (request_.take_expectation()) write("HTTP/1.1 100 Continue\r\n\r\n");
      return;
    }
    give(got == http_request::state::complete && request_.keeps_connection());
    if (server_ == nullptr || state_ != state::asking || !request_.next()) return;
    begin(read_ns);
  }
}

// Of a client that leaves before anything: not an attempt.
void failing_server::connection::disconnected() {
  auto& server = *server_;
  auto const left = std::exchange(attempt_, {});
  bool const unused = begun_ == 0;
  close();
  if (left) return server.fail(*left, now_ns(), true);
  if (!unused) return;
  ++server.notes_.unused_connections;
  server.tell();
}

void failing_server::connection::begin(std::int64_t came_ns) {
  if (begun_++ == 0) --server_->silent_;
  attempt_ = server_->begin(came_ns, begun_ > 1);
}

void failing_server::connection::note_request() {
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it has begun
  auto& noted = server_->notes_.attempts[*attempt_];
  noted.said = request_.said();
  noted.method = request_.method();
  noted.target = request_.target();
}

void failing_server::connection::give(bool keep) {
  auto& server = *server_;
  auto const index = *attempt_;  // NOLINT(bugprone-unchecked-optional-access): it has begun
  auto const& given = server.failures_->failures[server.notes_.attempts[index].failure];
  if (given.what == failure::kind::hang) {
    state_ = state::hanging;
    return;
  }
  attempt_.reset();
  auto const failed_ns = now_ns();
  switch (given.what) {
    case failure::kind::hang:
      break;
    case failure::kind::reset:
      static_cast<void>(uv_tcp_close_reset(&socket_, on_closed));
      close();
      break;
    case failure::kind::close:
      end_output();
      break;
    case failure::kind::bytes:
      write(cut_response(given.number));
      end_output();
      break;
    case failure::kind::status:
      write(text_of({.status = given.number,
                     .retry_after_s = given.is_success() ? std::nullopt : server.failures_->retry_after_s,
                     .keeps_connection = keep}));
      if (!keep) end_output();
      break;
  }
  server.fail(index, failed_ns, false);
}

void failing_server::connection::write(std::string bytes) {
  auto message = std::make_unique<outgoing>();
  message->bytes = std::move(bytes);
  message->request.data = message.get();
  auto const buffer = uv_buf_t{message->bytes.data(), message->bytes.size()};
  auto const on_written = [](uv_write_t* request, int) { delete static_cast<outgoing*>(request->data); };
  // A client that is gone is seen by reading.
  if (uv_write(&message->request, stream(socket_), &buffer, 1, on_written) == 0)
    static_cast<void>(message.release());  // NOLINT(bugprone-unused-return-value): on_written deletes it
}

void failing_server::connection::end_output() {
  state_ = state::ending;
  auto fd = uv_os_fd_t{};
  bool const all_written = uv_stream_get_write_queue_size(stream(socket_)) == 0;
  // libuv would do it when it polls next: later than failed_ns by that.
  if (all_written && uv_fileno(reinterpret_cast<uv_handle_t*>(&socket_), &fd) == 0) {
    static_cast<void>(::shutdown(fd, SHUT_WR));
  } else if (uv_shutdown(&ending_, stream(socket_), nullptr) < 0) {
    return close();
  }
  auto const on_expiry = [](uv_timer_t* timer) { static_cast<connection*>(timer->data)->close(); };
  uv_timer_start(&lingering_, on_expiry, linger_ms, 0);
}

failing_server::failing_server(uv_loop_t& loop, script const& failures, std::function<void()> changed)
    : loop_(&loop), failures_(&failures), changed_(std::move(changed)) {
  uv_tcp_init(loop_, &listener_);  // cannot fail
  listener_.data = this;
}

int failing_server::listen() {
  ignore_broken_pipes();
  sockaddr_in address{};
  int code = uv_ip4_addr("127.0.0.1", 0, &address);
  if (code == 0) code = uv_tcp_bind(&listener_, reinterpret_cast<sockaddr*>(&address), 0);
  auto const on_connection = [](uv_stream_t* listener, int status) {
    if (status == 0) (new connection(*static_cast<failing_server*>(listener->data)))->accept();
  };
  if (code == 0) code = uv_listen(stream(listener_), backlog, on_connection);
  int size = sizeof address;
  if (code == 0) code = uv_tcp_getsockname(&listener_, reinterpret_cast<sockaddr*>(&address), &size);
  if (code == 0) port_ = ntohs(address.sin_port);
  return code;
}

void failing_server::close() {
  closed_ = true;
  close_handle(listener_);
  for (auto* const each : std::vector(connections_.begin(), connections_.end())) each->close();
}

std::size_t failing_server::came() const {
  return notes_.attempts.size() + static_cast<std::size_t>(notes_.unused_connections) + silent_;
}

bool failing_server::succeeded_for_good() const {
  auto const& all = notes_.attempts;
  return !all.empty() && open_ == 0 && failures_->failures.back().is_success() &&
         all.back().failure + 1 == failures_->failures.size();
}

std::size_t failing_server::failed_in_a_row() const {
  auto const& all = notes_.attempts;
  if (open_ > 0) return 0;
  auto const succeeds = [&](attempt const& each) { return failures_->failures[each.failure].is_success(); };
  return static_cast<std::size_t>(std::find_if(all.rbegin(), all.rend(), succeeds) - all.rbegin());
}

std::size_t failing_server::begin(std::int64_t came_ns, bool kept) {
  auto const index = notes_.attempts.size();
  auto& begun = notes_.attempts.emplace_back();
  begun.came_ns = came_ns;
  begun.kept_connection = kept;
  begun.failure = failures_->index_at(index);
  ++open_;
  tell();
  return index;
}

void failing_server::fail(std::size_t index, std::int64_t failed_ns, bool client_left) {
  notes_.attempts[index].failed_ns = failed_ns;
  notes_.attempts[index].client_left = client_left;
  --open_;
  last_failed_ns_ = std::max(last_failed_ns_, failed_ns);
  tell();
}

void failing_server::tell() const {
  if (!closed_) changed_();
}

}  // namespace backoff::watch
