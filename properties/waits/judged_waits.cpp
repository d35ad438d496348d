#include "waits/judged_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "explain/admitted_delays.hpp"
#include "explain/delay_cycles.hpp"
#include "histories/random.hpp"
#include "histories/text_parts.hpp"
#include "judge/drawn.hpp"
#include "judge/hidden_draws.hpp"
#include "judge/nearest_decimal.hpp"
#include "reports/html.hpp"
#include "waits/wait_draws.hpp"

namespace backoff::waits {
namespace {

using reports::html::counted;

constexpr std::size_t readings_max = 64;
constexpr std::size_t retries_max = 100;  // after which a document is taken to set no limit
constexpr double late_share_max = 0.01;   // of the waits may be too long by the machine
constexpr double wide = 10;               // times what the program and the machine vary
// Waits that end within it may be late for one reason. A machine that is slow for longer shows it in the samples.
constexpr std::int64_t one_moment_ns = 30'000'000;
constexpr std::size_t own_times_max = 20;
constexpr double endless_ns = 9e18;  // that a whole number of 64 bits holds

// What the document admits before one retry.
struct documented {
  bool may_retry = false;
  bool may_end = false;
  std::optional<range_ns> range;
  bool is_known = true;  // the range is about the same, whichever times the program counts
};

// P(at least k of n), each with probability p.
double tail(std::uint64_t k, std::uint64_t n, double p) {
  double sum = 0;
  for (auto i = k; i <= n; ++i) {
    double const log = std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(i) + 1) -
                       std::lgamma(static_cast<double>(n - i) + 1) + static_cast<double>(i) * std::log(p) +
                       static_cast<double>(n - i) * std::log1p(-p);
    sum += std::exp(log);
  }
  return sum;
}

std::string milliseconds_of(double ns) {
  double const ms = ns / 1e6;
  return ms < 10 ? fmt::format("{:.1f} ms", ms) : fmt::format("{:.0f} ms", ms);
}

std::string text_of(range_ns r) {
  if (r.high - r.low < 1e3) return milliseconds_of(r.low);
  return fmt::format("{} to {}", milliseconds_of(r.low), milliseconds_of(r.high));
}

// One document under one reading.
class reading_of_waits {
 public:
  reading_of_waits(judged_system const& document, history with, failure_arguments const& failures, spec::cube reading,
                   tolerance const& allowed)
      : document_(&document),
        with_(std::move(with)),
        failures_(&failures),
        reading_(reading),
        allowed_(&allowed),
        examiner_(document),
        draws_(document, 0.5, 0, {reading}),
        before_(calls_before(document.shape())),
        unit_ns_(std::pow(10, 9 + unit_of(document.shape()))) {}

  // The longest delay before each of so many retries, after delays that were as short or as long as they may be.
  std::vector<double> longest(std::size_t retries) {
    auto const h = asking_from_the_first(retries);
    if (!h) return {};
    std::vector<double> all;
    for (double const ns : {0.0, endless_ns}) {
      auto const of = documented_for(answered(*h, std::vector<double>(retries, ns)).admitted);
      all.resize(std::max(all.size(), of.size()));
      for (std::size_t i = 0; i < of.size(); ++i) {
        if (auto const& range = of[i].range) all[i] = std::max(all[i], range->high);
      }
    }
    return all;
  }

  judged_waits judge(std::span<failed_cycle const> cycles, double alpha) {
    judged_waits all;
    all.limits_retries = !cycles.empty() && limits_retries();
    for (auto const& c : cycles) take(c, all);
    std::erase_if(all.rows, [](wait_row const& r) { return r.seen.empty(); });
    for (auto& row : all.rows) {
      std::ranges::sort(row.seen, {}, &wait_row::seen_wait::ns);
      left_out_.erase(row.retry);
    }
    if (!left_out_.empty())
      all.doubt = fmt::format("no wait before retry {} was judged, as the machine was slow; more --runs tell",
                              listed_retries(std::vector(left_out_.begin(), left_out_.end())));
    add_findings(all, alpha);
    if (all.doubt.empty()) add_doubt_of_slack(all);
    if (all.waits == 0 && all.of_no_method > 0)
      all.doubt = fmt::format("no request had one of the methods that the document has, which are {}",
                              text_parts::comma_separated(failures_->methods()));
    return all;
  }

