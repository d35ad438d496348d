// Checks a failing server by clients that say what they got: each failure, to clients of HTTP and others, on fresh and
// kept connections; and what is noted of them. A measured wait is never shorter than what the client slept.
#include "watch/failing_server.hpp"

#include <gtest/gtest.h>

#include "histories/present.hpp"
#include "watch/watched_program_test.hpp"

namespace backoff::watch {
namespace {

using form = attempt::form;

constexpr std::int64_t ms = 1'000'000;

TEST(failing_server, statuses_come_in_the_order_of_the_script) {
  auto const r = run_of_python("503,429,200", R"(
for n in range(4):
  s = connect()
  ask(s, "GET /path?%d HTTP/1.1\r\nConnection: close" % n)
  print(read_all(s).split()[1].decode(), flush=True)
  time.sleep(0.03)
)");
  EXPECT_EQ(r.standard_output, "503\n429\n200\n200\n");
  ASSERT_EQ(r.notes.attempts.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    auto const& each = r.notes.attempts[k];
    EXPECT_EQ(each.failure, std::min<std::size_t>(k, 2));
    EXPECT_EQ(each.said, form::http);
    EXPECT_EQ(each.method, "GET");
    EXPECT_EQ(each.target, "/path?" + std::to_string(k));
    EXPECT_FALSE(each.client_left);
    EXPECT_FALSE(each.kept_connection);
    ASSERT_TRUE(each.failed_ns);
    EXPECT_GE(backoff::histories::present(each.failed_ns), each.came_ns);
    if (k > 0) {
      EXPECT_GE(wait_ns(r, k), 30 * ms);
    }
  }
  EXPECT_EQ(r.notes.unused_connections, 0U);
}

TEST(failing_server, a_kept_connection_carries_further_attempts) {
  auto const r = run_of_python("503", R"(
import http.client
c = http.client.HTTPConnection("127.0.0.1", port)
c.connect()
first = c.sock
for n in range(3):
  c.request("POST", "/", body=b"x" * 100000)
  c.getresponse().read()
  assert c.sock is first
  time.sleep(0.03)
)");
  ASSERT_EQ(r.notes.attempts.size(), 3U);
  EXPECT_FALSE(r.notes.attempts[0].kept_connection);
  EXPECT_TRUE(r.notes.attempts[1].kept_connection);
  EXPECT_TRUE(r.notes.attempts[2].kept_connection);
  EXPECT_GE(wait_ns(r, 1), 30 * ms);
  EXPECT_GE(wait_ns(r, 2), 30 * ms);
}

TEST(failing_server, failures_without_a_response_on_a_kept_connection_come_after_the_request) {
  auto const r = run_of_python("503,close,503,reset,503,bytes:5", R"(
for n in range(3):
  s = connect()
  ask(s, "GET /first HTTP/1.1")
  read_until(s, b"\r\n\r\n")
  s.sendall(b"GET /second HTTP/1.1\r\n")
  time.sleep(0.01)
  s.sendall(b"\r\n")
  print(read_all(s).decode(), flush=True)
)");
  EXPECT_EQ(r.standard_output, "<end>\n<reset>\nHTTP/<end>\n");
  ASSERT_EQ(r.notes.attempts.size(), 6U);
  for (std::size_t k : {1U, 3U, 5U}) EXPECT_EQ(r.notes.attempts[k].target, "/second");
}

TEST(failing_server, a_response_has_no_body) {
  auto const r = run_of_python("503", R"(
s = connect()
ask(s, "HEAD / HTTP/1.1")
assert b"Content-Length: 0" in read_until(s, b"\r\n\r\n")
ask(s, "GET / HTTP/1.1\r\nConnection: close")
text = read_all(s)
assert text.startswith(b"HTTP/1.1 503 Service Unavailable\r\n") and text.endswith(b"\r\n\r\n<end>")
)");
  ASSERT_EQ(r.notes.attempts.size(), 2U);
  EXPECT_EQ(r.notes.attempts[0].method, "HEAD");
}

TEST(failing_server, a_status_waits_for_the_whole_body) {
  auto const r = run_of_python("503", R"(
s = connect()
ask(s, "POST / HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue")
assert read_until(s, b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
time.sleep(0.03)
s.sendall(b"body")
read_until(s, b"\r\n\r\n")
ask(s, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked", b"3\r\nabc\r\n")
time.sleep(0.03)
s.sendall(b"0\r\n\r\n")
read_until(s, b"\r\n\r\n")
)");
  ASSERT_EQ(r.notes.attempts.size(), 2U);
  for (auto const& each : r.notes.attempts) EXPECT_GE(each.failed_ns.value_or(0) - each.came_ns, 30 * ms);
}

TEST(failing_server, pipelined_requests_overlap) {
  auto const r = run_of_python("503,500", R"(
s = connect()
s.sendall(b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nConnection: close\r\n\r\n")
data = read_all(s)
assert data.index(b" 503 ") < data.index(b" 500 "), data
)");
  ASSERT_EQ(r.notes.attempts.size(), 2U);
  EXPECT_EQ(r.notes.attempts[1].target, "/b");
  EXPECT_TRUE(r.notes.attempts[1].kept_connection);
  EXPECT_LE(wait_ns(r, 1), 0);
}

TEST(failing_server, retry_after_is_with_failures_only) {
  auto plan = plan_of("503,200", python(R"(
for n in range(2):
  s = connect()
  ask(s, "GET / HTTP/1.0")
  print(b"\r\nRetry-After: 7\r\n" in read_all(s), flush=True)
)"));
  plan.failures.retry_after_s = 7;
  EXPECT_EQ(run_of(plan).standard_output, "True\nFalse\n");
}

TEST(failing_server, close_and_reset_do_not_wait_for_a_request) {
  for (auto const* const failures : {"close,reset,200", "close,reset"}) {
    auto const r = run_of_python(failures, R"(
print(read_all(connect()).decode(), flush=True)
time.sleep(0.03)
try: print(read_all(connect()).decode())
except ConnectionResetError: print("<reset>")
)");
    EXPECT_EQ(r.standard_output, "<end>\n<reset>\n") << failures;
    ASSERT_EQ(r.notes.attempts.size(), 2U);
    EXPECT_GE(wait_ns(r, 1), 30 * ms);
    EXPECT_EQ(r.notes.unused_connections, 0U);
  }
}

TEST(failing_server, a_client_that_says_more_than_it_is_heard_sees_an_end) {
  auto const r = run_of_python("close,503", R"(
s = connect()
time.sleep(0.02)
ask(s, "GET / HTTP/1.1", b"x" * 300000)
print(read_all(s).decode())
s = connect()
ask(s, "GET / HTTP/1.1\r\nConnection: close", b"x" * 300000)
print(read_all(s).decode())
)");
  EXPECT_TRUE(r.standard_output.starts_with("<end>\nHTTP/1.1 503")) << r.standard_output;
  EXPECT_TRUE(r.standard_output.ends_with("\r\n\r\n<end>\n")) << r.standard_output;
  EXPECT_EQ(r.notes.attempts.size(), 2U);
}

TEST(failing_server, bytes_come_to_clients_that_wait_and_to_those_that_speak) {
  auto const r = run_of_python("bytes:3000", R"(
s = connect()
print(len(read_all(s)))
s = connect()
s.sendall(b"EHLO\n")
print(len(read_all(s)))
)");
  EXPECT_EQ(r.standard_output, "3005\n3005\n");  // with "<end>"
  EXPECT_EQ(r.notes.attempts.size(), 2U);
}

TEST(failing_server, bytes_in_a_script_of_http_are_a_response_cut_off) {
  auto const r = run_of_python("bytes:100,200", R"(
import http.client
c = http.client.HTTPConnection("127.0.0.1", port)
c.request("GET", "/")
try: c.getresponse().read()
except http.client.IncompleteRead: print("incomplete")
)");
  EXPECT_EQ(r.standard_output, "incomplete\n");
  ASSERT_EQ(r.notes.attempts.size(), 1U);
  EXPECT_EQ(r.notes.attempts[0].target, "/");
}

TEST(failing_server, hang_lasts_until_the_client_leaves) {
  for (auto const* const failures : {"hang", "hang,200"}) {
    auto const r = run_of_python(failures, R"(
s = connect()
ask(s, "GET /here HTTP/1.1")
s.settimeout(0.05)
try: s.recv(1)
except TimeoutError: print("silence")
)");
    EXPECT_EQ(r.standard_output, "silence\n");
    ASSERT_EQ(r.notes.attempts.size(), 1U);
    auto const& only = r.notes.attempts[0];
    EXPECT_TRUE(only.client_left);
    EXPECT_EQ(only.target, "/here");
    EXPECT_GE(only.failed_ns.value_or(0) - only.came_ns, 50 * ms);
  }
}

TEST(failing_server, a_client_that_leaves_in_its_request_is_told) {
  auto const r = run_of_python("503", R"(
s = connect()
s.sendall(b"GET / HT")
time.sleep(0.03)
)");
  ASSERT_EQ(r.notes.attempts.size(), 1U);
  EXPECT_TRUE(r.notes.attempts[0].client_left);
  EXPECT_EQ(r.notes.attempts[0].method, "");
  EXPECT_TRUE(r.notes.attempts[0].failed_ns);
}

TEST(failing_server, what_is_not_http_gets_the_failure_too_and_is_named) {
  auto const r = run_of_python("503", R"(
for text in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"EHLO me\r\n",
             b"GET / HTTP/1.1\r\n" + b"A: " + b"x" * 70000 + b"\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
  s = connect()
  s.sendall(text)
  print(read_all(s).split()[1].decode(), flush=True)
)");
  EXPECT_EQ(r.standard_output, "503\n503\n503\n503\n503\n");
  ASSERT_EQ(r.notes.attempts.size(), 5U);
  EXPECT_EQ(r.notes.attempts[0].said, form::tls);
  EXPECT_EQ(r.notes.attempts[1].said, form::http2);
  for (std::size_t k : {2U, 3U, 4U}) EXPECT_EQ(r.notes.attempts[k].said, form::unreadable);
}

TEST(failing_server, long_names_are_cut) {
  auto const r = run_of_python("503", R"(
s = connect()
ask(s, "M" * 500 + " /" + "t" * 5000 + " HTTP/1.1\r\nConnection: close")
read_all(s)
)");
  ASSERT_EQ(r.notes.attempts.size(), 1U);
  EXPECT_EQ(r.notes.attempts[0].method, std::string(32, 'M'));
  EXPECT_EQ(r.notes.attempts[0].target, "/" + std::string(199, 't'));
}

TEST(failing_server, a_connection_without_a_byte_is_no_attempt) {
  auto const r = run_of_python("503", R"(
probes = [connect() for n in range(3)]
s = connect()
ask(s, "GET / HTTP/1.1\r\nConnection: close")
read_all(s)
for each in probes: each.close()
)");
  EXPECT_EQ(r.notes.attempts.size(), 1U);
  EXPECT_EQ(r.notes.unused_connections, 3U);
}

TEST(failing_server, a_connection_that_was_opened_ahead_comes_with_its_first_byte) {
  auto const r = run_of_python("503", R"(
ahead = connect()
s = connect()
ask(s, "GET / HTTP/1.1\r\nConnection: close")
read_all(s)
time.sleep(0.05)
ask(ahead, "GET / HTTP/1.1\r\nConnection: close")
read_all(ahead)
)");
  ASSERT_EQ(r.notes.attempts.size(), 2U);
  EXPECT_GE(wait_ns(r, 1), 50 * ms);
}

}  // namespace
}  // namespace backoff::watch
