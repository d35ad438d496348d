#include "judge/terms.hpp"

#include <algorithm>
#include <array>

#include "relation/full_jitter.hpp"

namespace backoff::judge {
namespace {

constexpr std::string_view mapping_name = spec::draw_mappings[0];
constexpr std::array<std::string_view, 4> conventions{mapping_name, "delay-resolution", "jitter-mapping",
                                                      "jitter-resolution"};

}  // namespace

bool is_convention(std::string_view reading) noexcept {
  return std::ranges::find(conventions, reading) != conventions.end();
}

std::variant<terms, std::string> terms::of(judged_system const& system, capabilities const& about,
                                           run_options options) {
  if (about.mapping) {
    auto const& table = system.readings();
    auto const reading = table.find(mapping_name);
    auto const alternative = reading ? table.find(*reading, *about.mapping) : std::nullopt;
    if (!alternative) {
      return std::string("the port's mapping '")
          .append(*about.mapping)
          .append("' is not an alternative of draw-mapping");
    }
    options.pinned.emplace_back(*reading, *alternative);
  }
  return terms(system, about, std::move(options));
}

terms::terms(judged_system const& system, capabilities const& about, run_options options) noexcept
    : system_(&system), about_(&about), options_(std::move(options)) {
  must_claims_ = claims_where([](claim_text const& c, unsigned) { return c.strength == strength::must; });
  failing_claims_ = claims_where([&](claim_text const& c, unsigned) {
    if (c.strength == strength::interface) return !options_.document_only;
    return c.strength == strength::must || options_.strict;
  });
  auto const& table = system.readings();
  auto const open = table.admitting(spec::standing::open);
  admitted_ = options_.strict ? table.admitting(spec::standing::canonical) : open;
  for (auto const name : conventions) {
    if (auto const reading = table.find(name)) admitted_.bits |= open.bits & table.field(*reading);
  }
  for (auto const& [reading, alternative] : options_.pinned) admitted_ = table.with(admitted_, reading, alternative);
}

claim_mask terms::claims_about_draws() const noexcept {
  return claims_where([&](claim_text const& c, unsigned i) { return selected(i) && c.draws; });
}

}  // namespace backoff::judge
