#include "explain/delay_cycles.hpp"

#include <algorithm>
#include <array>

#include "relation/full_jitter.hpp"

namespace backoff::explain {
namespace {

std::optional<std::size_t> argument(shape const& s, std::string_view name) noexcept {
  auto const args = s.operations[0].args;
  auto const at = std::ranges::find(args, name, &field::name);
  return at == args.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - args.begin()));
}

}  // namespace

std::optional<int> unit_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 4> units{{{"_s", 0}, {"_ms", -3}, {"_us", -6}, {"_ns", -9}}};
  for (auto const& [end, power] : units) {
    if (name.ends_with(end)) return power;
  }
  return std::nullopt;
}

int unit_of(shape const& s) { return unit_of(s.answers[s.delay].name).value_or(0); }

bool tells_delays(shape const& s) noexcept { return unit_of(s.answers[s.delay].name).has_value(); }

bool is_number(field const& f) noexcept { return f.kind == field_kind::integer || f.kind == field_kind::decimal; }

std::size_t calls_before(shape const& s) {
  history one;
  one.steps.resize(1);
  s.repair(one, documented_domain(s, {}));
  bool const begins_otherwise = !one.steps.empty() && one.steps.front().op != 0;
  return begins_otherwise || argument(s, "http_status") ? 1 : 0;
}

bool add_calls(history& h, shape const& s, domain const& takes, std::span<value const> draws) {
  constexpr std::int64_t throttled = 429;
  auto const before = calls_before(s);
  h.steps.assign(before + draws.size(), step{});
  auto const count = argument(s, "retry_count");
  auto const retryable = argument(s, "retryable");
  auto const error = argument(s, "error");
  auto const status = argument(s, "http_status");
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    auto& args = h.steps[i].args;
    if (count) args[*count] = value::of(static_cast<std::int64_t>(i + 1));
    if (retryable && takes.takes(s.operations[0].args[*retryable])) args[*retryable] = value::word(1);
    if (error && takes.takes(s.operations[0].args[*error])) args[*error] = value::word(0);  // which is retried
    if (status) args[*status] = value::of(throttled);
  }
  auto const calls = h.steps.size();
  s.repair(h, takes);
  if (h.steps.size() != calls) return false;
  for (std::size_t i = 0; i < calls; ++i) {
    auto const& of = s.operations[h.steps[i].op].args;
    for (std::size_t a = 0; a < of.size(); ++a) {
      if (of[a].kind == field_kind::draw) h.steps[i].args[a] = draws[i < before ? 0 : i - before];
    }
  }
  return true;
}

std::optional<std::pair<double, double>> ends_of(spec::admissible const& range) {
  using kind = spec::admissible_kind;
  if (range.kind() == kind::lattice) {
    auto const last = static_cast<double>(range.last());
    auto const high = range.has_ends() ? std::max(last, static_cast<double>(range.ends().high)) : last;
    return std::pair(static_cast<double>(range.first()), high);
  }
  if (range.kind() != kind::interval && range.kind() != kind::either) return std::nullopt;
  return std::pair(static_cast<double>(range.ends().low), static_cast<double>(range.ends().high));
}

std::vector<spec::cube> single_readings(spec::reading_table const& table, std::vector<spec::cube> all,
                                        std::size_t most) {
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    auto const& of = table.readings()[r];
    if (std::ranges::find(spec::draw_mappings, of.name) != spec::draw_mappings.end()) continue;
    std::vector<spec::cube> split;
    for (auto const& where : all) {
      for (unsigned a = 0; a < of.alternatives.size(); ++a) {
        if ((where.bits & table.bit(r, a)) != 0) split.push_back(table.with(where, r, a));
      }
    }
    all = std::move(split);
  }
  std::ranges::sort(all, {}, [&](spec::cube c) { return std::pair(table.deviations(table.simplest(c)), c.bits); });
  all.resize(std::min(all.size(), most));
  return all;
}

}  // namespace backoff::explain
