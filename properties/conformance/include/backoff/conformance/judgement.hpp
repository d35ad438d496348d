// How a port in this process is judged, and what comes of it.
#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff {

// Where the draws of a port come from. A port whose calls take none makes its own: `hidden`, whatever is asked for.
struct draws {
  enum class kind : std::uint8_t { u32, rand, unit, hidden };
  kind is = kind::u32;
  std::uint32_t rand_max = 0;

  [[nodiscard]] static constexpr draws u32() noexcept { return {}; }
  [[nodiscard]] static constexpr draws rand(std::uint32_t max) { return {kind::rand, max}; }  // 0..max
  [[nodiscard]] static constexpr draws unit() noexcept { return {kind::unit}; }               // [0, 1)
  [[nodiscard]] static constexpr draws hidden() noexcept { return {kind::hidden}; }
};

// As `backoff-oracle check` has them, by the same names.
struct options {
  std::uint64_t cases = 0;  // histories; 0: as many as the level asks for
  std::uint64_t seed = 1;
  int level = 1;                             // 1: 10,000 histories; 2: 10,000,000
  bool strict = false;                       // canonical readings of the document only; its advice fails too
  bool document_only = false;                // what breaks the interface alone is reported, and does not fail
  std::vector<std::string> claim{};          // globs; none: all
  std::vector<std::string> skip{};           // globs
  std::vector<std::string> reading{};        // NAME=VALUE
  std::vector<std::string> known_failing{};  // lines: CLAIM-OR-REQUIREMENT PATTERN # reason
  std::uint64_t max_failures = 0;            // stop after so many failing histories; 0: do not
  double alpha = 1e-9;                       // that hidden draws refute a right port
  std::string replay{};                      // a token: these histories and no others

  // What the port says of itself.
  std::string name = "port";
  backoff::draws draws{};
  std::vector<std::string> ranges{};    // what it takes, where that is less: "base_ms 1..65535", "max_attempts 3"
  std::vector<std::string> features{};  // of its system, beyond those that its type shows
  bool instances = true;                // whether several can be made and used at once
};

struct finding {
  std::string claim;
  std::string requirement;  // its id; empty where there is none
  std::string token;        // replays it; empty where only the draws of many histories show it
  bool fails;               // not of an observation that the document merely advises against
};

// Whether a port conforms, and why not. EXPECT_TRUE prints the message, and so does whatever prints by `<<`.
class [[nodiscard]] judgement {
 public:
  judgement(bool conforms, std::string message, std::string report, std::vector<finding> findings)
      : conforms_(conforms), message_(std::move(message)), report_(std::move(report)), findings_(std::move(findings)) {}

  explicit operator bool() const noexcept { return conforms_; }
  [[nodiscard]] std::string const& message() const noexcept { return message_; }  // each finding, and the verdict
  [[nodiscard]] std::string const& report() const noexcept { return report_; }    // all that `check` prints
  [[nodiscard]] std::vector<finding> const& findings() const noexcept { return findings_; }

  // To testing::AssertionResult, or what looks like it.
  template <class Assertion>
    requires requires(Assertion a, std::string text) {
      { a.failure_message() } -> std::convertible_to<char const*>;
      a << text;
    }
  operator Assertion() const {  // NOLINT(google-explicit-constructor): a test returns it as its own
    Assertion result(conforms_);
    result << "\n" << message_;
    return result;
  }
  friend std::ostream& operator<<(std::ostream& out, judgement const& j) { return out << j.message_; }

 private:
  bool conforms_;
  std::string message_;
  std::string report_;
  std::vector<finding> findings_;
};

}  // namespace backoff
