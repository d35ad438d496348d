#include "plans/delay_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "explain/admitted_delays.hpp"
#include "explain/delay_cycles.hpp"
#include "histories/present.hpp"
#include "histories/random.hpp"

namespace backoff::plans {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double last_share = 1 - 0x1p-32;
constexpr std::size_t groups = 256;  // of samples, each even
constexpr double even = 3e-4;        // of the range: how far delays may be from an even piece where they are looked at
constexpr double between = 2;        // times as far, between these places
constexpr double narrow = 0x1p-26;   // shares that are not divided

// The draw of whole numbers is scaled, so that greater draws give greater delays.
spec::cube reading_of(judge::judged_system const& document) {
  auto const& table = document.readings();
  auto chosen = table.admitting(spec::standing::canonical);
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    auto const& of = table.readings()[r];
    if (std::ranges::find(spec::draw_mappings, of.name) == spec::draw_mappings.end()) continue;
    auto const at = std::ranges::find(of.alternatives, "scaled", &spec::alternative::name);
    bool const is_whole = of.alternatives.front().name != "real";
    if (is_whole && at != of.alternatives.end())
      chosen = table.with(chosen, r, static_cast<unsigned>(at - of.alternatives.begin()));
  }
  return chosen;
}

}  // namespace

// Plays the document for clients side by side.
class player {
 public:
  struct answer {
    std::optional<double> delay_s;  // nothing: the client gives up, or what follows is not known
    bool is_known = true;
  };

  // first_draw: of a client, for calls that come before the first retry.
  template <class FirstDraw>
  player(judge::judged_system const& document, history with, std::size_t clients, FirstDraw first_draw)
      : document_(&document),
        with_(std::move(with)),
        source_{spec::draw_kind::unit, std::uint64_t{1} << (document.shape().draws_are_hidden ? 60U : 32U)},
        reading_(reading_of(document)),
        unit_s_(std::pow(10, unit_of(document.shape()))),
        model_(document.runner()),
        states_(clients) {
    lengthen();
    if (calls_.steps.empty()) return;
    model_->start(calls_);
    std::ranges::fill(states_, 0);
    for (std::size_t i = 0; i < calls_before(document.shape()); ++i) {
      for (std::size_t c = 0; c < clients; ++c) static_cast<void>(go_on(c, first_draw(c)));
      next();
    }
  }

  // The least and the greatest delay that the client may be answered. Nothing: there is none.
  [[nodiscard]] std::optional<std::pair<double, double>> range(std::size_t client) {
    if (step_ >= calls_.steps.size()) return std::nullopt;
    auto const without_draws = source_;
    source_.kind = spec::draw_kind::hidden;
    auto const found = admitted_delay_of(document_->shape(), admitted(client, {}));
    source_ = without_draws;
    if (!found.range) return std::nullopt;
    return std::pair(found.range->first * unit_s_, found.range->second * unit_s_);
  }
  // What the client is answered for that draw of [0, 1).
  [[nodiscard]] answer ask(std::size_t client, double draw) { return asked(client, draw, false); }
  // The same, and the client goes on from there.
  answer go_on(std::size_t client, double draw) { return asked(client, draw, true); }
  // All clients have gone on.
  void next() {
    model_->advance();
    states_ = next_;
    made_ = 0;
    if (++step_ == calls_.steps.size()) lengthen();
  }

 private:
  // As many calls again, if the document allows them.
  void lengthen() {
    auto const& s = document_->shape();
    auto const wanted = std::max<std::size_t>(64, 2 * calls_.steps.size());
    auto const longer = asking_for(with_, s, documented_domain(s, source_), std::vector<histories::value>(wanted));
    if (longer && longer->steps.size() > calls_.steps.size()) calls_ = *longer;
  }

  answer asked(std::size_t client, double draw, bool goes_on) {
    auto const& s = document_->shape();
    next_.resize(states_.size());
    if (step_ >= calls_.steps.size()) return {};
    auto const n = static_cast<std::int64_t>(draw * static_cast<double>(source_.size));
    auto const admitted = this->admitted(client, histories::value::of(n));
    if (goes_on) {
      next_[client] = made_ - 1;
      if (s.has_draws()) observe({calls_, step_, source_, false}, admitted);
    }
    auto const found = admitted_delay_of(s, admitted);
    using enum spec::admissible_kind;
    bool const is_known = admitted[0].kind() != unjudged && admitted[s.delay].kind() != unjudged;
    if (!is_known || !found.may_retry || !found.range) return {{}, is_known};
    return {(found.range->first + found.range->second) / 2 * unit_s_};
  }

