#include "reports/page_frame.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "files/sha256.hpp"
#include "page_parts.hpp"  // generated: page_css, page_js, page_d3
#include "reports/escaped.hpp"

namespace backoff::reports {
namespace {

std::string whole(std::span<std::string_view const> pieces) {
  std::string all;
  for (auto const piece : pieces) all += piece;
  return all;
}

// The words by which a content security policy names a script or a style: its digest.
std::string source_of(std::string_view content) {
  files::sha256 digest;
  digest.add(content);
  auto const hex = digest.digest();
  std::array<unsigned, 33> bytes{};  // 32, and one more to make groups of three
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<unsigned>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string base64;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto const group = bytes[i] << 16U | bytes[i + 1] << 8U | bytes[i + 2];
    for (unsigned shift = 24; shift != 0;) base64 += digits[(group >> (shift -= 6)) & 63U];
  }
  base64.back() = '=';
  return "'sha256-" + base64 + "'";
}

// JSON for an HTML element: it cannot end the element or begin a comment.
std::string json_in_html(nlohmann::ordered_json const& j) {
  auto const plain = j.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string out;
  for (char const c : plain) out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

}  // namespace

std::string framed_page(std::string_view title, std::string_view body, nlohmann::ordered_json const& pictures) {
  auto const css = whole(page_css);
  auto const d3 = whole(page_d3);
  auto const js = whole(page_js);
  auto const policy =
      fmt::format("default-src 'none'; style-src {}; script-src {} {}; base-uri 'none'; form-action 'none'",
                  source_of(css), source_of(d3), source_of(js));
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" "
      "content=\"backoff-oracle " BACKOFF_VERSION "\">\n<title>{}</title>\n<style>",
      policy, xml_content(title));
  page.append(css)
      .append("</style>\n</head>\n<body>\n<main>\n")
      .append(body)
      .append("</main>\n<script type=\"application/json\" id=\"pictures\">");
  page.append(json_in_html(pictures))
      .append("</script>\n<script>")
      .append(d3)
      .append("</script>\n<script>")
      .append(js)
      .append("</script>\n</body>\n</html>\n");
  return page;
}

}  // namespace backoff::reports