 private:
  // The calls for so many delays and one more; fewer where the document allows no more.
  [[nodiscard]] std::optional<history> asking(std::size_t delays) const {
    auto const& s = document_->shape();
    return asking_for(with_, s, documented_domain(s, hidden), std::vector<value>(delays));
  }

  // The same, with the failures from the first on, and the first of the methods that the document has.
  [[nodiscard]] std::optional<history> asking_from_the_first(std::size_t delays) const {
    auto h = asking(delays);
    auto const methods = failures_->methods();
    bool const is_written = h && failures_->write_to(*h, before_, 0, methods.empty() ? "" : methods.front());
    return is_written ? std::move(h) : std::nullopt;
  }

  // The answers of a program that waited so; what is outside of a range counts as its nearest end. Of time, what a wait
  // is longer than its range passes besides; and before each call, what `besides` says, if it says anything.
  [[nodiscard]] played answered(history const& h, std::span<double const> waits, std::span<double const> besides = {}) {
    auto const& s = document_->shape();
    random_bits random(1);
    double longer = 0;
    auto const chosen = [&](std::size_t at, spec::expectation const& admitted) {
      auto a = judge::play(admitted, random);
      if (at < before_ || at - before_ >= waits.size()) return a;
      if (auto const& only = s.answers[s.delay].only; only && may_hold(admitted[only->field], only->word))
        a[only->field] = observed::word(only->word);
      a[s.delay] = nearest(admitted[s.delay], waits[at - before_]);
      auto const range = range_of(admitted[s.delay]);
      bool const is_measured = range && waits[at - before_] < endless_ns;
      longer = is_measured ? std::max(0.0, waits[at - before_] - range->high) : 0;
      return a;
    };
    auto const passes = [&](std::size_t at) {
      bool const is_said = at >= before_ && at - before_ < besides.size();
      double const ns = std::exchange(longer, 0) + (is_said ? besides[at - before_] : 0);
      return nearest_decimal(spec::rational(std::llround(ns), std::llround(unit_ns_)));
    };
    return examiner_.play(h, hidden, reading_, chosen, passes);
  }

  static bool may_hold(spec::admissible const& of, std::uint8_t word) {
    return of.kind() == spec::admissible_kind::keyword && ((of.words() >> word) & 1U) != 0;
  }

  [[nodiscard]] observed nearest(spec::admissible const& range, double ns) const {
    auto const ends = range_of(range);
    if (!ends) return {};
    auto const in_unit = spec::rational(std::llround(ns), std::llround(unit_ns_));
    if (range.kind() == spec::admissible_kind::lattice) {
      double const place = (ns / unit_ns_ - static_cast<double>(range.first())) / static_cast<double>(range.step());
      auto const k =
          static_cast<spec::integer>(std::clamp(std::round(place), 0.0, static_cast<double>(range.count() - 1)));
      return observed::of(range.first() + range.step() * k);
    }
    if (ns <= ends->low) return observed::of(nearest_decimal(range.ends().low));
    if (ns >= ends->high) return observed::of(nearest_decimal(range.ends().high));
    return observed::of(nearest_decimal(in_unit));
  }

  [[nodiscard]] std::optional<range_ns> range_of(spec::admissible const& of) const {
    auto const ends = ends_of(of);
    return ends ? std::optional(range_ns{ends->first * unit_ns_, ends->second * unit_ns_}) : std::nullopt;
  }

