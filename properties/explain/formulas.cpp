#include "explain/formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "histories/random.hpp"
#include "judge/drawn.hpp"
#include "relation/rational.hpp"

namespace backoff::explain {
namespace {

constexpr int delays_min = 4;  // in a history: fewer fit too many formulas
constexpr int delays_max = 12;
constexpr double longest_s = 3'600;        // of a parameter
constexpr std::size_t sample = 80;         // histories by which parameters are found
constexpr std::size_t part_of_them = 20;   // one in so many histories must be comparable
constexpr std::size_t sample_to_fit = 6;   // histories by which numbers are found at first
constexpr std::size_t give_up_after = 12;  // histories of which none is explained

// --- the words of a system ---

// The power of ten of the unit that a name ends in, in seconds.
std::optional<int> unit_of(std::string_view name) noexcept {
  constexpr std::array<std::pair<std::string_view, int>, 4> units{{{"_s", 0}, {"_ms", -3}, {"_us", -6}, {"_ns", -9}}};
  for (auto const& [end, power] : units) {
    if (name.ends_with(end)) return power;
  }
  return std::nullopt;
}

int unit_of(shape const& s) noexcept { return unit_of(s.answers[s.delay].name).value_or(0); }

// Whether it limits the retries.
bool is_limit(field const& f) noexcept {
  bool const forever = std::ranges::find(f.words, "forever") != f.words.end();
  return forever || f.name.find("attempts") != std::string_view::npos || f.name.find("tries") != std::string_view::npos;
}

// No limit, or the highest.
value unlimited(field const& f, range const& r) noexcept {
  for (std::size_t i = 0; i < f.words.size(); ++i) {
    if (f.words[i] == "forever" && r.admits(value::word(static_cast<std::int64_t>(i))))
      return value::word(static_cast<std::int64_t>(i));
  }
  bool const none_is_zero = std::ranges::any_of(f.specials, [](special const& s) { return s.why == "no limit"; });
  return value::of(none_is_zero && r.low == 0 ? 0 : r.high);
}

std::optional<std::size_t> argument(shape const& s, std::string_view name) noexcept {
  auto const args = s.operations[0].args;
  auto const at = std::ranges::find(args, name, &field::name);
  return at == args.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - args.begin()));
}

// Calls before the one that answers the first delay: a reset that has to come first, or the request that is no retry.
std::size_t calls_before(shape const& s) {
  history one;
  one.steps.resize(1);
  s.repair(one, documented_domain(s, {}));
  bool const begins_otherwise = !one.steps.empty() && one.steps.front().op != 0;
  return begins_otherwise || argument(s, "http_status") ? 1 : 0;
}

// Sets the calls of h to those that ask a fresh instance for one delay per draw. False: the system forbids such calls.
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

value draw_of(shape const& s, step const& call) noexcept {
  auto const& of = s.operations[call.op].args;
  for (std::size_t a = 0; a < of.size(); ++a) {
    if (of[a].kind == field_kind::draw) return call.args[a];
  }
  return {};
}

// --- what the port was asked, and what it answered ---

struct cycle {
  history const* asked;
  std::vector<value> draws;  // of the calls that answered a delay
  std::vector<spec::decimal> delays;
};

std::vector<cycle> cycles_of(shape const& s, std::span<history const> asked, std::span<result const> got) {
  std::vector<cycle> all;
  auto const before = calls_before(s);
  for (std::size_t i = 0; i < std::min(asked.size(), got.size()); ++i) {
    if (got[i].kind != result_kind::answered) continue;
    cycle c{&asked[i], {}, {}};
    for (auto at = before; at < got[i].answers.size(); ++at) {
      auto const& delay = got[i].answers[at][s.delay];
      if (delay.kind != observed_kind::number) break;
      c.draws.push_back(draw_of(s, asked[i].steps[at]));
      c.delays.push_back(delay.value);
    }
    if (!c.delays.empty()) all.push_back(std::move(c));
  }
  return all;
}

// --- a document's parameters, from the port's ---

