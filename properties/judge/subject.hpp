// What is judged: a library, a model or a foreign port, behind one call.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::judge {

// What a subject says of itself; of a foreign port, its answer to `start`.
struct capabilities {
  std::string name;
  std::string version;
  std::string language;
  domain takes;                        // ranges and the generator of draws
  std::optional<std::string> mapping;  // the alternative of the reading draw-mapping that it names, if any
  std::size_t max_batch = 256;         // histories a request
  std::size_t max_line = 0;            // bytes of a request; 0: unlimited
};

class subject {
 public:
  virtual ~subject() = default;
  [[nodiscard]] virtual capabilities const& describes() const noexcept = 0;
  // One result per history, in order. Each history runs on fresh instances. A subject that can answer no more returns
  // `broke` for every history.
  [[nodiscard]] virtual std::vector<result> run(std::span<history const> histories) = 0;
};

}  // namespace backoff::judge