  [[nodiscard]] std::vector<documented> documented_for(std::vector<spec::expectation> const& admitted) const {
    std::vector<documented> all;
    for (auto const& d : admitted_delays(document_->shape(), admitted)) {
      auto& one = all.emplace_back(documented{d.may_retry, d.may_end, std::nullopt});
      if (d.range) one.range = range_ns{d.range->first * unit_ns_, d.range->second * unit_ns_};
    }
    return all;
  }

  // By their number, or by the time that the longest delays take.
  [[nodiscard]] bool limits_retries() {
    auto const h = asking_from_the_first(retries_max);
    if (!document_->shape().answers[document_->shape().delay].only || !h) return false;
    return std::ranges::any_of(std::array{0.0, endless_ns}, [&](double ns) {
      auto const all = documented_for(answered(*h, std::vector<double>(retries_max, ns)).admitted);
      return std::ranges::any_of(all, &documented::may_end);
    });
  }

  // Adds what others admit.
  static void join(std::vector<documented>& all, std::span<documented const> others) {
    for (std::size_t i = 0; i < std::min(all.size(), others.size()); ++i) {
      all[i].may_retry |= others[i].may_retry;
      all[i].may_end |= others[i].may_end;
      auto& range = all[i].range;
      auto const& other = others[i].range;
      if (!range || !other) continue;
      range->low = std::min(range->low, other->low);
      range->high = std::max(range->high, other->high);
    }
  }

  // Where the time ends the retries if all of `tried` counts, and not if none of it does: adds what is admitted if so
  // much of it counts that the retries just do not end.
  void add_last_in_time(std::vector<documented>& all, history const& h, std::span<double const> most,
                        std::span<double const> tried, std::span<documented const> in_time) {
    auto const is_granted = [](std::span<documented const> of, std::size_t i) {
      return i < of.size() && of[i].may_retry;
    };
    std::size_t end = 0;
    while (end < all.size() && (!all[end].may_retry || is_granted(in_time, end))) ++end;
    if (end == all.size()) return;
    constexpr int halvings = 12;
    double counts = 0;
    double does_not = 1;
    std::vector<documented> last;
    for (int i = 0; i < halvings; ++i) {
      double const part = (counts + does_not) / 2;
      std::vector<double> some(tried.begin(), tried.end());
      for (auto& ns : some) ns *= part;
      auto of = documented_for(answered(h, most, some).admitted);
      (is_granted(of, end) ? counts : does_not) = part;
      if (is_granted(of, end)) last = std::move(of);
    }
    join(all, last);
  }

  // The ranges of all waits of a cycle and what follows. A range that depends on earlier delays covers all values that
  // these may have had. A range that depends on the time elapsed covers all times that a program may count: its delays
  // alone, or its attempts and its start, too.
  [[nodiscard]] std::vector<documented> documented_for(history const& h, failed_cycle const& c) {
    std::vector<double> least;
    std::vector<double> most;
    std::vector<double> tried;
    for (std::size_t i = 0; i < c.waits.size(); ++i) {
      auto const& w = c.waits[i];
      least.push_back(static_cast<double>(w.ns - allowed_->late_ns));
      most.push_back(static_cast<double>(w.ns + early_after(c, i)));
      tried.push_back(static_cast<double>(w.tried_ns));
    }
    auto all = documented_for(answered(h, least).admitted);
    if (!document_->learns_from_answers()) return all;
    join(all, documented_for(answered(h, most).admitted));
    tried.push_back(static_cast<double>(c.last_tried_ns));
    tried.front() += static_cast<double>(std::max(allowed_->late_ns, c.begun_ns));
    auto in_time = documented_for(answered(h, most, tried).admitted);
    for (std::size_t i = 0; i < std::min(all.size(), in_time.size()); ++i) {
      auto const& [of_delays, of_time] = std::tie(all[i].range, in_time[i].range);
      if (!of_delays || !of_time) continue;
      auto const varies = static_cast<double>(allowed_->varies_ns);
      all[i].is_known = of_time->low > of_delays->low - varies && of_time->high > of_delays->high - varies;
    }
    add_last_in_time(all, h, most, tried, in_time);
    join(all, in_time);
    return all;
  }