// What a parameter of a document may be: one of the port's, in another unit perhaps, or a number that the port's delays
// show.
struct source {
  std::optional<std::size_t> param;
  std::int64_t n = 0;  // where it is none of the port's
  int power = 0;       // of ten, by which it is multiplied
  std::string name;
  std::optional<std::size_t> fits{};  // the only parameter that it is for, found by search
};

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
    bool const is_number = f.kind == field_kind::integer || f.kind == field_kind::decimal;
    if (!is_number || is_limit(f) || f.needs) continue;
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

// The source of each parameter of a document; nothing: its default.
using binding = std::vector<std::optional<std::size_t>>;

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

// What a parameter of a document may be where the port has none for it: numbers that people write, and those that its
// first and its longest delays show, as times of the document's unit.
std::vector<double> usual_numbers(field const& f, range const& r, std::vector<double> const& times,
                                  std::vector<double> const& exactly) {
  constexpr std::array ratios{0.0, 0.05, 0.1,  0.15, 0.2, 0.25, 0.3, 0.333, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0,
                              1.1, 1.2,  1.25, 1.3,  1.4, 1.5,  1.6, 1.618, 1.7, 1.8, 2.0, 2.2, 2.5,  3.0, 4.0, 5.0};
  constexpr std::array shares{1.0, 0.5, 2.0, 1 / 1.5, 1 / 1.25, 1 / 1.2, 1 / 1.1, 1 / 0.9, 1 / 0.8, 1 / 0.75};
  std::vector<double> all(ratios.begin(), ratios.end());
  for (double const power : {1.0, 10.0, 100.0, 1e3, 1e4, 1e5}) {
    for (double const digit : {1.0, 2.0, 3.0, 5.0, 6.0}) all.push_back(digit * power);
  }
  for (double const t : times) {
    for (double const share : shares) {
      double const unit = std::pow(10, std::floor(std::log10(std::max(t * share, 1e-9))) - 1);
      all.insert(all.end(), {std::round(t * share / unit) * unit, std::round(t * share / unit / 5) * unit * 5});
    }
  }
  all.insert(all.end(), exactly.begin(), exactly.end());
  double const one = std::pow(10, f.scale);
  for (auto& x : all) x = std::round(x * one);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  std::erase_if(all, [&](double x) { return x < static_cast<double>(r.low) || x > static_cast<double>(r.high); });
  return all;
}

// --- one document ---

class comparison {
 public:
  comparison(judged_system const& spoken, judged_system const& document, draw_source const& draws,
             std::vector<cycle> const& all)
      : spoken_(&spoken.shape()),
        document_(&document),
        examiner_(document),
        all_(&all),
        draws_(spoken.shape().has_draws() ? draws : draw_source{spec::draw_kind::hidden, draws.size}),
        domain_(documented_domain(document.shape(), draws)),
        before_(calls_before(document.shape())),
        power_(unit_of(spoken.shape()) - unit_of(document.shape())),
        sources_(spoken.shape().stem == document.shape().stem ? std::vector<source>()
                                                              : sources_of(spoken.shape(), document.shape(), all)) {}

  // How well the document explains the delays at best; nothing where it explains none, or where too few histories can
  // be compared.
  std::optional<likeness> best() {
    std::optional<likeness> found;
    if (is_given()) found = best_with(draws_);
    if (found && found->explains()) return found;
    auto const unseen = best_with(hidden());
    if (!found) return unseen;
    if (!unseen) return found;
    bool const tells = unseen->how != likeness::kind::inside && unseen->explained > found->explained;
    return tells || 20 * found->explained < found->compared ? unseen : found;
  }

