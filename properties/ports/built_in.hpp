// Ports that live in this process: the library itself, right ports that follow an open reading, and wrong ports, each
// with a fault that retry code has really shipped. They are judged like any other, so the judge is judged by them.
// One list a system and kind: library.cpp, right.cpp and wrong.cpp in properties/systems/STEM/ports/; those through C
// are with the library. Checked by: properties/ports/built_in_test.cpp. Served through the protocol by
// properties/ports/serve.cpp.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/subject.hpp"

namespace backoff::ports {

// How the judge must find a built-in port.
struct built_in {
  std::string_view name;
  std::string_view sentence;  // what it does differently
  std::function<std::vector<answer>(history const&)> run;
  draw_source draws{};
  std::int64_t widest = 0xffff'ffff;        // the largest base_ms, max_ms and the like that it takes
  std::string_view claim{};                 // the claim that must catch it; none where it must pass
  std::vector<std::string_view> follows{};  // "reading=alternative" that must be reported; a hazard for a wrong port
  std::size_t steps = 6;                    // a wrong port must be shown in no more
  feature_mask lacks = 0;                   // features of its system that it does not have
  std::vector<std::pair<std::string_view, std::int64_t>> at_most{};  // parameters that it takes less of
};

[[nodiscard]] std::span<built_in const> library_ports(std::string_view stem);
// The library through its functions for C.
[[nodiscard]] std::span<built_in const> c_ports(std::string_view stem);
[[nodiscard]] std::span<built_in const> right_ports(std::string_view stem);
[[nodiscard]] std::span<built_in const> wrong_ports(std::string_view stem);
// By name, over all lists; nullptr where there is none.
[[nodiscard]] built_in const* find_built_in(std::string_view stem, std::string_view name);

class built_in_subject final : public subject {
 public:
  built_in_subject(shape const& s, built_in const& port);
  [[nodiscard]] capabilities const& describes() const noexcept override { return capabilities_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override;

 private:
  shape const* shape_;
  built_in const* port_;
  std::optional<std::uint8_t> rejected_;
  capabilities capabilities_;
};

}  // namespace backoff::ports