  // By how much the wait after that failure of the cycle may be too short.
  [[nodiscard]] std::int64_t early_after(failed_cycle const& c, std::size_t failure) const {
    bool const hung = failures_->failure_at(c.first + failure).what == watch::failure::kind::hang;
    return hung ? std::max(allowed_->early_ns, allowed_->early_after_hang_ns) : allowed_->early_ns;
  }

  // Why the document grants no further retry: the time, or the failure.
  [[nodiscard]] std::string why_no_more(history const& h, failed_cycle const& c, std::size_t granted,
                                        double waited_ns) {
    auto const at_once = documented_for(answered(h, std::vector<double>(c.waits.size())).admitted);
    bool const is_by_time = granted < at_once.size() && at_once[granted].may_retry;
    if (is_by_time) return fmt::format(" at most, after {:.1f} s of waits", waited_ns / 1e9);
    auto const failure = watch::text_of(failures_->failure_at(c.first + granted));
    return failures_->are_several() ? fmt::format("; the failure before the next one was {}", failure) : "";
  }

  void take(failed_cycle const& c, judged_waits& all) {
    auto h = asking(std::min(c.waits.size() + 1, retries_max));
    if (!h) return;
    if (!failures_->write_to(*h, before_, c.first, c.method)) {
      ++all.of_no_method;
      return;
    }
    auto const admits = documented_for(*h, c);
    double waited_ns = 0;
    for (std::size_t i = 0; i < std::min(c.waits.size(), admits.size()); ++i) {
      auto const& d = admits[i];
      // Where a budget may end the retries, it grants no longer wait.
      bool const is_beyond = d.may_end && d.range &&
                             static_cast<double>(c.waits[i].ns - allowed_->late_ns) > d.range->high &&
                             document_->learns_from_answers();
      if (!d.may_retry || is_beyond) {
        too_many_.push_back({i, c.waits.size(), why_no_more(*h, c, i, waited_ns)});
        take_draws(*h, c, admits);
        return;
      }
      waited_ns += static_cast<double>(c.waits[i].ns);
      if (auto const& range = admits[i].range) take(c.waits[i], i, *range, early_after(c, i), all);
    }
    take_draws(*h, c, admits);
    ++cycles_;
    if (c.waits.size() >= admits.size()) return;
    auto const& next = admits[c.waits.size()];
    ++ends_;
    if (c.waits.size() >= longest_) {
      longest_ = c.waits.size();
      all.next = next.range;
    }
    if (c.gave_up && next.may_end && next.may_retry && document_->learns_from_answers()) ++all.open_ends;
    if (c.gave_up && !next.may_end && all.limits_retries) gave_up_.push_back(c.waits.size());
    if (c.open_ns && next.range && static_cast<double>(*c.open_ns - allowed_->late_ns) <= next.range->high)
      ++all.left_open;
    bool const is_over =
        next.range && c.open_ns && static_cast<double>(*c.open_ns - allowed_->late_ns) > next.range->high;
    if (is_over && !next.may_end) never_back_.push_back({c.waits.size(), *c.open_ns, next.range->high});
  }

  [[nodiscard]] bool ended_in_a_stall(failed_cycle::wait const& w) const {
    return std::ranges::any_of(allowed_->stalls,
                               [&](auto const& s) { return s.first <= w.ended_ns && w.ended_ns <= s.second; });
  }