  // The same with numbers for the parameters that the port does not have. Of the port's own, all are used, or none.
  std::optional<likeness> fitted() {
    constexpr std::size_t starts = 2;
    constexpr double nearly = 0.9;
    if (spoken_ == &document_->shape() || all_->empty()) return std::nullopt;
    find_bindings(hidden());
    if (alive_.empty()) return std::nullopt;
    auto const used = [](binding const& b) {
      return std::ranges::count_if(b, [](auto const& s) { return s.has_value(); });
    };
    auto const most = used(std::ranges::max(bindings_, {}, used));
    std::vector<std::pair<double, binding>> first;
    for (auto const& b : bindings_) {
      if (used(b) == most) first.emplace_back(fit_of(b).likely, b);
    }
    std::ranges::sort(first, std::ranges::greater());
    first.resize(std::min(first.size(), starts));
    auto const none = std::ranges::find(bindings_, 0, used);
    if (most > 0 && none != bindings_.end()) first.emplace_back(0, *none);
    add_sources_to_fit();
    std::vector<binding> climbs;
    for (auto& [_, b] : first) climbs.push_back(climbed(std::move(b)));
    auto const likely = [&](binding const& b) { return fit_of(b).likely; };
    climbs = {std::ranges::max(climbs, {}, likely)};
    if (fit_of(climbs.front()).share > nearly) {
      fitting_ = sample / 2;
      climbs = {climbed(climbs.front())};
    }
    if (is_given()) {
      settle_assignments(draws_);
      if (auto found = best_of(climbs, draws_); found && found->explains()) return found;
      settle_assignments(hidden());
    }
    return best_of(climbs, hidden());
  }

 private:
  struct tried {
    std::uint64_t explained = 0;
    std::uint64_t compared = 0;
    std::uint64_t whole = 0;
    double likely = 0;  // log-likelihood: a narrower range explains more
    bool draws = false;
  };

  [[nodiscard]] draw_source hidden() const noexcept { return {spec::draw_kind::hidden, draws_.size}; }
  // Whether the port takes draws, and the document has any.
  [[nodiscard]] bool is_given() const noexcept {
    return draws_.kind != spec::draw_kind::hidden && document_->shape().has_draws();
  }

  std::optional<likeness> best_with(draw_source const& draws) {
    find_bindings(draws);
    return best_of(bindings_, draws);
  }

  void find_bindings(draw_source const& draws) {
    settle_assignments(draws);
    bindings_.clear();
    add_bindings(binding(document_->shape().params.size()), 0);
  }

  std::optional<likeness> best_of(std::vector<binding> const& bindings, draw_source const& draws) {
    std::optional<binding> best;
    tried most;
    auto const enough = std::max<std::size_t>(1, std::min(sample, all_->size()) / part_of_them);
    for (auto const& b : bindings) {
      auto const t = compare(b, draws, std::min(sample, all_->size()), most);
      if (t.compared < enough || t.explained == 0) continue;
      auto const share = [](tried const& of) {
        return static_cast<double>(of.explained) / static_cast<double>(of.compared);
      };
      auto const rank = [&](tried const& of, binding const& by) {
        auto const bound = std::ranges::count_if(by, [](auto const& s) { return s.has_value(); });
        return std::tuple(share(of), std::round(1e6 * of.likely) / static_cast<double>(of.compared), -bound);
      };
      if (best && rank(t, b) <= rank(most, *best)) continue;
      best = b;
      most = t;
    }
    if (!best) return std::nullopt;
    shown_ = expected_ = {};
    auto const t = compare(*best, draws, all_->size(), {});
    if (t.explained == 0) return std::nullopt;
    likeness found{document_, likeness::kind::exactly, t.explained, t.compared, t.whole, {}};
    if (t.draws) found.how = spread_as_documented() ? likeness::kind::spread : likeness::kind::inside;
    for (std::size_t i = 0; i < best->size(); ++i) {
      if (!(*best)[i]) continue;
      auto const& from = sources_[*(*best)[i]];
      found.with.emplace_back(document_->shape().params[i].name, from.name);
      if (from.fits) found.fitted.emplace_back(document_->shape().params[i].name);
    }
    return found;
  }

