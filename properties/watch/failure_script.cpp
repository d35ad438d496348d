#include "watch/failure_script.hpp"

#include <charconv>

namespace backoff::watch {
namespace {

using kind = failure::kind;

constexpr std::uint32_t status_min = 200;
constexpr std::uint32_t status_max = 599;
constexpr std::uint32_t bytes_max = 65536;

std::optional<std::uint32_t> number_within(std::string_view text, std::uint32_t least, std::uint32_t most) {
  std::uint32_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most) return {};
  return number;
}

std::optional<failure> read_failure(std::string_view text) {
  constexpr std::string_view bytes = "bytes:";
  if (text == "close") return failure{kind::close};
  if (text == "reset") return failure{kind::reset};
  if (text == "hang") return failure{kind::hang};
  if (text.starts_with(bytes)) {
    auto const count = number_within(text.substr(bytes.size()), 1, bytes_max);
    return count ? std::optional(failure{kind::bytes, *count}) : std::nullopt;
  }
  auto const status = number_within(text, status_min, status_max);
  return status ? std::optional(failure{kind::status, *status}) : std::nullopt;
}

std::string_view without_blanks(std::string_view text) {
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string text_of(failure const& f) {
  switch (f.what) {
    case kind::status:
      return std::to_string(f.number);
    case kind::close:
      return "close";
    case kind::reset:
      return "reset";
    case kind::hang:
      return "hang";
    default:
      return "bytes:" + std::to_string(f.number);
  }
}

bool script::is_http() const {
  return std::ranges::any_of(failures, [](failure const& each) { return each.what == kind::status; });
}

std::variant<script, std::string> read_script(std::string_view text, std::optional<std::uint32_t> retry_after_s) {
  script all{{}, retry_after_s};
  for (auto rest = text;;) {
    auto const comma = rest.find(',');
    auto const one = without_blanks(rest.substr(0, comma));
    auto const read = read_failure(one);
    if (!read) {
      auto const place =
          one == text ? "" : "failure " + std::to_string(all.failures.size() + 1) + " of '" + std::string(text) + "', ";
      return place + "'" + std::string(one) +
             "': expected a status from 200 to 599, close, reset, hang, or bytes:N with N from 1 to " +
             std::to_string(bytes_max);
    }
    all.failures.push_back(*read);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  auto const carries = [](failure const& each) { return each.what == kind::status && !each.is_success(); };
  if (retry_after_s && std::ranges::none_of(all.failures, carries)) {
    return "Retry-After with the failures '" + std::string(text) +
           "': expected a status among them that is not 2xx, which carries it";
  }
  return all;
}

}  // namespace backoff::watch