  void take(failed_cycle::wait const& w, std::size_t at, range_ns range, std::int64_t early_ns, judged_waits& all) {
    if (ended_in_a_stall(w)) {
      ++all.in_stalls;
      left_out_.insert(at + 1);
      return;
    }
    if (all.rows.size() <= at) all.rows.resize(at + 1);
    auto& row = all.rows[at];
    row.documented.low = row.seen.empty() ? range.low : std::min(row.documented.low, range.low);
    row.documented.high = std::max(row.documented.high, range.high);
    row.retry = at + 1;
    auto const ns = static_cast<double>(w.ns);
    row.early_ns = std::max(row.early_ns, static_cast<double>(early_ns));
    bool const is_early = ns < range.low - static_cast<double>(early_ns);
    bool const is_late = ns > range.high + static_cast<double>(allowed_->late_ns);
    row.seen.push_back({ns, !is_early && !is_late});
    row.early += is_early ? 1U : 0U;
    row.late += is_late ? 1U : 0U;
    auto const most = static_cast<double>(std::max(allowed_->late_ns, allowed_->late_most_ns));
    moment const end{w.ended_ns, allowed_->late_most_ns > 0 && ns > range.high + most};
    ended_[at].push_back(end);
    if (is_late) late_.ended[at].push_back(end);
    if (is_early) early_.ended[at].push_back(end);
    if (ns < range.low - static_cast<double>(std::max(early_ns, allowed_->early_most_ns))) early_.certain.insert(at);
    ++all.waits;
  }

  // What the program may take in each wait, from 0 to late_ns.
  [[nodiscard]] std::vector<double> own_times() const {
    auto const most = static_cast<double>(allowed_->late_ns);
    auto const varies = static_cast<double>(std::max<std::int64_t>(1, allowed_->varies_ns));
    auto const steps = static_cast<std::size_t>(std::ceil(std::min(most / varies, static_cast<double>(own_times_max))));
    std::vector<double> all;
    for (std::size_t k = 0; k <= steps; ++k)
      all.push_back(steps == 0 ? 0 : most * static_cast<double>(k) / static_cast<double>(steps));
    return all;
  }

  // Where each wait, less what the program took, stands among the delays that the document makes possible.
  void take_draws(history const& h, failed_cycle const& c, std::span<documented const> admits) {
    if (!has_draws(*document_)) return;
    auto const varies = static_cast<double>(allowed_->varies_ns);
    bool const any_is_wide = std::ranges::any_of(
        admits, [&](documented const& d) { return d.range && d.range->high - d.range->low >= wide * varies; });
    if (!any_is_wide) return;
    auto const own = own_times();
    found_.resize(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      std::vector<double> waits;
      waits.reserve(c.waits.size());
      for (auto const& w : c.waits) waits.push_back(static_cast<double>(w.ns) - own[k]);
      std::ranges::move(draws_of(h, c, admits, waits, varies), std::back_inserter(found_[k]));
    }
  }

  [[nodiscard]] std::vector<draw> draws_of(history const& h, failed_cycle const& c, std::span<documented const> admits,
                                           std::span<double const> waits, double varies) {
    auto answers = answered(h, waits).answers;
    answers.resize(std::min(answers.size(), before_ + c.waits.size()));
    history part = h;
    part.steps.resize(answers.size());
    auto const seen = draws_.seen_by(reading_, part, answers);
    std::vector<draw> all;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      auto const& of = seen[i].part;
      auto const retry = of.attempt > 0 ? of.attempt - 1 : i;
      if (retry >= c.waits.size() || retry >= admits.size()) continue;
      auto const& [may_retry, may_end, range, is_known] = admits[retry];
      // A wait that a budget allows is one of the shorter ones.
      bool const is_chosen = may_end && document_->learns_from_answers();
      if (!may_retry || !range || !is_known || is_chosen) continue;
      if (ended_in_a_stall(c.waits[retry])) continue;
      double const width = range->high - range->low;
      double const cell = of.values > 0 ? 1 / static_cast<double>(of.values) : 0;
      if (width >= wide * varies) all.push_back({retry, cycles_, of.middle(), varies / width, cell, width});
    }
    return all;
  }

