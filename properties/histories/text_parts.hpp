// Helpers shared by the code that reads or writes histories as text.
#pragma once

#include <charconv>
#include <concepts>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "histories/text.hpp"

namespace backoff::histories::text_parts {

inline constexpr std::size_t cases_max = 10'000;
inline constexpr std::size_t steps_max = 1'000'000;

// Appends small pieces to a text, which has its new size when this is destroyed. Appends to the text itself would each
// call two functions.
class pieces {
 public:
  explicit pieces(std::string& out) : out_(&out), size_(out.size()) {}
  pieces(pieces const&) = delete;
  pieces& operator=(pieces const&) = delete;
  ~pieces() { out_->resize(size_); }

  pieces& operator<<(char c) {
    *room_for(1) = c;
    ++size_;
    return *this;
  }
  template <std::size_t N>
  pieces& operator<<(char const (&literal)[N]) {
    return *this << std::string_view(literal, N - 1);
  }
  pieces& operator<<(std::string_view text) {
    std::memcpy(room_for(text.size()), text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  template <std::integral Integer>
  pieces& operator<<(Integer n) {
    constexpr std::size_t digits = 24;
    auto* const at = room_for(digits);
    size_ += static_cast<std::size_t>(std::to_chars(at, at + digits, n).ptr - at);
    return *this;
  }
  [[nodiscard]] char last() const noexcept { return (*out_)[size_ - 1]; }

 private:
  [[nodiscard]] char* room_for(std::size_t bytes) {
    constexpr std::size_t more = 256;
    if (out_->size() - size_ < bytes) out_->resize(size_ + bytes + more);
    return out_->data() + size_;
  }

  std::string* out_;
  std::size_t size_;  // of what is written
};

template <class Integer>
void append_number(std::string& out, Integer n) {
  pieces(out) << n;
}

void append_plain(std::string& out, field const& f, value const& v);
void append_plain(pieces& out, field const& f, value const& v);
// n · 10^-scale as a plain decimal: 1.5.
void append_decimal(std::string& out, std::int64_t n, std::uint8_t scale);
// The decimal in units of 10^-scale; nothing where the text has more places, or is no decimal.
[[nodiscard]] std::optional<std::int64_t> parse_scaled(std::string_view text, std::uint8_t scale);
// The names, or what `name` makes of each, with the separator between them. Not fmt::join, which takes long to compile.
template <class Names, class Name = std::identity>
[[nodiscard]] std::string listed(Names const& all, std::string_view separator, Name name = {}) {
  std::string text;
  std::string_view before;
  for (auto const& each : all) {
    text.append(before).append(std::invoke(name, each));
    before = separator;
  }
  return text;
}
template <class Names, class Name = std::identity>
[[nodiscard]] std::string comma_separated(Names const& all, Name name = {}) {
  return listed(all, ", ", name);
}
// Splits at each separator; an empty text is one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
// The text in quotes, cut and made printable.
[[nodiscard]] std::string shown(std::string_view text, std::size_t length = 60);
// The functions below throw text_error where what they demand is missing. The first two name what is known.
[[nodiscard]] shape const& known_system(std::string_view stem);
[[nodiscard]] std::uint8_t known_operation(shape const& s, std::string_view name);
void demand_all_params(shape const& s, history const& h);
// Gives the arguments that a call leaves out their defaults.
void complete_args(shape const& s, step& call);
void demand_allowed(shape const& s, history const& h);

}  // namespace backoff::histories::text_parts
