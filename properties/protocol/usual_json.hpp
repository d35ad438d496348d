// Reads JSON as programs usually write it: the strings are ASCII and have no escapes. Builds no tree: the caller says
// what comes next, and is told whether it does.
// Checked by: properties/protocol/fast_reply_test.cpp, properties/protocol/fast_request_test.cpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace backoff::protocol {

class usual_json {
 public:
  explicit usual_json(std::string_view text) noexcept : at_(text.data()), end_(at_ + text.size()) {}

  // Whether the character comes next, after blanks. take also goes past it.
  [[nodiscard]] bool next(char c) noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
    return at_ != end_ && *at_ == c;
  }
  [[nodiscard]] bool take(char c) noexcept {
    if (!next(c)) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool take_end() noexcept { return !next('\0') && at_ == end_; }

  // What is left, and where in it something ended.
  [[nodiscard]] std::string_view rest() const noexcept { return {at_, end_}; }
  // Goes past the text if exactly that comes next, without blanks.
  [[nodiscard]] bool take_text(std::string_view text) noexcept {
    if (static_cast<std::size_t>(end_ - at_) < text.size() || std::memcmp(at_, text.data(), text.size()) != 0)
      return false;
    at_ += text.size();
    return true;
  }

  [[nodiscard]] std::optional<std::string_view> string() noexcept {
    if (!take('"')) return std::nullopt;
    auto const* const begin = at_;
    while (at_ != end_ && static_cast<signed char>(*at_) >= ' ' && *at_ != '"' && *at_ != '\\') ++at_;
    if (at_ == end_ || *at_ != '"') return std::nullopt;
    return std::string_view(begin, at_++);
  }
  // The string if it is that one; takes nothing otherwise.
  [[nodiscard]] bool take_string(std::string_view text) noexcept {
    if (!next('"') || static_cast<std::size_t>(end_ - at_) < text.size() + 2) return false;
    if (at_[text.size() + 1] != '"' || std::memcmp(at_ + 1, text.data(), text.size()) != 0) return false;
    at_ += text.size() + 2;
    return true;
  }
  // A string that is an integer of at most 17 digits; takes nothing where something else comes.
  [[nodiscard]] std::optional<std::int64_t> integer_string() noexcept {
    constexpr std::ptrdiff_t digits_max = 17;
    if (!next('"')) return std::nullopt;
    auto const* at = at_ + 1;
    bool const negative = at != end_ && *at == '-';
    if (negative) ++at;
    auto const* const first = at;
    auto const* const last = end_ - first > digits_max ? first + digits_max : end_;
    std::int64_t n = 0;
    for (; at != last && *at >= '0' && *at <= '9'; ++at) n = 10 * n + (*at - '0');
    if (at == first || at == end_ || *at != '"' || (*first == '0' && at - first > 1)) return std::nullopt;
    at_ = at + 1;
    return negative ? -n : n;
  }
  // What may be a number, true, false or null; perhaps nothing.
  [[nodiscard]] std::string_view token() noexcept {
    static_cast<void>(next('-'));
    auto const* const begin = at_;
    auto const is_part = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '+' || c == 'E';
    };
    while (at_ != end_ && is_part(*at_)) ++at_;
    return {begin, at_};
  }

  // The members of an object: `read` takes each value, given its key, and returns whether it could. A key that
  // `expected` names is that text itself, which `read` may know by its address. Where it is empty, any key may come.
  template <class Expected, class Read>
  [[nodiscard]] bool members(Expected const& expected, Read const& read) {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      auto key = std::optional<std::string_view>(expected());
      if (key->empty() || !take_string(*key)) key = string();
      if (!key || !take(':') || !read(*key)) return false;
    } while (take(','));
    return take('}');
  }
  template <class Read>
  [[nodiscard]] bool members(Read const& read) {
    return members([] { return std::string_view(); }, read);
  }
  // The items of an array.
  template <class Read>
  [[nodiscard]] bool items(Read const& read) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!read()) return false;
    } while (take(','));
    return take(']');
  }

 private:
  char const* at_;
  char const* end_;
};

}  // namespace backoff::protocol
