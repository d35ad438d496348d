// The arguments of a document's calls, from the failures that a watched program met.
// Checked by: failure_arguments_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judged_system.hpp"
#include "watch/failure_script.hpp"

namespace backoff::waits {

// The draws of a watched program: nobody knows them.
inline constexpr draw_source hidden{spec::draw_kind::hidden, 1};

// An argument of one of these names has what the failure is worth:
//   status, http_status   the status of the response; where there was none, `unset` or 0
//   error                 one of the words status, close, reset and hang; close, too, after some bytes
//   retry_after…          the header, in the unit that the name ends in, or else that of the delays
//   method                the method of the request, in lower case
// Every other one has the value that is given for it, in each call; those of a document have the values that its calls
// need.
class failure_arguments {
 public:
  // given: texts NAME=VALUE, each of which sets an argument. Throws usage_error if an argument has no value, or has one
  // that the document does not allow.
  failure_arguments(judged_system const& of, watch::script failures, std::span<std::string const> given);

  // Whether NAME=VALUE is about an argument.
  [[nodiscard]] static bool is_about(shape const& of, std::string_view text);

  [[nodiscard]] watch::failure const& failure_at(std::size_t attempt) const {
    return failures_.failures[failures_.index_at(attempt)];
  }
  [[nodiscard]] bool are_several() const { return failures_.failures.size() > 1; }
  // The words for methods; none where no argument is one.
  [[nodiscard]] std::span<std::string_view const> methods() const;
  // Writes the arguments of the calls that follow failures, `before` others coming first. first: which attempt failed
  // first, from 0. False: the document has no word for the method.
  [[nodiscard]] bool write_to(history& h, std::size_t before, std::size_t first, std::string_view method) const;

 private:
  void give(std::string_view text, domain const& takes);
  void demand_value(std::size_t argument, watch::failure const& f, domain const& takes) const;
  [[nodiscard]] value value_for(std::size_t argument, watch::failure const& f) const;

  shape const* of_;
  watch::script failures_;
  std::vector<value> given_;  // by argument
};

}  // namespace backoff::waits
