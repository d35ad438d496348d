#include "histories/shape.hpp"

#include <algorithm>

namespace backoff::histories {
namespace {

range documented(field const& f, draw_source const& draws) noexcept {
  if (f.kind == field_kind::draw) return {0, static_cast<std::int64_t>(draws.size) - 1, 0, true, false};
  bool const numbers = f.kind != field_kind::keyword && f.kind != field_kind::set;
  return {f.low, f.high, (std::uint64_t{1} << f.words.size()) - 1, numbers, false};
}

// Calls `change` with every field and its range.
template <class Change>
void each_field(shape const& s, domain& d, Change const& change) {
  for (std::size_t i = 0; i < s.params.size(); ++i) change(s.params[i], d.params[i]);
  for (std::size_t op = 0; op < s.operations.size(); ++op) {
    auto const args = s.operations[op].args;
    for (std::size_t i = 0; i < args.size(); ++i) change(args[i], d.args[op][i]);
  }
}

// Whether a port can be sent this value.
bool admits(domain const& d, field const& f, range const& r, value const& v) {
  return v.kind == value_kind::absent || (d.has_features_for(f) && r.admits(v));
}

}  // namespace

bool range::admits(value const& v) const {
  if (v.kind == value_kind::absent) return true;
  if (v.kind == value_kind::keyword) return ((words >> v.n) & 1U) != 0;
  if (v.kind == value_kind::set) return (static_cast<std::uint64_t>(v.n) & ~words) == 0;
  return numbers && v.n >= low && v.n <= high;
}

std::optional<std::uint8_t> shape::find_operation(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].name == name) return static_cast<std::uint8_t>(i);
  }
  return std::nullopt;
}

std::optional<std::size_t> shape::find_param(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == name) return i;
  }
  return std::nullopt;
}

std::vector<answer> shape::rejection(history const& h) const {
  if (!rejected_word || h.steps.empty()) return {};
  return {answer{observed::word(*rejected_word)}};
}

std::size_t shape::draw_of(std::uint8_t op) const noexcept {
  auto const args = operations[op].args;
  auto const at = std::ranges::find(args, field_kind::draw, &field::kind);
  return at == args.end() ? 0 : static_cast<std::size_t>(at - args.begin());
}

bool shape::has_draws() const noexcept {
  return std::ranges::any_of(operations, [](operation const& op) {
    return std::ranges::any_of(op.args, [](field const& f) { return f.kind == field_kind::draw; });
  });
}

domain documented_domain(shape const& s, draw_source draws) {
  domain d;
  d.draws = draws;
  for (std::size_t i = 0; i < s.params.size(); ++i) d.params[i] = documented(s.params[i], draws);
  for (auto const& op : s.operations) {
    auto& ranges = d.args.emplace_back();
    for (std::size_t i = 0; i < op.args.size(); ++i) ranges[i] = documented(op.args[i], draws);
  }
  return d;
}

domain usual_domain(shape const& s, draw_source draws, feature_mask features) {
  domain d = documented_domain(s, draws);
  d.features = features;
  each_field(s, d, [](field const& f, range& r) { r.low = f.usual_low.value_or(r.low); });
  without_missing_words(s, d);
  return d;
}

std::string keep_operations(shape const& s, domain& d, std::span<std::string const> names) {
  d.operations = 0;
  for (auto const& name : names) {
    auto const op = s.find_operation(name);
    if (!op) return "unknown operation '" + name + "'";
    d.operations |= 1U << *op;
  }
  for (std::uint8_t op = 0; op < s.operations.size(); ++op) {
    bool const missing = !d.answers(op) && !s.operations[op].optional;
    if (missing) return "no port is without '" + std::string(s.operations[op].name) + "'";
  }
  return {};
}

void without_missing_words(shape const& s, domain& d) noexcept {
  each_field(s, d, [&](field const& f, range& r) {
    bool const missing = f.last_word_needs && !d.offers(*f.last_word_needs);
    if (missing) r.words &= ~(std::uint64_t{1} << (f.words.size() - 1));
  });
}

bool may_be_left_out(field const& f, range const& r) noexcept {
  return f.left_out != 0 && (!f.by_default || r.admits(value::of(*f.by_default)));
}

bool leaves_to_default(shape const& s, domain const& d, history const& h) noexcept {
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    auto const& f = s.params[i];
    bool const left_out = f.left_out != 0 && h.params[i].kind == value_kind::absent;
    if (left_out && !may_be_left_out(f, d.params[i])) return true;
  }
  return false;
}

bool inside(shape const& s, domain const& d, history const& h) noexcept {
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (!admits(d, s.params[i], d.params[i], h.params[i])) return false;
  }
  for (auto const& call : h.steps) {
    if (call.on >= d.instances() || !d.answers(call.op)) return false;
    auto const args = s.operations[call.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!admits(d, args[i], d.args[call.op][i], call.args[i])) return false;
    }
  }
  return true;
}

bool allowed(shape const& s, history const& h) { return s.misuse(h).empty(); }

bool all_declared(shape const& s, domain const& d) noexcept {
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (d.takes(s.params[i]) && !d.params[i].declared) return false;
  }
  return !s.params.empty();
}

}  // namespace backoff::histories
