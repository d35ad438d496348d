#include "explain/breaking.hpp"

#include <algorithm>
#include <utility>

namespace backoff::explain {
namespace {

constexpr std::size_t kept_max = 2'048;
constexpr std::size_t kept_calls_max = 40'000;

template <class Regions>
auto find_around(Regions& regions, shape const& s, history const& h) {
  return std::ranges::find_if(regions, [&](breaking_region const& r) { return matches(s, r.where, h); });
}

}  // namespace

breaking::breaking(shape const& s, domain const& takes) : shape_(&s), takes_(&takes) {}

breaking_region const* breaking::around(history const& h) const {
  auto const found = find_around(regions_, *shape_, h);
  return found == regions_.end() ? nullptr : &*found;
}

bool breaking::contains(history const& h) const { return around(h) != nullptr; }

bool breaking::see(std::span<history const> histories, std::span<result const> results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& h = histories[i];
    auto const kind = results[i].kind;
    if (kind == result_kind::broke) {
      broke_.push_back(h);
      if (broke_.size() == learnt_from && !learn_another()) return false;
    } else if (kind == result_kind::unsent) {
      if (auto const r = find_around(regions_, *shape_, h); r != regions_.end()) ++r->unsent;
    } else if (answered_.size() < kept_max && answered_calls_ < kept_calls_max) {
      answered_calls_ += h.steps.size() + 1;
      answered_.push_back(h);
    }
  }
  return true;
}

bool breaking::learn_another() {
  if (regions_.size() == regions_max || answered_.size() < answered_min) return false;
  examples seen(*shape_, *takes_);
  for (auto const& h : broke_) seen.add(h, true);
  for (auto const& h : answered_) seen.add(h, false);
  breaking_region r{learn(seen).where, broke_.size(), 0, answered_.size(), 0};
  r.inside = static_cast<std::uint64_t>(
      std::ranges::count_if(answered_, [&](history const& h) { return matches(*shape_, r.where, h); }));
  if (r.where.empty() || r.inside * outside_share > answered_.size()) return false;
  broke_.clear();
  regions_.push_back(std::move(r));
  return true;
}

std::string to_words(shape const& s, domain const& takes, breaking_region const& r) {
  auto const n = [](std::uint64_t count) { return std::to_string(count); };
  return to_words(s, takes, r.where) + ": in all " + n(r.broke) + " such histories, and in " + n(r.inside) + " of " +
         n(r.answered) + " that the port had answered by then; " + n(r.unsent) + " more were not sent";
}

}  // namespace backoff::explain
