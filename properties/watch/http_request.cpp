#include "watch/http_request.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <utility>

namespace backoff::watch {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr std::uint32_t header_bytes_max = std::uint32_t{64} << 10U;
constexpr std::size_t method_bytes_max = 32;
constexpr std::size_t target_bytes_max = 200;

std::string cut(string_view text, std::size_t most) { return {text.data(), std::min(text.size(), most)}; }

attempt::form form_of_wrong(std::string_view bytes) {
  constexpr std::string_view tls_handshake = "\x16\x03";
  constexpr std::string_view http2_preface = "PRI * HTTP/2.0\r\n";
  if (bytes.starts_with(tls_handshake)) return attempt::form::tls;
  return bytes.starts_with(http2_preface) ? attempt::form::http2 : attempt::form::unreadable;
}

}  // namespace

class http_request::parser final : public http::basic_parser<true> {
 public:
  parser() {
    eager(true);
    body_limit(std::numeric_limits<std::uint64_t>::max());  // Boost 1.74 takes none for a limit of 0
    header_limit(header_bytes_max);
  }

  std::string method;
  std::string target;
  bool expects = false;
  attempt::form said = attempt::form::nothing;

 private:
  void on_request_impl(http::verb, string_view its_method, string_view its_target, int, error_code&) override {
    method = cut(its_method, method_bytes_max);
    target = cut(its_target, target_bytes_max);
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(http::field name, string_view, string_view value, error_code&) override {
    if (name == http::field::expect && boost::beast::iequals(value, "100-continue")) expects = true;
  }
  void on_header_impl(error_code&) override { said = attempt::form::http; }
  void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override { return body.size(); }
  void on_finish_impl(error_code&) override {}
};

http_request::http_request() : parser_(std::make_unique<parser>()) {}
http_request::~http_request() = default;

http_request::state http_request::take(std::string_view bytes) {
  left_.append(bytes);
  error_code error;
  auto const used = parser_->put(boost::asio::const_buffer(left_.data(), left_.size()), error);
  if (error && error != http::error::need_more) {
    // Of a request whose header was right, a body can be wrong.
    if (parser_->said == attempt::form::nothing) parser_->said = form_of_wrong(left_);
    return state::wrong;
  }
  left_.erase(0, used);
  return parser_->is_done() ? state::complete : state::partial;
}

bool http_request::next() {
  parser_ = std::make_unique<parser>();
  return !left_.empty();
}

attempt::form http_request::said() const { return parser_->said; }
std::string const& http_request::method() const { return parser_->method; }
std::string const& http_request::target() const { return parser_->target; }
bool http_request::keeps_connection() const { return parser_->is_header_done() && parser_->keep_alive(); }
bool http_request::take_expectation() {
  return parser_->is_header_done() && !parser_->is_done() && std::exchange(parser_->expects, false);
}

}  // namespace backoff::watch
