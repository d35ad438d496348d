#include "watch/http_response.hpp"

#include <ostream>  // before the next one, which needs it
//
#include <boost/beast/http/status.hpp>
#include <string_view>

namespace backoff::watch {
namespace {

std::string head(std::uint32_t status, std::size_t body_bytes) {
  auto const reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  std::string text = "HTTP/1.1 " + std::to_string(status) + " ";
  text.append(reason.data(), reason.size());
  text += "\r\n";
  if (body_bytes == 0) return text;
  return text + "Content-Type: text/plain\r\nContent-Length: " + std::to_string(body_bytes) + "\r\n";
}

}  // namespace

std::string text_of(response const& r) {
  bool const has_body = r.status != 204 && r.status != 304;
  std::string const body = has_body ? "status " + std::to_string(r.status) + ", as the script has it\n" : "";
  std::string text = head(r.status, body.size());
  if (r.retry_after_s) text += "Retry-After: " + std::to_string(*r.retry_after_s) + "\r\n";
  text += r.keeps_connection ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return r.is_to_head ? text : text + body;
}

std::string cut_response(std::size_t bytes) {
  std::string text = head(200, 2 * bytes) + "\r\n";
  text.resize(bytes, '.');
  return text;
}

}  // namespace backoff::watch