  // draw: absent where it is hidden.
  spec::expectation admitted(std::size_t client, histories::value const& draw) {
    auto& call = calls_.steps[step_];
    auto const& args = document_->shape().operations[call.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].kind == histories::field_kind::draw) call.args[i] = draw;
    }
    std::vector<spec::cube> elsewhere;
    spec::chooser readings(document_->readings(), reading_, elsewhere);
    ++made_;
    return model_->admitted({calls_, step_, source_, false}, states_[client], readings);
  }

  void observe(judge::place const& at, spec::expectation const& admitted) {
    auto const& s = document_->shape();
    random_bits random(1);  // one of two outcomes that doubles leave open
    auto seen = judge::play(admitted, random);
    for (std::size_t i = 0; i < s.answers.size(); ++i) {
      if (!s.answers[i].belongs_to(seen)) seen[i] = {};
    }
    model_->observe(at, admitted, seen);
  }

  judge::judged_system const* document_;
  history with_;
  judge::draw_source source_;
  spec::cube reading_;
  double unit_s_;
  std::unique_ptr<judge::model_runner> model_;
  history calls_;
  std::size_t step_ = 0;
  std::size_t made_ = 0;             // states, at this call
  std::vector<std::size_t> states_;  // by client
  std::vector<std::size_t> next_;
};

namespace {

// Clients who always draw the least, always the greatest and always the middle number.
constexpr std::array corners{0.0, last_share, 0.5};

// Delays as a function of the share of the draws, which is divided until it is linear.
class divided_function {
 public:
  using function = std::function<double(double)>;

  // Of the shares of [0, 1); `never` where no retry is granted.
  explicit divided_function(function at) : at_(std::move(at)) {
    knot from{0, at_(0)};
    knot end{1, at_(last_share)};
    if (is_granted_ = from.delay != never && end.delay != never; !is_granted_) return;
    if (falls_ = from.delay > end.delay; falls_) std::swap(from.delay, end.delay);
    range_ = end.delay - from.delay;
    divide(from, end, 0);
  }

  [[nodiscard]] bool is_granted() const noexcept { return is_granted_; }
  // Whether it only rises, or only falls.
  [[nodiscard]] bool is_monotone() const noexcept { return is_monotone_; }
  [[nodiscard]] spread_delay const& found() const noexcept { return found_; }

 private:
  struct knot {
    double share = 0;
    double delay = 0;
  };

  void append(double upto, double low, double high) {
    auto& all = found_.pieces;
    double const before = all.size() < 2 ? 0 : all[all.size() - 2].upto;
    auto const goes_on = [&](piece const& last) {
      double const expected = last.high + (last.high - last.low) / (last.upto - before) * (upto - last.upto);
      return last.high == low && (last.low == last.high) == (low == high) && std::abs(expected - high) <= 1e-9 * high;
    };
    if (!all.empty() && goes_on(all.back())) {
      all.back() = {upto, all.back().low, high};
    } else {
      all.push_back({upto, low, high});
    }
  }

  void divide(knot from, knot end, unsigned depth) {
    constexpr std::array places{0.25, 0.382, 0.5, 0.618, 0.75};
    constexpr unsigned always_looked_at = 3;
    if (from.delay == end.delay && depth >= always_looked_at) {
      append(end.share, from.delay, end.delay);
      return;
    }
    if (end.share - from.share < narrow) {  // a step
      append((from.share + end.share) / 2, from.delay, from.delay);
      append(end.share, end.delay, end.delay);
      return;
    }
    double farthest = 0;
    knot middle;
    for (double const place : places) {
      double const share = from.share + (end.share - from.share) * place;
      double const delay = at_(falls_ ? last_share - share : share);
      double const slack = 1e-9 * end.delay;
      is_granted_ &= delay != never;
      is_monotone_ &= delay >= from.delay - slack && delay <= end.delay + slack;
      if (place == 0.5) middle = {share, delay};
      farthest = std::max(farthest, std::abs(delay - (from.delay + (end.delay - from.delay) * place)));
    }
    if (!is_granted_ || !is_monotone_) return;
    if (farthest <= even * range_ && depth > 0) {
      if (farthest > 1e-8 * end.delay) found_.error_s = std::max(found_.error_s, between * farthest);
      append(end.share, from.delay, end.delay);
      return;
    }
    divide(from, middle, depth + 1);
    divide(middle, end, depth + 1);
  }

