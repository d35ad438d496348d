#include "ports/late.hpp"

#include <algorithm>
#include <charconv>

namespace backoff::systems {

#define BACKOFF_SYSTEM(stem) late_ports stem##_late_ports();
#include "systems.def"
#undef BACKOFF_SYSTEM

}  // namespace backoff::systems

namespace backoff::ports {
namespace {

observed half_of(observed const& delay) {
  constexpr spec::integer digits_left = 1'000'000'000'000'000'000;  // far from the end of what a mantissa holds
  auto half = delay.value;
  bool const is_short = half.mantissa < digits_left;
  half.mantissa = is_short ? half.mantissa * 5 : half.mantissa / 2;
  half.exponent -= is_short ? 1 : 0;
  return observed::of(half);
}
void move_limit(value& limit, late_fault const& f) {
  if (limit.kind != value_kind::integer || limit.n < f.from) return;
  if (f.kind == late_kind::one_less) --limit.n;
  if (f.kind == late_kind::one_more && limit.n < u32_max) ++limit.n;
}

observed whole_half_of(observed const& delay) { return observed::of(delay.value.mantissa / 2); }

}  // namespace

late_ports late_ports_of(std::string_view stem) {
#define BACKOFF_SYSTEM(name) \
  if (stem == #name) return systems::name##_late_ports();
#include "systems.def"
#undef BACKOFF_SYSTEM
  return {};
}

void make_late(observed& delay, late_fault const& f, late_delays const& of, observed const& previous) {
  if (f.kind == late_kind::zero) delay = observed::of(0);
  if (f.kind == late_kind::cap) delay = observed::of(of.cap);
  if (f.kind == late_kind::half) delay = of.real ? half_of(delay) : whole_half_of(delay);
  if (f.kind == late_kind::previous) delay = previous;
}

void fail_at(std::vector<answer>& answers, std::size_t i, late_delays const& of) {
  answers.resize(i + 1);
  answers[i] = {observed::word(of.error)};
}

std::vector<answer> late_cycles(history h, late_fault const& f, built_in const& right, late_delays const& of) {
  if (of.limit) move_limit(h.params[*of.limit], f);
  auto answers = right.run(h);
  std::array<std::uint32_t, instances_max> attempts{};
  std::array<observed, instances_max> previous;
  previous.fill(observed::of(0));
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    auto const on = h.steps[i].on;
    if (h.steps[i].op != 0) {
      attempts[on] = 0;
      previous[on] = observed::of(0);
      continue;
    }
    auto& delay = answers[i][of.field];
    if (answers[i][0] != observed::word(0)) continue;
    if (++attempts[on] >= f.from) {
      if (f.kind == late_kind::error) {
        fail_at(answers, i, of);
        break;
      }
      make_late(delay, f, of, previous[on]);
    }
    previous[on] = delay;
  }
  return answers;
}

std::string name_of(late_fault const& f) {
  auto name = "late-" + std::string(late_names[static_cast<std::size_t>(f.kind)]) + "@" + std::to_string(f.from);
  return f.where->name.empty() ? name : name + "-" + std::string(f.where->name);
}

std::optional<late_fault> find_late_fault(std::string_view stem, std::string_view name) {
  auto const at = name.find('@');
  if (!name.starts_with("late-") || at == std::string_view::npos) return std::nullopt;
  auto const* const kind = std::ranges::find(late_names, name.substr(5, at - 5));
  late_fault f;
  auto const rest = name.substr(at + 1);
  auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), f.from);
  if (kind == late_names.end() || error != std::errc() || f.from == 0) return std::nullopt;
  auto region = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (region.starts_with("-") && region.size() > 1) region.remove_prefix(1);
  auto const regions = late_ports_of(stem).regions;
  auto const where = std::ranges::find(regions, region, &late_region::name);
  if (where == regions.end()) return std::nullopt;
  f.kind = static_cast<late_kind>(kind - late_names.begin());
  f.where = &*where;
  return f;
}

late_subject::late_subject(shape const& s, late_fault fault, generator const* from, std::uint64_t seed)
    : shape_(&s),
      fault_(fault),
      from_(from),
      process_(seed),
      made_of_(late_ports_of(s.stem)),
      right_(find_built_in(s.stem, made_of_.right)) {
  capabilities_ = built_in_subject(s, *right_).describes();
  capabilities_.name = name_of(fault_);
  if (from_ != nullptr) capabilities_.takes.draws = {spec::draw_kind::hidden, 1};
}

std::vector<result> late_subject::run(std::span<history const> histories) {
  std::vector<result> results;
  for (auto const& h : histories) {
    auto const drawn = from_ == nullptr ? h : with_draws(*shape_, h, right_->draws, *from_, process_);
    auto answers = fault_.where->holds(drawn) ? made_of_.run(drawn, fault_, *right_) : right_->run(drawn);
    results.push_back({result_kind::answered, std::move(answers), {}});
  }
  return results;
}

}  // namespace backoff::ports