  // How likely delays are under a binding, by the widths of the ranges that hold them.
  struct fit {
    double likely = 0;
    double share = 0;  // of the delays, in their ranges
  };
  fit fit_of(binding const& b) {
    constexpr std::size_t readings_max = 6;
    constexpr double outside = 14;   // what a delay outside of its range costs; as much more where it is far from it
    constexpr double finest = 1e-6;  // parts of a delay that a range can be narrow
    std::span const readings(alive_.data(), std::min(alive_.size(), readings_max));
    std::vector<fit> by_reading(readings.size());
    auto const field = document_->shape().delay;
    double delays = 0;
    double compared = 0;
    for (auto const& c : std::span(*all_).first(std::min(fitting_, all_->size()))) {
      delays += static_cast<double>(c.delays.size());
      auto h = translated(c, b, true);
      if (!h) continue;
      compared += static_cast<double>(c.delays.size());
      auto const answers = with_port_delays(*h, c, hidden());
      for (std::size_t r = 0; r < readings.size(); ++r) {
        auto const admitted =
            answers.empty() ? std::vector<spec::expectation>() : examiner_.admitted(*h, answers, hidden(), readings[r]);
        double inside = 0;
        for (std::size_t at = before_; at < admitted.size(); ++at) {
          auto const& all = admitted[at][field];
          using kind = spec::admissible_kind;
          bool const is_range =
              all.kind() == kind::lattice || all.kind() == kind::interval || all.kind() == kind::either;
          if (!is_range) continue;
          auto const ends = all.kind() == kind::lattice ? spec::closed_interval{all.first(), all.last()} : all.ends();
          auto const low = static_cast<double>(ends.low);
          auto const high = static_cast<double>(ends.high);
          if (all.admits(answers[at][field])) {
            by_reading[r].likely -= std::log(std::clamp((high - low) / std::max(high, 1e-9), finest, 1.0));
            ++inside;
            continue;
          }
          auto const delay = as_double(answers[at][field].value);
          double const apart = std::max(low - delay, delay - high) / std::max(delay, 1e-9);
          by_reading[r].likely -= outside * (1 + std::clamp(apart, 0.0, 1.0));
        }
        auto const granted = admitted.size() - std::min(before_, admitted.size());
        by_reading[r].likely -= 2 * outside * static_cast<double>(c.delays.size() - granted);
        by_reading[r].share += inside;
      }
    }
    auto const best = *std::ranges::max_element(by_reading, {}, &fit::likely);
    bool const are_enough = 3 * compared > delays;  // the others are none that the document allows
    if (!are_enough) return {-std::numeric_limits<double>::infinity(), 0};
    return {best.likely / compared, best.share / compared};
  }

  // Each parameter that the port does not have takes the number under which its delays are likeliest, in turns. Two
  // that are not far from their best values may have to change together: a longer time and less jitter.
  binding climbed(binding b) {
    constexpr int turns = 6;
    constexpr double hopeless = 0.3;
    constexpr double hoped = 0.6;
    constexpr std::size_t beside = 4;
    std::vector<std::vector<std::size_t>> numbers(b.size());  // of each free parameter, in order
    for (std::size_t from = 0; from < sources_.size(); ++from) {
      auto const i = sources_[from].fits;
      if (i && (!b[*i] || sources_[*b[*i]].fits)) numbers[*i].push_back(from);
    }
    auto now = fit_of(b);
    auto const take = [&](binding other) {
      auto const there = fit_of(other);
      if (there.likely <= now.likely) return;
      b = std::move(other);
      now = there;
    };
    auto const with = [](binding one, std::size_t i, std::size_t from) {
      one[i] = from;
      return one;
    };
    auto const near = [&](std::size_t i) {
      std::span<std::size_t const> const all(numbers[i]);
      if (!b[i]) return all.first(0);
      auto const at = static_cast<std::size_t>(std::ranges::find(all, *b[i]) - all.begin());
      auto const first = at - std::min(at, beside);
      return all.subspan(first, std::min(at + beside + 1, all.size()) - first);
    };
    bool in_pairs = false;
    for (int turn = 0; turn < turns; ++turn) {
      double const before = now.likely;
      for (std::size_t i = 0; i < b.size(); ++i) {
        for (auto const from : numbers[i]) take(with(b, i, from));
        for (std::size_t k = 0; in_pairs && k < i; ++k) {
          for (auto const one : near(i)) {
            for (auto const other : near(k)) take(with(with(b, i, one), k, other));
          }
        }
      }
      if (now.share < hopeless || (in_pairs && now.likely <= before)) break;
      in_pairs = now.likely <= before && now.share > hoped && document_->shape().has_draws();
      if (!in_pairs && now.likely <= before) break;
    }
    return b;
  }

