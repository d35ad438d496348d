// JSON as a list of its values, in the order of the text. Messages are read so: a tree would cost more than all the
// rest of a run, and has numbers as doubles. Checked by: properties/histories/json_value_test.cpp,
// properties/protocol/messages_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "histories/text.hpp"

namespace backoff::histories {

enum class json_kind : std::uint8_t { null, boolean, number, string, array, object };

// A value of a json_document. The values in it follow it in memory.
struct json_value {
  json_kind kind;
  std::size_t extent = 1;   // number of values: this one and those in it
  std::string_view name{};  // of a member of an object
  std::string_view text{};  // a string without its quotes, the digits of a number, or true, false or null

  json_value(json_kind k, std::string_view n, std::string_view t) noexcept : kind(k), name(n), text(t) {}
  json_value(json_value const&) = delete;
  json_value& operator=(json_value const&) = delete;
  json_value(json_value&&) = default;
  json_value& operator=(json_value&&) = default;
  ~json_value() = default;

  [[nodiscard]] bool is(json_kind k) const noexcept { return kind == k; }
  [[nodiscard]] bool is(std::string_view word) const noexcept { return kind == json_kind::string && text == word; }

  // The items of an array, or the members of an object.
  class iterator {
   public:
    using value_type = json_value;
    using difference_type = std::ptrdiff_t;
    explicit iterator(json_value const* at = nullptr) noexcept : at_(at) {}
    json_value const& operator*() const { return *at_; }
    json_value const* operator->() const noexcept { return at_; }
    iterator& operator++() noexcept {
      at_ += at_->extent;
      return *this;
    }
    iterator operator++(int) noexcept {
      auto const before = *this;
      ++*this;
      return before;
    }
    bool operator==(iterator const&) const = default;

   private:
    json_value const* at_;
  };
  [[nodiscard]] iterator begin() const { return iterator(this + 1); }
  [[nodiscard]] iterator end() const noexcept { return iterator(this + extent); }
  [[nodiscard]] std::size_t size() const noexcept;

  // The member, or nullptr where there is none. Where the name is repeated, the last counts.
  [[nodiscard]] json_value const* find(std::string_view member) const noexcept;

  // As JSON, without the name.
  [[nodiscard]] std::string dump() const;
  // A string as it is, without quotes; anything else as JSON.
  [[nodiscard]] std::string written() const { return is(json_kind::string) ? std::string(text) : dump(); }
};

class json_document {
 public:
  // Throws text_error for malformed text, for a number that no double holds, and where demand_shallow throws.
  explicit json_document(std::string_view text, std::size_t values_max = std::numeric_limits<std::size_t>::max());

  [[nodiscard]] json_value const& root() const noexcept { return values_.front(); }

 private:
  std::vector<char> characters_;  // the text, in which the parser replaces escapes
  std::vector<json_value> values_;
};

// Throws text_error where JSON is nested deeper than 32, because readers recurse; where it has more than `values_max`
// values; and at a NUL, because a parser would ignore everything behind it.
void demand_shallow(std::string_view text, std::size_t values_max = std::numeric_limits<std::size_t>::max());

// The text as a JSON string. A byte that is no UTF-8 becomes the replacement character.
[[nodiscard]] std::string quoted_json(std::string_view text);

}  // namespace backoff::histories