  function at_;
  bool falls_ = false;
  double range_ = 0;
  bool is_granted_ = true;
  bool is_monotone_ = true;
  spread_delay found_;
};

double draw_of(random_bits& random) { return static_cast<double>(random() >> 32U) * 0x1p-32; }

spread_delay of_samples(std::vector<double> samples) {
  std::ranges::sort(samples);
  spread_delay d;
  d.is_simulated = true;
  auto const count = std::min(groups, samples.size());
  for (std::size_t i = 0; i < count; ++i) {
    auto const from = i * samples.size() / count;
    auto const to = (i + 1) * samples.size() / count;
    d.pieces.push_back({static_cast<double>(to) / static_cast<double>(samples.size()), samples[from],
                        samples[std::min(to, samples.size() - 1)]});
  }
  return d;
}

}  // namespace

double spread_delay::quantile(double share) const noexcept {
  auto const at = std::ranges::lower_bound(pieces, share, {}, &piece::upto);
  auto const& p = at == pieces.end() ? pieces.back() : *at;
  if (p.low == p.high) return p.low;
  double const before = &p == pieces.data() ? 0 : (&p - 1)->upto;
  return p.low + (p.high - p.low) * std::clamp((share - before) / (p.upto - before), 0.0, 1.0);
}

void spread_delay::extend(double low, double high) {
  pieces.front().low = std::min(pieces.front().low, low);
  pieces.back().high = std::max(pieces.back().high, high);
}

double spread_delay::mean() const noexcept {
  double sum = 0;
  double before = 0;
  for (auto const& p : pieces) {
    sum += (p.upto - before) * (p.low + p.high) / 2;
    before = p.upto;
  }
  return sum;
}

// The document, played for the clients that a law is made of.
class delay_law::engine {
 public:
  engine(judge::judged_system const& document, history const& with, std::uint64_t seed)
      : document_(&document),
        with_(with),
        random_(seed),
        draws_(document_->shape().has_draws()),
        depends_(draws_ && (document_->learns_from_answers() || draws_first())),
        corners_(corners_played()),
        simulated_(*document_, with, depends_ ? simulated_clients : 0, [&](std::size_t) { return draw_of(random_); }) {}

  [[nodiscard]] bool depends() const noexcept { return depends_; }
  [[nodiscard]] bool may_end_by_time() const noexcept { return document_->learns_from_answers(); }

  // The law of the next retry as a client sees it that always drew so. Nothing: not all draws are granted it, or it is
  // not known.
  [[nodiscard]] std::optional<spread_delay> spread_for(std::size_t corner) {
    auto const at = [&](double share) { return corners_.ask(corner, share).delay_s.value_or(never); };
    if (!draws_) {
      double const only = at(0);
      return only == never ? std::nullopt : std::optional(spread_delay{{{1, only, only}}});
    }
    // Delays that are the same here and there, as those at a cap are, have the same distribution.
    std::vector<double> looks;
    for (double const share : {0.0, 0.2, 0.382, 0.5, 0.618, 0.9, last_share}) looks.push_back(at(share));
    if (looks == looks_) return known_;
    known_.reset();
    divided_function const f(at);
    if (!f.is_granted()) return std::nullopt;
    looks_ = std::move(looks);
    if (f.is_monotone()) return known_ = f.found();
    std::vector<double> samples;
    samples.reserve(simulated_clients);
    for (std::size_t i = 0; i < simulated_clients; ++i)
      samples.push_back(at((static_cast<double>(i) + draw_of(random_)) / static_cast<double>(simulated_clients)));
    if (std::ranges::find(samples, never) != samples.end()) return std::nullopt;
    known_ = of_samples(std::move(samples));
    if (auto const ends = corners_.range(corner)) known_->extend(ends->first, ends->second);
    return known_;
  }
  [[nodiscard]] player::answer corner(std::size_t which) { return corners_.ask(which, corners[which]); }