  void add_sources_to_fit() {
    auto const& s = document_->shape();
    std::vector<double> first;
    double longest = 0;
    for (auto const& c : *all_) {
      auto const in_unit = [&](spec::decimal const& d) { return as_double(d) * std::pow(10, power_); };
      first.push_back(in_unit(c.delays.front()));
      for (auto const& d : c.delays) longest = std::max(longest, in_unit(d));
    }
    std::ranges::sort(first);
    std::vector<double> exactly;  // what is always the same
    if (first.front() == first.back()) exactly = {first.front(), longest};
    std::vector const times{first.front(), first[first.size() / 2], first.back(), (first.front() + first.back()) / 2,
                            longest};
    for (std::size_t i = 0; i < s.params.size(); ++i) {
      auto const& f = s.params[i];
      bool const is_number = f.kind == field_kind::integer || f.kind == field_kind::decimal;
      if (!is_number || is_limit(f) || f.needs || !domain_.params[i].numbers) continue;
      for (double const n : usual_numbers(f, domain_.params[i], times, exactly))
        sources_.push_back(
            {{}, static_cast<std::int64_t>(n), -f.scale, fmt::format("{:.12g}", n / std::pow(10, f.scale)), i});
    }
  }

  // The readings that a port may follow. Where draws are given, only those with an exact mapping.
  void settle_assignments(draw_source const& draws) {
    auto const& table = document_->readings();
    spec::cube admitted = table.admitting(spec::standing::open);
    if (draws.kind != spec::draw_kind::hidden) admitted.bits &= spec::exactly_mapped(table).bits;
    alive_ = spec::common_cubes(table, document_->assignments(draws.kind), {admitted});
  }

  // Every way to bind the document's parameters to the port's. A parameter of the port is used at most once. A port of
  // this document has no sources: it keeps its own parameters.
  void add_bindings(binding so_far, std::size_t param) {
    auto const& s = document_->shape();
    if (param == s.params.size()) {
      bindings_.push_back(std::move(so_far));
      return;
    }
    auto const& f = s.params[param];
    bool const is_number = f.kind == field_kind::integer || f.kind == field_kind::decimal;
    bool const has_default = default_of(s, param, domain_.params[param]).has_value();
    if (sources_.empty() || !is_number || is_limit(f) || f.needs) {
      add_bindings(std::move(so_far), param + 1);
      return;
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      bool const is_taken = std::ranges::any_of(so_far, [&](auto const& taken) {
        return taken && sources_[*taken].param == sources_[i].param && sources_[i].param;
      });
      if (is_taken) continue;
      so_far[param] = i;
      add_bindings(so_far, param + 1);
    }
    so_far[param].reset();
    if (has_default) add_bindings(std::move(so_far), param + 1);
  }

  // The history in the document's words; nothing where the document does not allow it.
  std::optional<history> translated(cycle const& c, binding const& b, bool hidden) const {
    auto const& s = document_->shape();
    history h;
    for (std::size_t i = 0; i < s.params.size(); ++i) {
      if (b[i]) {
        auto const n = value_of(sources_[*b[i]], *spoken_, *c.asked, s.params[i].scale);
        if (!n) return std::nullopt;
        h.params[i] = s.params[i].number(*n);
      } else if (spoken_ == &s && !is_limit(s.params[i])) {
        h.params[i] = c.asked->params[i];
      } else if (auto const v = default_of(s, i, domain_.params[i])) {
        h.params[i] = *v;
      } else {
        return std::nullopt;
      }
    }
    if (!add_calls(h, s, domain_, hidden ? std::vector<value>(c.draws.size()) : c.draws)) return std::nullopt;
    return inside(s, domain_, h) ? std::optional(std::move(h)) : std::nullopt;
  }

