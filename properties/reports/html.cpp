#include "reports/html.hpp"

#include <fmt/format.h>

#include "reports/escaped.hpp"

namespace backoff::reports::html {

std::string text(std::string_view s) {
  auto const escaped = xml_content(s);
  std::string out;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    char const c = escaped[i];
    auto const next = static_cast<unsigned char>(i + 1 < escaped.size() ? escaped[i + 1] : ' ');
    out += c;
    bool const parts =
        c == '_' || c == '/' ? std::isspace(next) == 0 : (c == ',' || c == ':') && std::isalpha(next) != 0;
    if (parts) out += "<wbr>";
  }
  return out;
}

std::string capital(std::string s) {
  if (!s.empty()) s[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s[0])));
  return s;
}

std::string counted(std::uint64_t n) {
  auto digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view more) {
  return counted(n) + " " + std::string(n == 1 ? one : more);
}

std::string_view standing_of(exit_code ends_with) {
  if (ends_with == conforms) return "good";
  return ends_with == inconclusive ? "unsure" : "bad";
}
std::string_view standing_of(report const& r) { return standing_of(r.ends_with); }
std::string_view sign_of(std::string_view standing) { return standing == "good" ? "✓" : standing == "bad" ? "✗" : "?"; }

std::string port_name(report const& r) {
  auto const& about = r.judged->about();
  auto name = about.name + (about.version.empty() ? "" : " " + about.version);
  return name.empty() ? "(a port without a name)" : name;
}

void begin_verdict(std::string& out, std::string_view standing, std::string const& word, std::string const& sentence) {
  out += fmt::format(
      "<div class=\"verdict {0}\">\n<p class=\"word\"><span class=\"{0}\" aria-hidden=\"true\">{1}</span> {2}</p>\n<p "
      "class=\"says\">{3}.</p>\n<dl>\n",
      standing, sign_of(standing), capital(word), text(capital(sentence)));
}

void verdict_row(std::string& out, std::string_view term, std::string const& html) {
  out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, html);
}

void end_verdict(std::string& out) { out += "</dl>\n</div>\n"; }

std::string state(std::string_view standing, std::string_view sign, std::string_view word) {
  return fmt::format("<span class=\"{}\"><span aria-hidden=\"true\">{}</span> {}</span>", standing, sign, word);
}

}  // namespace backoff::reports::html