  // The delays of the simulated clients that are not out yet; their draws fill [0, 1) evenly.
  void simulate(std::vector<std::vector<double>>& delays, std::vector<bool>& gave_up) {
    std::vector<std::uint32_t> order(delays.size());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    for (std::size_t c = 0; c < delays.size(); ++c) {
      double const draw = (order[c] + draw_of(random_)) / static_cast<double>(order.size());
      bool const is_out = gave_up[c] || (!delays[c].empty() && delays[c].back() == never);
      auto const found = is_out ? player::answer{} : simulated_.go_on(c, draw);
      if (is_out) continue;
      gave_up[c] = !found.delay_s && found.is_known;
      if (!gave_up[c]) delays[c].push_back(found.delay_s.value_or(never));
    }
    simulated_.next();
  }
  void next() {
    for (std::size_t i = 0; i < corners.size(); ++i) static_cast<void>(corners_.go_on(i, corners[i]));
    corners_.next();
  }

  // How many retries fit into that time for the client of them with the least delays. Nothing: any number.
  [[nodiscard]] std::optional<std::size_t> most_of_corners(double budget_s) {
    auto played = corners_played();
    std::array<double, corners.size()> passed{};
    for (std::size_t n = 0; n < retries_max; ++n) {
      bool is_within = false;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        auto const found = played.go_on(i, corners[i]);
        if (!found.is_known) return std::nullopt;
        passed[i] += found.delay_s.value_or(never);
        is_within |= passed[i] <= budget_s * (1 + 1e-12);
      }
      if (!is_within) return n;
      played.next();
    }
    return std::nullopt;
  }

  // How many retries clients are granted that always draw the greatest number, and others; how long the delays of the
  // first are, and were they the least.
  [[nodiscard]] retry_limit limit_of_corners() {
    auto played = corners_played();
    retry_limit limit;
    for (std::size_t n = 0; n < retries_max; ++n) {
      std::array<std::optional<double>, corners.size()> delays;
      bool is_known = true;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        auto const found = played.go_on(i, corners[i]);
        delays[i] = found.delay_s;
        is_known &= found.is_known;
      }
      if (!is_known) return {};
      if (!delays[1] || !delays[2]) {
        limit.least = limit.most = n;
        return limit;
      }
      double const one = present(delays[1]);
      double const other = delays[0].value_or(one);
      limit.least_s += std::min(one, other);
      limit.greatest_s += std::max(one, other);
      played.next();
    }
    return {};
  }

 private:
  // Whether a call before the first retry draws.
  [[nodiscard]] bool draws_first() const { return calls_before(document_->shape()) > 0; }
  [[nodiscard]] player corners_played() const {
    return {*document_, with_, corners.size(), [](std::size_t i) { return corners[i]; }};
  }

  judge::judged_system const* document_;
  history with_;
  random_bits random_;
  bool draws_;
  bool depends_;
  std::vector<double> looks_;
  std::optional<spread_delay> known_;
  player corners_;
  player simulated_;
};

delay_law::delay_law(judge::judged_system const& document, history const& with, std::uint64_t seed)
    : engine_(std::make_unique<engine>(document, with, seed)), corner_clients_(corners.size()) {
  if (engine_->depends()) clients_.resize(simulated_clients);
  gave_up_.resize(clients_.size());
}

delay_law::delay_law(std::vector<std::vector<double>> clients)
    : clients_(std::move(clients)), gave_up_(clients_.size(), true) {}

delay_law::~delay_law() = default;
delay_law::delay_law(delay_law&&) noexcept = default;
delay_law& delay_law::operator=(delay_law&&) noexcept = default;

retry_law const* delay_law::retry(std::size_t n) {
  while (n >= retries_.size() && !has_ended_ && is_known_) extend();
  return n < retries_.size() ? &retries_[n] : nullptr;
}