  // When a wait ended; alone: no machine makes several as long as this at once.
  struct moment {
    std::int64_t at;
    bool is_alone;
  };

  // Moments at which waits ended; what a machine does to several programs at once counts once.
  static std::uint64_t moments(std::vector<moment> ended) {
    std::ranges::sort(ended, {}, &moment::at);
    std::uint64_t count = 0;
    std::optional<std::int64_t> last;
    for (auto const [at, is_alone] : ended) {
      bool const begins = !last || at - *last > one_moment_ns;
      if (is_alone || begins) ++count;
      if (!is_alone && begins) last = at;
    }
    return count;
  }

  // The chance that a machine makes so many of all waits late.
  static double chance_of(std::vector<moment> const& late, std::vector<moment> const& ended) {
    auto const of = moments(ended);
    double const each = static_cast<double>(ended.size()) / static_cast<double>(of);
    return tail(moments(late), of, std::min(0.5, late_share_max * each));
  }

  void add_findings(judged_waits& all, double alpha) {
    double const tests = 4.0 * (static_cast<double>(all.rows.size()) + 1);
    add_outside(early_, wait_finding::fault::early, all, alpha / tests);
    add_outside(late_, wait_finding::fault::late, all, alpha / tests);
    add_draws(all, alpha / tests);
    if (!too_many_.empty()) {
      auto const& [granted, made, why] = too_many_.front();
      all.findings.push_back({wait_finding::fault::too_many, granted + 1, too_many_.size(), ends_ + too_many_.size(),
                              fmt::format("{} made where the document grants {}{}",
                                          counted(made, "retry was", "retries were"), granted, why)});
    }
    if (!gave_up_.empty()) {
      auto const retries = counted(std::ranges::min(gave_up_), "retry", "retries");
      all.findings.push_back({wait_finding::fault::gave_up, 0, gave_up_.size(), ends_,
                              fmt::format("the program gave up after {}; the document grants another", retries)});
    }
    if (!never_back_.empty()) {
      auto const& [after, open_ns, longest_ns] = std::ranges::min(never_back_, {}, &absence::after);
      all.findings.push_back(
          {wait_finding::fault::never_came_back, 0, never_back_.size(), ends_,
           fmt::format("after {} it did not come back for {:.1f} s; the longest documented delay is {:.1f} s",
                       counted(after, "retry", "retries"), static_cast<double>(open_ns) / 1e9, longest_ns / 1e9)});
    }
  }

  // Waits outside of their range, on one side of it.
  struct outside {
    std::map<std::size_t, std::vector<moment>> ended;  // by retry
    std::set<std::size_t> certain;                     // retries with one that no machine explains
  };

  void add_outside(outside const& of, wait_finding::fault what, judged_waits& all, double alpha) const {
    bool const early = what == wait_finding::fault::early;
    std::vector<moment> found;
    std::vector<moment> ended;
    bool is_told = false;
    for (auto const& row : all.rows) {
      auto const& waits = ended_.at(row.retry - 1);
      ended.insert(ended.end(), waits.begin(), waits.end());
      auto const here = of.ended.find(row.retry - 1);
      if (here == of.ended.end()) continue;
      found.insert(found.end(), here->second.begin(), here->second.end());
      if (!of.certain.contains(row.retry - 1) && chance_of(here->second, waits) > alpha) continue;
      is_told = true;
      all.findings.push_back(
          {what, row.retry, here->second.size(), row.seen.size(),
           fmt::format("the {} wait was {}, the document admits {}", early ? "shortest" : "longest",
                       milliseconds_of((early ? row.seen.front() : row.seen.back()).ns), text_of(row.documented))});
    }
    if (is_told || found.empty()) return;
    auto const* const word = early ? "shorter" : "longer";
    if (chance_of(found, ended) <= alpha) {
      all.findings.push_back({what, 0, found.size(), all.waits,
                              fmt::format("waits are {} than the document admits, before several retries", word)});
    } else if (static_cast<double>(found.size()) > late_share_max * static_cast<double>(all.waits)) {
      auto const what_tells = moments(found) < found.size() ? "fewer --jobs or more --runs" : "more --runs";
      all.doubt =
          fmt::format("{} of {} waits were {} than the document admits, too few to tell from a slow machine; {} tell",
                      found.size(), all.waits, word, what_tells);
    }
  }

