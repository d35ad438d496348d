// A line where simdjson may read beyond its end.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

namespace backoff::files {

class padded_line {
 public:
  [[nodiscard]] simdjson::padded_string_view of(std::string_view line) {
    text_.reserve(line.size() + simdjson::SIMDJSON_PADDING);
    text_.assign(line);
    return simdjson::padded_string_view(text_.data(), text_.size(), text_.capacity());
  }

 private:
  std::string text_;
};

}  // namespace backoff::files
