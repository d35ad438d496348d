// Fuzz target: the reader of policies. Whatever a text is, it is refused with a place in it and one line that says what
// was expected there, or it is a policy that can be used: listed, and followed by a port that conforms.
#include <cstdint>
#include <string>
#include <string_view>

#include "bytes.hpp"
#include "histories/generate.hpp"
#include "histories/printable.hpp"
#include "histories/text_parts.hpp"
#include "policies/declare.hpp"

using namespace backoff;
using fuzz::demand;

namespace {

constexpr std::uint64_t histories_tried = 4;

bool is_one_line(std::string_view text) { return !text.empty() && histories::printable(text) == text; }

// Lines and columns count from 1; the end of a line is a place of it.
void demand_place(std::string_view text, std::string_view error, std::string_view file) {
  demand(is_one_line(error) && error.starts_with(file));
  error.remove_prefix(file.size());
  auto const next_number = [&] {
    demand(error.starts_with(':'));
    error.remove_prefix(1);
    auto const digits = error.substr(0, error.find(':'));
    error.remove_prefix(digits.size());
    auto const n = histories::text_parts::parse_scaled(digits, 0);
    demand(n && *n > 0);
    return *n;
  };
  for (auto line = next_number(); line > 1; --line) {
    auto const end = text.find('\n');
    demand(end != std::string_view::npos);
    text.remove_prefix(end + 1);
  }
  demand(static_cast<std::size_t>(next_number()) <= text.substr(0, text.find('\n')).size() + 1);
  demand(error.size() > 2);
}

// What the formulas admit breaks no claim, wherever they have values.
void demand_followed(judge::judged_system const& system) {
  for (auto const& c : system.claims()) demand(is_one_line(c.sentence));
  auto const& shape = system.shape();
  auto const takes = histories::documented_domain(shape, {spec::draw_kind::hidden, 1});
  auto const reading = system.readings().simplest(system.readings().admitting(spec::standing::canonical));
  for (std::uint64_t seed = 1; seed <= histories_tried && system.own_fault().empty(); ++seed) {
    histories::random_bits random(seed);
    auto const h = histories::generate(shape, takes, random);
    auto const played = system.play(h, takes.draws, reading, random);
    bool const broken = system.broken_claims(h, played.answers, takes.draws, reading).broken != 0;
    demand(!broken || !system.own_fault().empty());
  }
  demand(system.own_fault().empty() || is_one_line(system.own_fault()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(reinterpret_cast<char const*>(data), size);
  constexpr std::string_view file = "file.yaml";
  try {
    auto policy = policies::read_policy(std::string(file), text);
    for (auto const& warning : policy.warnings) demand_place(text, warning, file);
    demand_followed(*policies::undeclared(std::move(policy), policies::thoroughness::brief));
  } catch (policies::policy_error const& e) {
    demand_place(text, e.what(), file);
  }
  return 0;
}
