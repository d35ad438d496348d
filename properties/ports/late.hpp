// Ports that are right until some attempt and wrong from there on, everywhere or in one region of the parameters only.
// A rule makes one for each fault, attempt and region of a system, out of a right port that goes on for long.
// systems/STEM/ports/late.cpp has what is particular to a system. Checked by: properties/ports/late_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <span>
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
inline constexpr late_region everywhere{"", "everywhere", [](history const&) { return true; }};

struct late_fault {
  late_kind kind = late_kind::zero;
  std::uint32_t from = 1;  // the attempt, from 1
  late_region const* where = nullptr;
};

// The late ports of a system. `right` names the built-in port that they are made of. `run` answers as that port does,
// but for the fault.
struct late_ports {
  std::span<late_region const> regions;  // everywhere is the first
  std::string_view right;
  std::vector<answer> (*run)(history const& h, late_fault const& f, built_in const& right);
};
[[nodiscard]] late_ports late_ports_of(std::string_view stem);

// late-KIND@ATTEMPT, late-KIND@ATTEMPT-REGION.
[[nodiscard]] std::string name_of(late_fault const& f);
[[nodiscard]] std::optional<late_fault> find_late_fault(std::string_view stem, std::string_view name);

// ---- For late ports of a system ----

inline constexpr std::int64_t u16_max = 0xffff;
inline constexpr std::int64_t u32_max = 0xffff'ffff;

template <std::size_t Param>
bool is_wide(history const& h) {
  return h.params[Param].n > u16_max;
}

// Whether the cap is no multiple of the base.
template <std::size_t Base, std::size_t Cap>
bool has_odd_cap(history const& h) {
  return h.params[Base].n != 0 && h.params[Cap].n % h.params[Base].n != 0;
}

// The field of an answer that has the delay, and the word of its status that says that the call failed. real: delays
// are no whole numbers. cap: what late_kind::cap makes of a delay. limit: the parameter that one_less and one_more
// move, where it is no lower than the attempt.
struct late_delays {
  std::size_t field;
  std::uint8_t error;
  std::int64_t cap;
  bool real = false;
  std::optional<std::size_t> limit{};
};
// Puts the delay of the fault in the place of the documented one.
void make_late(observed& delay, late_fault const& f, late_delays const& of, observed const& previous);
// Fails the call: nothing is answered after it.
void fail_at(std::vector<answer>& answers, std::size_t i, late_delays const& of);
// What the right port answers, but for the fault, in a system whose call 0 asks for a delay, which its status 0 grants,
// and whose other calls begin again.
[[nodiscard]] std::vector<answer> late_cycles(history h, late_fault const& f, built_in const& right,
                                              late_delays const& of);

class late_subject final : public subject {
 public:
  // Draws for itself where it is given a generator.
  late_subject(shape const& s, late_fault fault, generator const* from = nullptr, std::uint64_t seed = 1);
  [[nodiscard]] capabilities const& describes() const noexcept override { return capabilities_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override;

 private:
  shape const* shape_;
  late_fault fault_;
  generator const* from_;
  random_bits process_;
  late_ports made_of_;
  built_in const* right_;
  capabilities capabilities_;
};

}  // namespace backoff::ports