  // The document's answers, with the port's delays in them. They end where the document grants no more retries.
  std::vector<answer> with_port_delays(history& h, cycle const& c, draw_source const& draws) {
    random_bits random(1);
    auto answers = examiner_.play(h, draws, alive_.front(), random).answers;
    auto const field = document_->shape().delay;
    for (auto at = before_; at < answers.size(); ++at) {
      if (answers[at][field].kind != observed_kind::number) {
        answers.resize(at);
        break;
      }
      auto delay = c.delays[at - before_];
      delay.exponent += power_;
      for (; delay.exponent < 0 && delay.mantissa % 10 == 0 && delay.mantissa != 0; ++delay.exponent)
        delay.mantissa /= 10;
      if (auto const n = delay.exponent > 0 ? scaled(delay.mantissa, delay.exponent) : std::nullopt)
        delay = {*n, 0, delay.inexact};
      if (delay.mantissa == 0) delay.exponent = 0;
      answers[at][field] = observed::of(delay);
    }
    h.steps.resize(answers.size());
    return answers;
  }

  tried compare(binding const& b, draw_source const& draws, std::size_t count, std::optional<tried> const& bound) {
    tried t;
    if (alive_.empty()) return t;
    bool const hidden = draws.kind == spec::draw_kind::hidden;
    std::vector<std::uint64_t> by_assignment(alive_.size());
    auto const& table = document_->readings();
    for (std::size_t i = 0; i < count; ++i) {
      auto const& c = (*all_)[i];
      auto h = translated(c, b, hidden);
      if (!h) continue;
      auto const answers = with_port_delays(*h, c, draws);
      if (answers.size() <= before_) continue;
      ++t.compared;
      auto const outcomes = examiner_.judge(*h, answers, draws, alive_, ~claim_mask{0}, ~claim_mask{0});
      std::vector<bool> explains(alive_.size());
      for (std::size_t a = 0; a < alive_.size(); ++a) {
        explains[a] = std::ranges::any_of(
            outcomes, [&](assignment_outcome const& f) { return f.alive && table.common(f.where, alive_[a]); });
        by_assignment[a] += explains[a] ? 1U : 0U;
      }
      auto const first = std::ranges::find(explains, true);
      bool const is_whole = answers.size() - before_ == c.delays.size();
      t.whole += first != explains.end() && is_whole ? 1U : 0U;
      if (hidden && document_->shape().has_draws() && first != explains.end()) {
        auto const reading = alive_[static_cast<std::size_t>(first - explains.begin())];
        note(*h, answers, reading, t, shown_);
        if (!bound) note_expected(*h, reading, i);
      }
      t.explained = *std::ranges::max_element(by_assignment);
      // The remaining histories cannot make this binding the best.
      auto const missed = t.compared - t.explained;
      if (bound && bound->compared * (count - missed) < bound->explained * count) break;
      if (bound && t.explained == 0 && missed == give_up_after) break;
    }
    return t;
  }

  // How many delays lie in each sixteenth of their ranges. The last count is that of delays at the upper end, where a
  // maximum may cut them.
  using places = std::array<std::uint64_t, 17>;

  void note(history const& h, std::span<answer const> answers, spec::cube reading, tried& t, places& counts) {
    constexpr spec::integer values_min = 256;
    auto const field = document_->shape().delay;
    auto const admitted = examiner_.admitted(h, answers, hidden(), reading);
    for (std::size_t at = before_; at < admitted.size(); ++at) {
      auto const& all = admitted[at][field];
      auto const part = part_of(all, answers[at][field]);
      if (!part) continue;
      t.draws = true;
      bool const whole = all.kind() == spec::admissible_kind::lattice;
      auto const width =
          whole ? static_cast<double>(all.count()) : static_cast<double>(all.ends().high - all.ends().low);
      t.likely -= std::log(std::max(width, 1e-9));
      if (whole && all.count() < values_min) continue;
      bool const at_end = part->below > 1 - 1e-9 || (whole && part->upto > 1 - 1e-12);
      ++counts[at_end ? 16 : static_cast<std::size_t>(std::min(part->below, 0.9999) * 16)];
    }
  }