  // Programs that do not wait, or wait twice as long, must not pass before all retries.
  void add_doubt_of_slack(judged_waits& all) const {
    auto const late = static_cast<double>(allowed_->late_ns);
    double early = 0;
    for (auto const& w : all.rows) early = std::max(early, w.early_ns);
    auto const hides_all = [&](double range_ns::* end, auto const& slack_of) {
      return std::ranges::any_of(all.rows, [&](wait_row const& w) { return w.documented.*end > 0; }) &&
             std::ranges::all_of(all.rows, [&](wait_row const& w) { return w.documented.*end <= slack_of(w); });
    };
    if (hides_all(&range_ns::low, [](wait_row const& w) { return w.early_ns; })) {
      all.doubt =
          fmt::format("a wait may be {} too short, so that a program that does not wait would pass; longer delays tell",
                      milliseconds_of(early));
    } else if (hides_all(&range_ns::high, [&](wait_row const&) { return late; })) {
      all.doubt = fmt::format(
          "a wait may be {} too long, longer than each documented delay; longer delays or a smaller --slack tell",
          milliseconds_of(late));
    }
  }

  // What all waits before several retries are, but for what varies; nothing where they differ.
  [[nodiscard]] std::optional<double> same_wait(judged_waits const& all) const {
    std::vector<double> of;
    std::size_t rows = 0;
    for (auto const& row : all.rows) {
      if (row.draws_tested) ++rows;
      for (auto const& w : row.seen) {
        if (row.draws_tested) of.push_back(w.ns);
      }
    }
    if (rows < 2) return std::nullopt;
    std::ranges::sort(of);
    auto const aside = of.size() / 20;
    bool const are_same = of[of.size() - 1 - aside] - of[aside] <= 2 * static_cast<double>(allowed_->varies_ns);
    return are_same ? std::optional(of[of.size() / 2]) : std::nullopt;
  }

  void add_draws(judged_waits& all, double alpha) const {
    for (auto& row : all.rows) {
      auto const draws =
          found_.empty() || !row.is_kept() ? 0 : std::ranges::count(found_[0], row.retry - 1, &draw::retry);
      row.draws_tested = draws > 0;
      all.draws += static_cast<std::uint64_t>(draws);
    }
    if (all.draws == 0) return;
    auto tested = found_;
    for (auto& of_one : tested) {
      std::erase_if(of_one, [&](draw const& d) {
        auto const row = std::ranges::find(all.rows, d.retry + 1, &wait_row::retry);
        return row == all.rows.end() || !row->draws_tested;
      });
    }
    auto const wrong = wrong_draws(tested, alpha);
    if (auto const same = same_wait(all); same && !wrong.empty()) {
      all.findings.push_back({wait_finding::fault::draws, 0, all.draws, all.draws,
                              fmt::format("no jitter: each wait is about {}", milliseconds_of(*same))});
      return;
    }
    std::ranges::copy(wrong, std::back_inserter(all.findings));
    if (!wrong.empty()) return;
    auto const power = power_of(tested, own_times(), alpha);
    auto const note_if = [&](bool passes, std::string_view what) {
      if (passes && all.doubt.empty())
        all.doubt = fmt::format("{} draws are too few to tell from {}; more --runs tell", all.draws, what);
    };
    note_if(!power.finds_no_jitter, "a program without jitter");
    note_if(!power.finds_alike_processes, "processes that all draw the same");
    all.narrowest = power.narrowest;
  }

