// Ports that are right until some attempt and wrong from there on, everywhere or in one region of the parameters only:
// made by a rule, one for each fault, attempt and region of a system, around the library as a port, or where that
// declares a limit around a plain one. Retry control, whose waits no answer shows, is made of plain_retry_control.hpp
// instead. Checked by: properties/ports/late_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "ports/hidden.hpp"

namespace backoff::ports {

// What is wrong from some attempt on. one_less, one_more: a limit that is no lower than that attempt is met one retry,
// or in retry control one second, too early or too late; where a document has no limit, one_less retries no more.
enum class late_kind : std::uint8_t { zero, cap, half, previous, error, one_less, one_more };
inline constexpr std::array<std::string_view, 7> late_names{"zero",  "cap",      "half",    "previous",
                                                            "error", "one-less", "one-more"};

// A region of a system's parameters.
struct late_region {
  std::string_view name;
  std::string_view sentence;
  bool (*holds)(history const&);
};
[[nodiscard]] std::span<late_region const> late_regions(std::string_view stem);  // the first is all of it

struct late_fault {
  late_kind kind = late_kind::zero;
  std::uint32_t from = 1;  // the attempt, from 1
  late_region const* where = nullptr;
};
// late-KIND@ATTEMPT, late-KIND@ATTEMPT-REGION.
[[nodiscard]] std::string name_of(late_fault const& f);
[[nodiscard]] std::optional<late_fault> find_late_fault(std::string_view stem, std::string_view name);

class late_subject final : public subject {
 public:
  // Draws for itself where it is given a generator.
  late_subject(shape const& s, late_fault fault, generator const* from = nullptr, std::uint64_t seed = 1);
  [[nodiscard]] capabilities const& describes() const noexcept override { return capabilities_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) noexcept override;

 private:
  shape const* shape_;
  late_fault fault_;
  generator const* from_;
  random_bits process_;
  built_in const* library_;
  capabilities capabilities_;
};

}  // namespace backoff::ports