  // The same for the delays of a right port, which the model makes from random draws.
  void note_expected(history h, spec::cube reading, std::uint64_t index) {
    constexpr draw_source u32{};
    random_bits random(1, index);
    std::vector<value> draws(h.steps.size() - before_);
    for (auto& d : draws) d = value::of(random.between(0, static_cast<std::int64_t>(u32.size - 1)));
    auto const& table = document_->readings();
    auto same = reading.bits;
    for (auto const name : spec::draw_mappings) {
      auto const mapping = table.find(name);
      if (mapping) same |= table.field(*mapping) & spec::exactly_mapped(table).bits;
    }
    for (auto const c : document_->assignments(u32.kind)) {
      auto const both = table.common(c, {same & spec::exactly_mapped(table).bits});
      if (!both || !add_calls(h, document_->shape(), domain_, draws)) continue;
      auto const answers = examiner_.play(h, u32, *both, random).answers;
      static_cast<void>(add_calls(h, document_->shape(), domain_, std::vector<value>(draws.size())));
      tried none;
      note(h, answers, reading, none, expected_);
      return;
    }
  }

  // A chi-squared test of two samples, which refutes a right port in less than one of a billion runs. False where there
  // are too few delays.
  [[nodiscard]] bool spread_as_documented() const {
    constexpr double least = 320;
    constexpr double most = 85;
    auto const sum = [](places const& of) {
      return static_cast<double>(std::accumulate(of.begin(), of.end(), std::uint64_t{0}));
    };
    auto const a = sum(shown_);
    auto const b = sum(expected_);
    if (a < least || b < least) return false;
    double chi = 0;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      auto const x = static_cast<double>(shown_[i]);
      auto const y = static_cast<double>(expected_[i]);
      if (x + y > 0) chi += std::pow(x * std::sqrt(b / a) - y * std::sqrt(a / b), 2) / (x + y);
    }
    return chi < most;
  }

  shape const* spoken_;
  judged_system const* document_;
  examiner examiner_;
  std::vector<cycle> const* all_;
  draw_source draws_;
  domain domain_;
  std::size_t before_;
  int power_;
  std::vector<source> sources_;
  std::size_t fitting_ = sample_to_fit;  // histories by which numbers are found
  std::vector<spec::cube> alive_;
  std::vector<binding> bindings_;
  places shown_{};     // the port's delays
  places expected_{};  // the document's
};

// Swaps parameters so that no cap is below a time that it caps: otherwise every delay would be the cap.
void put_caps_last(history& h, shape const& s, domain const& takes) {
  auto const is_cap = [](std::string_view name) {
    bool const says_so = name.find("max") != name.npos || name.find("cap") != name.npos;
    return says_so && name.find("jitter") == name.npos;
  };
  auto const is_time = [&](std::size_t p) {
    return s.params[p].kind == field_kind::integer && !is_limit(s.params[p]) && h.params[p].kind == value_kind::integer;
  };
  for (std::size_t cap = 0; cap < s.params.size(); ++cap) {
    if (!is_time(cap) || !is_cap(s.params[cap].name)) continue;
    for (std::size_t p = 0; p < s.params.size(); ++p) {
      bool const is_less = is_time(p) && !is_cap(s.params[p].name) && h.params[cap].n < h.params[p].n;
      if (is_less && takes.params[cap].admits(h.params[p]) && takes.params[p].admits(h.params[cap]))
        std::swap(h.params[p], h.params[cap]);
    }
  }
}

}  // namespace

bool tells_delays(shape const& s) noexcept { return unit_of(s.answers[s.delay].name).has_value(); }

