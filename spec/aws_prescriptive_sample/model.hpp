// The exact model of the sample loop of AWS Prescriptive Guidance's retry with backoff: for one request, the admissible
// answers under a joint assignment of readings.
//
//   delay_ms = (2^n − 1) · 100 before request n + 1;  another one follows 429 and 504, up to max(1, max_retries) in all
//
// Written from the document alone, slow on purpose, never linked into the library.
// Checked by: spec/aws_prescriptive_sample/examples.yaml, against the library by properties/engines.
#pragma once

#include <cstdint>
#include <vector>

#include "aws_prescriptive_sample/readings.hpp"
#include "relation/full_jitter.hpp"
#include "relation/relation.hpp"

namespace backoff::spec::aws_prescriptive_sample {

[[nodiscard]] reading_table const& readings() noexcept;
// Nothing here is drawn: all assignments make sense with every kind of draw.
[[nodiscard]] std::vector<cube> assignments(draw_kind draws);

// The fields of an answer, and the words of the first and the last.
enum field : std::size_t { field_status, field_delay, field_retry };
enum class status : std::uint8_t { answered, error };
enum class retry : std::uint8_t { no, yes };

struct parameters {
  integer max_retries;  // [0, 2^31)
};

// What a request depends on besides its answer. After the last one, or a failure, nothing is documented.
struct state {
  integer retries = 0;  // requests that another one followed
  bool over = false;
  friend bool operator==(state const&, state const&) noexcept = default;
};

// What the answer to a request says of the next one, before the limit has its say. undecided: another may follow.
enum class answer_kind : std::uint8_t { success, transient, failure, undecided };

// Where a request stands in the run; what claims speak about.
struct facts {
  integer retries = 0;
  bool overflows = false;  // (2^retries − 1) · 100 is more than 2^31 − 1
  bool fails = false;      // and the document has the request fail for it
  answer_kind answered = answer_kind::failure;
  bool last = false;  // no other request may follow, whatever the answer
};

struct outcome {
  expectation answer;
  aws_prescriptive_sample::facts facts;
};

// One request, answered with http_status; advances s.
[[nodiscard]] outcome attempt(parameters const& p, state& s, integer http_status, chooser& readings);

}  // namespace backoff::spec::aws_prescriptive_sample