  judged_system const* document_;
  history with_;
  failure_arguments const* failures_;
  spec::cube reading_;
  tolerance const* allowed_;
  examiner examiner_;
  hidden_draws draws_;
  std::size_t before_;
  double unit_ns_;
  std::map<std::size_t, std::vector<moment>> ended_;  // by retry, from 0: when its waits ended
  std::set<std::size_t> left_out_;                    // retries, from 1, with waits that ended in stalls
  outside early_;
  outside late_;
  draws_by_own found_;
  std::size_t cycles_ = 0;
  struct excess {
    std::size_t granted, made;
    std::string why;
  };
  std::vector<excess> too_many_;
  std::vector<std::size_t> gave_up_;  // retries before
  struct absence {
    std::size_t after;
    std::int64_t open_ns;
    double longest_ns;
  };
  std::vector<absence> never_back_;
  std::uint64_t ends_ = 0;
  std::size_t longest_ = 0;  // cycle, in waits
};

std::vector<spec::cube> open_readings(judged_system const& document) {
  auto const& table = document.readings();
  auto const open =
      spec::common_cubes(table, document.assignments(spec::draw_kind::hidden), {table.admitting(spec::standing::open)});
  return single_readings(table, open, readings_max);
}

// Where the reading is not that of the document.
std::vector<std::string> followed(spec::reading_table const& table, spec::cube reading) {
  std::vector<std::string> all;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    auto const& of = table.readings()[r];
    if (std::ranges::find(spec::draw_mappings, of.name) != spec::draw_mappings.end()) continue;
    for (unsigned a = 0; a < of.alternatives.size(); ++a) {
      auto const& one = of.alternatives[a];
      bool const is_followed = (reading.bits & table.bit(r, a)) != 0;
      if (is_followed && one.standing != spec::standing::canonical)
        all.push_back(fmt::format("{}={}", of.name, one.name));
    }
  }
  return all;
}

}  // namespace

std::string listed_retries(std::span<std::size_t const> retries) {
  return text_parts::listed(retries, ", ", [](std::size_t n) { return std::to_string(n); });
}

bool has_draws(judged_system const& document) { return document.shows_draws() || document.shape().has_draws(); }

std::vector<double> longest_delays(judged_system const& document, history const& with,
                                   failure_arguments const& failures, std::size_t retries) {
  std::vector<double> all;
  for (auto const& reading : open_readings(document)) {
    auto const of_one = reading_of_waits(document, with, failures, reading, tolerance{}).longest(retries);
    all.resize(std::max(all.size(), of_one.size()));
    std::ranges::transform(of_one, all, all.begin(), [](double a, double b) { return std::max(a, b); });
  }
  return all;
}

judged_waits judge_waits(judged_system const& document, history const& with, failure_arguments const& failures,
                         std::span<failed_cycle const> cycles, tolerance const& allowed, double alpha) {
  std::optional<judged_waits> best;
  for (auto const& reading : open_readings(document)) {
    auto all = reading_of_waits(document, with, failures, reading, allowed).judge(cycles, alpha);
    auto const rank = [](judged_waits const& j) {
      std::uint64_t wrong = 0;
      for (auto const& f : j.findings) wrong += f.seen;
      auto const of_draws = std::ranges::count(j.findings, wait_finding::fault::draws, &wait_finding::what);
      std::size_t granted = 0;  // where more were made
      for (auto const& f : j.findings) granted += f.what == wait_finding::fault::too_many ? f.retry : 0;
      return std::tuple(j.findings.size(), wrong, -of_draws, !j.doubt.empty(), -static_cast<std::int64_t>(granted));
    };
    if (!best || rank(all) < rank(*best)) {
      all.followed = followed(document.readings(), reading);
      best = std::move(all);
    }
    if (best->findings.empty() && best->doubt.empty()) break;
  }
  return best.value_or(judged_waits{});
}

}  // namespace backoff::waits