void delay_law::extend() {
  auto const n = retries_.size();
  if (n >= retries_max) {
    is_known_ = false;
    return;
  }
  retry_law law;
  if (engine_) {
    std::array<player::answer, corners.size()> at_corners;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      auto const& found = at_corners[i] = engine_->corner(i);
      if (found.delay_s) corner_clients_[i].push_back(*found.delay_s);
    }
    auto own = engine_->spread_for(0);
    auto const is_same = [&](std::size_t corner) {
      auto const other = engine_->spread_for(corner);
      return other && std::ranges::equal(present(own).pieces, other->pieces, [](piece const& a, piece const& b) {
               return a.upto == b.upto && a.low == b.low && a.high == b.high;
             });
    };
    law.is_independent = own && (!engine_->depends() || (is_same(1) && is_same(2)));
    if (engine_->depends()) engine_->simulate(clients_, gave_up_);
    if (law.is_independent) law.delay = std::move(*own);
    engine_->next();
    if (!engine_->depends() && !own) {
      (at_corners[0].is_known ? has_ended_ : is_known_) = at_corners[0].is_known;
      return;
    }
    if (!law.is_independent) {
      law.delay = seen_at(n);
      if (law.delay.pieces.empty()) {
        bool const is_known = std::ranges::all_of(at_corners, &player::answer::is_known);
        (is_known ? has_ended_ : is_known_) = is_known;
        return;
      }
      for (auto const& a : at_corners) {
        if (!a.delay_s) continue;
        law.delay.extend(*a.delay_s, *a.delay_s);
      }
    }
  } else {
    law.is_independent = false;
    law.delay = seen_at(n);
    has_ended_ = law.delay.pieces.empty();
    if (has_ended_) return;
  }
  if (!clients_.empty()) {
    auto const goes_on = [n](auto const& delays) { return delays.size() > n; };
    law.granted = static_cast<double>(std::ranges::count_if(clients_, goes_on)) / static_cast<double>(clients_.size());
  }
  retries_.push_back(std::move(law));
}

// Of the clients that are granted it and do not wait for longer than was looked at.
spread_delay delay_law::seen_at(std::size_t n) const {
  std::vector<double> seen;
  for (auto const& delays : clients_) {
    if (n < delays.size() && delays[n] != never) seen.push_back(delays[n]);
  }
  return seen.empty() ? spread_delay{} : of_samples(std::move(seen));
}

std::optional<double> delay_law::delay(std::size_t client, std::size_t n, double draw) {
  auto const* const law = retry(n);
  if (clients_.empty()) {
    if (law != nullptr) return law->delay.quantile(draw);
    return has_ended_ ? std::nullopt : std::optional(never);
  }
  auto const which = client % clients_.size();
  if (n < clients_[which].size()) return clients_[which][n];
  return gave_up_[which] ? std::nullopt : std::optional(never);
}

std::vector<std::vector<double>> const& delay_law::clients(std::size_t n) {
  static_cast<void>(retry(n));
  return clients_;
}

std::optional<std::size_t> delay_law::most_within(double budget_s) {
  if (is_simulated()) return engine_->most_of_corners(budget_s);
  double passed = 0;
  for (std::size_t n = 0; retry(n) != nullptr; ++n) {
    passed += retries_[n].delay.least();
    if (passed > budget_s * (1 + 1e-12)) return n;
  }
  return has_ended_ ? std::optional(retries_.size()) : std::nullopt;
}

std::optional<double> delay_law::time_limit() {
  auto const l = limit();
  if (!l.least || !engine_->may_end_by_time()) return std::nullopt;
  double most = l.greatest_s;
  for (auto const& delays : corner_clients_) most = std::max(most, std::accumulate(delays.begin(), delays.end(), 0.0));
  return most;
}

retry_limit delay_law::limit() {
  auto limit = engine_->limit_of_corners();
  if (!limit.least || !engine_->depends()) return limit;
  std::size_t n = 0;
  while (n < simulated_retries && retry(n) != nullptr) ++n;
  std::optional<retry_limit> seen;
  for (std::size_t c = 0; c < clients_.size(); ++c) {
    if (!gave_up_[c]) continue;
    double const passed = std::accumulate(clients_[c].begin(), clients_[c].end(), 0.0);
    auto const retries = clients_[c].size();
    if (!seen) seen = {retries, retries, passed, passed};
    seen = {std::min(seen->least, {retries}), std::max(seen->most, {retries}), std::min(seen->least_s, passed),
            std::max(seen->greatest_s, passed)};
  }
  bool const all_gave_up = std::ranges::all_of(gave_up_, std::identity());
  bool const is_fixed = all_gave_up && seen && seen->least == limit.least && seen->most == limit.most;
  if (is_fixed) return limit;
  if (seen) limit = *seen;
  limit.is_simulated = true;
  if (!all_gave_up) limit.most.reset();
  return limit;
}

}  // namespace backoff::plans
