#include "watch/http_response.hpp"

#include <ostream>  // before the next one, which needs it
//
#include <boost/beast/http/status.hpp>
#include <string_view>

namespace backoff::watch {
namespace {

std::string head(std::uint32_t status) {
  auto const reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  std::string text = "HTTP/1.1 " + std::to_string(status) + " ";
  text.append(reason.data(), reason.size());
  return text + "\r\n";
}

std::string length(std::size_t bytes) { return "Content-Length: " + std::to_string(bytes) + "\r\n"; }

}  // namespace

// Without a body: curl does not retry where it cannot take back what it wrote of one, as to /dev/null.
std::string text_of(response const& r) {
  bool const may_have_body = r.status != 204 && r.status != 304;
  std::string text = head(r.status) + (may_have_body ? length(0) : "");
  if (r.retry_after_s) text += "Retry-After: " + std::to_string(*r.retry_after_s) + "\r\n";
  return text + (r.keeps_connection ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
}

std::string cut_response(std::size_t bytes) {
  std::string text = head(200) + length(2 * bytes) + "\r\n";
  text.resize(bytes, '.');
  return text;
}

}  // namespace backoff::watch