std::vector<history> histories_of_delays(shape const& s, domain const& takes, std::size_t count, std::uint64_t seed) {
  std::vector<history> all;
  auto const before = calls_before(s);
  auto const draw = std::ranges::find(s.operations[0].args, field_kind::draw, &field::kind);
  auto const* const drawn = takes.args[0].data() + (draw - s.operations[0].args.begin());
  for (std::size_t i = 0; i < count; ++i) {
    random_bits random(seed, i);
    history h;
    auto calls = static_cast<std::size_t>(random.between(delays_min, delays_max));
    bool const whole_seconds = i % 2 == 0;  // what documents that count in seconds allow
    for (std::size_t p = 0; p < s.params.size(); ++p) {
      auto const& f = s.params[p];
      auto const& r = takes.params[p];
      if (!takes.takes(f) || f.needs) continue;
      if (is_limit(f)) {
        h.params[p] = unlimited(f, r);
        bool const limited = h.params[p].kind == value_kind::integer && h.params[p].n != 0;
        if (limited) calls = std::min(calls, static_cast<std::size_t>(std::max<std::int64_t>(h.params[p].n, 1)));
        continue;
      }
      if (!r.numbers) {
        h.params[p] = value::word(std::countr_zero(r.words));
        continue;
      }
      auto const one = static_cast<std::int64_t>(std::pow(10, f.scale));
      if (f.kind == field_kind::decimal) {
        auto const step = f.scale == 0 ? 1 : one / 10;
        auto const high = std::min(r.high, r.low + 3 * one);
        h.params[p] = f.number(r.low + step * random.between(0, (high - r.low) / step));
        continue;
      }
      auto const unit = unit_of(f.name).value_or(unit_of(s));
      auto const high = std::min(static_cast<double>(r.high), longest_s * std::pow(10, -unit));
      auto const second = static_cast<std::int64_t>(std::pow(10, -unit));
      bool const in_seconds = whole_seconds && second <= r.high;
      auto const low = std::max(static_cast<double>(r.low), in_seconds ? static_cast<double>(second) : 1.0);
      auto const u = static_cast<double>(random.between(0, 1'000'000)) / 1e6;
      auto const n = static_cast<std::int64_t>(low * std::pow(std::max(high / low, 1.0), u));
      h.params[p] = f.number(std::clamp(in_seconds ? n / second * second : n, r.low, r.high));
    }
    std::vector<value> draws(calls);
    for (auto& d : draws) {
      if (takes.draws.kind != spec::draw_kind::hidden && draw != s.operations[0].args.end())
        d = value::of(random.between(drawn->low, drawn->high));
    }
    put_caps_last(h, s, takes);
    if (add_calls(h, s, takes, draws) && h.steps.size() > before && inside(s, takes, h)) all.push_back(std::move(h));
  }
  return all;
}

std::vector<likeness> likenesses(judged_system const& spoken, draw_source const& draws, std::span<history const> asked,
                                 std::span<result const> got, std::span<judged_system const* const> documents) {
  auto const rank = [](likeness const& l) {
    auto const share = static_cast<double>(l.whole) / static_cast<double>(l.compared);
    return std::tuple(l.explains(), l.how != likeness::kind::inside, share, -static_cast<int>(l.fitted.size()),
                      l.compared);
  };
  std::vector<likeness> all;  // the best first, equals in the order of the documents
  auto const cycles = cycles_of(spoken.shape(), asked, got);
  auto const add = [&](std::optional<likeness> found) {
    bool const is_whole = found && found->explained == found->compared;
    bool const is_some = found && 10 * found->explained >= found->compared && found->how != likeness::kind::inside;
    if (!is_whole && !is_some) return;
    auto const same = std::ranges::find(all, found->document, &likeness::document);
    if (same != all.end() && rank(*same) >= rank(*found)) return;
    if (same != all.end()) all.erase(same);
    all.insert(std::ranges::upper_bound(all, rank(*found), std::ranges::greater(), rank), std::move(*found));
  };
  for (auto const* document : documents) {
    if (tells_delays(document->shape())) add(comparison(spoken, *document, draws, cycles).best());
  }
  if (std::ranges::any_of(all, &likeness::explains)) return all;
  for (auto const* document : documents) {
    if (tells_delays(document->shape())) add(comparison(spoken, *document, draws, cycles).fitted());
  }
  return all;
}

}  // namespace backoff::explain
