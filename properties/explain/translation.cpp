#include "explain/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "histories/random.hpp"
#include "histories/systems.hpp"
#include "judge/drawn.hpp"

namespace backoff::explain {
namespace {

std::optional<std::int64_t> scaled(std::int64_t n, int power) noexcept {
  for (; power < 0; ++power) {
    if (n % 10 != 0) return std::nullopt;
    n /= 10;
  }
  for (; power > 0; --power) {
    if (std::abs(n) > std::numeric_limits<std::int64_t>::max() / 10) return std::nullopt;
    n *= 10;
  }
  return n;
}

std::string factor(int power) {
  if (power == 0) return "";
  return (power > 0 ? " * 1" : " / 1") + std::string(static_cast<std::size_t>(std::abs(power)), '0');
}

std::vector<source> sources_of(shape const& spoken, shape const& document, std::span<cycle const> all) {
  std::vector<source> found;
  auto const units = unit_of(spoken) - unit_of(document);
  std::size_t params = 0;
  for (std::size_t i = 0; i < spoken.params.size(); ++i) {
    auto const& f = spoken.params[i];
    if (!is_number(f) || is_limit(f) || f.needs) continue;
    ++params;
    bool const has_unit = unit_of(f.name).has_value();
    // A policy's parameters say no unit: they may be times or numbers.
    bool const may_be_time = has_unit || std::ranges::any_of(declared_systems(), [&](auto const* d) {
                               return d->shape().stem == spoken.stem;
                             });
    auto const power = has_unit ? *unit_of(f.name) - unit_of(document) : units;
    if (may_be_time && power != 0) found.push_back({i, 0, power, std::string(f.name) + factor(power)});
    if (!has_unit || power == 0) found.push_back({i, 0, 0, std::string(f.name)});
  }
  if (params != 0 || all.empty()) return found;
  // A port without parameters shows its numbers: the first delay, where it is always the same, and the longest.
  auto const first = all.front().delays.front();
  auto longest = first;
  for (auto const& c : all) {
    if (c.delays.front() != first) return found;
    for (auto const& d : c.delays) {
      if (as_double(d) > as_double(longest)) longest = d;
    }
  }
  for (auto const& d : {first, longest}) {
    if (auto const n = scaled(d.mantissa, d.exponent + units)) found.push_back({{}, *n, 0, std::to_string(*n)});
  }
  return found;
}

// The value of a source in the port's history, in units of 10^-scale.
std::optional<std::int64_t> value_of(source const& from, shape const& spoken, history const& asked,
                                     std::uint8_t scale) {
  if (!from.param) return scaled(from.n, from.power + scale);
  auto const& f = spoken.params[*from.param];
  auto const& v = asked.params[*from.param];
  auto const absent = v.kind == value_kind::absent;
  if (absent && !f.by_default) return std::nullopt;
  return scaled(absent ? *f.by_default : v.n, from.power + scale - f.scale);
}

// The value of a parameter without a source: no limit, the first word or the default; nothing where there is none.
std::optional<value> default_of(shape const& s, std::size_t param, range const& r) {
  auto const& f = s.params[param];
  if (is_limit(f)) return unlimited(f, r);
  if (f.kind == field_kind::keyword) return value::word(0);
  if (f.optional() || s.defaults[param].kind != value_kind::absent) return s.defaults[param];
  auto const name = f.name;
  if (name == "max_jitter_s") return value::of(0);
  if (name == "backoff_rate") return f.number(2 * static_cast<std::int64_t>(std::pow(10, f.scale)));
  return std::nullopt;
}

}  // namespace

translation::translation(judged_system const& spoken, judged_system const& document, draw_source const& draws,
                         std::span<cycle const> all)
    : spoken_(&spoken.shape()),
      document_(&document),
      examiner_(document),
      domain_(documented_domain(document.shape(), draws)),
      before_(explain::calls_before(document.shape())),
      power_(unit_of(spoken.shape()) - unit_of(document.shape())),
      sources_(spoken.shape().stem == document.shape().stem ? std::vector<source>()
                                                            : sources_of(spoken.shape(), document.shape(), all)) {}

std::size_t translation::add_number(std::size_t param, std::int64_t n) {
  auto const scale = words().params[param].scale;
  auto const written = fmt::format("{:.12g}", static_cast<double>(n) / std::pow(10, scale));
  sources_.push_back({{}, n, -scale, written, param});
  return sources_.size() - 1;
}

std::vector<binding> translation::bindings() const {
  std::vector<binding> all;
  add_bindings(all, binding(words().params.size()), 0);
  return all;
}

void translation::add_bindings(std::vector<binding>& all, binding so_far, std::size_t param) const {
  if (param == words().params.size()) {
    all.push_back(std::move(so_far));
    return;
  }
  auto const& f = words().params[param];
  if (sources_.empty() || !is_number(f) || is_limit(f) || f.needs) {
    add_bindings(all, std::move(so_far), param + 1);
    return;
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    bool const is_taken = std::ranges::any_of(so_far, [&](auto const& taken) {
      return taken && sources_[*taken].param == sources_[i].param && sources_[i].param;
    });
    if (is_taken || sources_[i].fits) continue;
    so_far[param] = i;
    add_bindings(all, so_far, param + 1);
  }
  so_far[param].reset();
  bool const has_number = std::ranges::any_of(sources_, [&](source const& s) { return s.fits == param; });
  if (has_number || has_default(param)) add_bindings(all, std::move(so_far), param + 1);
}

bool translation::has_default(std::size_t param) const {
  return default_of(words(), param, domain_.params[param]).has_value();
}

spec::decimal translation::delay_of(spec::decimal port) const noexcept {
  port.exponent += power_;
  for (; port.exponent < 0 && port.mantissa % 10 == 0 && port.mantissa != 0; ++port.exponent) port.mantissa /= 10;
  if (auto const n = port.exponent > 0 ? scaled(port.mantissa, port.exponent) : std::nullopt)
    port = {*n, 0, port.inexact};
  if (port.mantissa == 0) port.exponent = 0;
  return port;
}

std::optional<history> translation::history_of(cycle const& c, binding const& b, bool is_hidden,
                                               std::size_t most) const {
  history h;
  for (std::size_t i = 0; i < words().params.size(); ++i) {
    if (b[i]) {
      auto const n = value_of(sources_[*b[i]], *spoken_, *c.asked, words().params[i].scale);
      if (!n) return std::nullopt;
      h.params[i] = words().params[i].number(*n);
    } else if (is_none() && !is_limit(words().params[i])) {
      h.params[i] = c.asked->params[i];
    } else if (auto const v = default_of(words(), i, domain_.params[i])) {
      h.params[i] = *v;
    } else {
      return std::nullopt;
    }
  }
  auto draws = is_hidden ? std::vector<value>(c.draws.size()) : c.draws;
  draws.resize(std::min(draws.size(), most));
  if (!add_calls(h, words(), domain_, draws)) return std::nullopt;
  return inside(words(), domain_, h) ? std::optional(std::move(h)) : std::nullopt;
}

std::vector<answer> translation::answers_of(history& h, cycle const& c, draw_source const& draws, spec::cube reading) {
  random_bits random(1);
  auto answers = examiner_.play(h, draws, reading, random).answers;
  auto const field = words().delay;
  for (auto at = before_; at < answers.size(); ++at) {
    if (answers[at][field].kind != observed_kind::number) {
      answers.resize(at);
      break;
    }
    answers[at][field] = observed::of(delay_of(c.delays[at - before_]));
  }
  h.steps.resize(answers.size());
  return answers;
}

}  // namespace backoff::explain
