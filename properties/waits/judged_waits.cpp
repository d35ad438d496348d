#include "waits/judged_waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

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

draw_source const hidden{spec::draw_kind::hidden, 1};

// What the document admits before one retry.
struct documented {
  bool may_retry = false;
  bool may_end = false;
  std::optional<range_ns> range;
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
  reading_of_waits(judged_system const& document, history const& with, spec::cube reading, tolerance const& allowed)
      : document_(&document),
        with_(with),
        reading_(reading),
        allowed_(&allowed),
        examiner_(document),
        draws_(document, 0.5, 0, {reading}),
        before_(calls_before(document.shape())),
        unit_ns_(std::pow(10, 9 + unit_of(document.shape()))) {}

  judged_waits judge(std::span<failed_cycle const> cycles, double alpha) {
    judged_waits all;
    all.limits_retries = limits_retries();
    for (auto const& c : cycles) take(c, all);
    std::erase_if(all.rows, [](wait_row const& r) { return r.seen.empty(); });
    for (auto& row : all.rows) {
      std::ranges::sort(row.seen, {}, &wait_row::seen_wait::ns);
      left_out_.erase(row.retry);
    }
    if (!left_out_.empty())
      all.doubt = fmt::format("no wait before retry {} was judged, as the machine was slow; more runs tell",
                              listed_retries(std::vector(left_out_.begin(), left_out_.end())));
    add_findings(all, alpha);
    if (all.doubt.empty()) add_doubt_of_slack(all);
    return all;
  }

 private:
  // The calls for so many delays and one more; fewer where the document allows no more.
  [[nodiscard]] std::optional<history> asking(std::size_t delays, std::optional<std::int64_t> retry_after_s) const {
    auto const& s = document_->shape();
    auto h = asking_for(with_, s, documented_domain(s, hidden), std::vector<value>(delays));
    if (!h) return std::nullopt;
    for (auto& call : h->steps) set_retry_after(call, retry_after_s);
    return h;
  }

  void set_retry_after(step& call, std::optional<std::int64_t> retry_after_s) const {
    auto const args = document_->shape().operations[call.op].args;
    for (std::size_t a = 0; a < args.size(); ++a) {
      if (!args[a].name.starts_with("retry_after")) continue;
      auto const power = unit_of(args[a].name).value_or(unit_of(document_->shape()));
      auto const in_unit = std::pow(10, args[a].scale - power);
      call.args[a] =
          retry_after_s ? args[a].number(std::llround(static_cast<double>(*retry_after_s) * in_unit)) : value{};
    }
  }

  // The answers of a program that waited so; what is outside of a range counts as its nearest end.
  [[nodiscard]] played answered(history const& h, std::span<double const> waits) {
    auto const& s = document_->shape();
    random_bits random(1);
    return examiner_.play(h, hidden, reading_, [&](std::size_t at, spec::expectation const& admitted) {
      auto a = judge::play(admitted, random);
      if (at < before_ || at - before_ >= waits.size()) return a;
      if (auto const& only = s.answers[s.delay].only; only && may_hold(admitted[only->field], only->word))
        a[only->field] = observed::word(only->word);
      a[s.delay] = nearest(admitted[s.delay], waits[at - before_]);
      return a;
    });
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

  [[nodiscard]] bool limits_retries() {
    auto const h = asking(retries_max, std::nullopt);
    if (!h) return false;
    auto const all = documented_for(answered(*h, std::vector<double>(retries_max)).admitted);
    return std::ranges::any_of(all, &documented::may_end) && document_->shape().answers[document_->shape().delay].only;
  }

  // The ranges of all waits of a cycle and what follows. A range that depends on delays before covers all that these
  // may have been.
  [[nodiscard]] std::vector<documented> documented_for(history const& h, failed_cycle const& c) {
    std::vector<double> least;
    std::vector<double> most;
    for (auto const& w : c.waits) {
      least.push_back(static_cast<double>(w.ns - allowed_->late_ns));
      most.push_back(static_cast<double>(w.ns + allowed_->early_ns));
    }
    auto all = documented_for(answered(h, least).admitted);
    if (!document_->learns_from_answers()) return all;
    auto const others = documented_for(answered(h, most).admitted);
    for (std::size_t i = 0; i < std::min(all.size(), others.size()); ++i) {
      all[i].may_retry |= others[i].may_retry;
      all[i].may_end |= others[i].may_end;
      if (!all[i].range || !others[i].range) continue;
      all[i].range->low = std::min(all[i].range->low, others[i].range->low);
      all[i].range->high = std::max(all[i].range->high, others[i].range->high);
    }
    return all;
  }

  void take(failed_cycle const& c, judged_waits& all) {
    auto const h = asking(std::min(c.waits.size() + 1, retries_max), c.retry_after_s);
    if (!h) return;
    auto const admits = documented_for(*h, c);
    for (std::size_t i = 0; i < std::min(c.waits.size(), admits.size()); ++i) {
      if (!admits[i].may_retry) {
        too_many_.emplace_back(i, c.waits.size());
        return;
      }
      if (admits[i].range) take(c.waits[i], i, *admits[i].range, all);
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
    if (c.gave_up && !next.may_end && all.limits_retries) gave_up_.push_back(c.waits.size());
    if (c.open_ns && next.range && static_cast<double>(*c.open_ns - allowed_->late_ns) <= next.range->high)
      ++all.left_open;
    bool const is_over =
        next.range && c.open_ns && static_cast<double>(*c.open_ns - allowed_->late_ns) > next.range->high;
    if (is_over && !next.may_end) never_back_.push_back(c.waits.size());
  }

  [[nodiscard]] bool ended_in_a_stall(failed_cycle::wait const& w) const {
    return std::ranges::any_of(allowed_->stalls,
                               [&](auto const& s) { return s.first <= w.ended_ns && w.ended_ns <= s.second; });
  }

  void take(failed_cycle::wait const& w, std::size_t at, range_ns range, judged_waits& all) {
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
    bool const is_early = ns < range.low - static_cast<double>(allowed_->early_ns);
    bool const is_late = ns > range.high + static_cast<double>(allowed_->late_ns);
    row.seen.push_back({ns, !is_early && !is_late});
    row.early += is_early ? 1U : 0U;
    row.late += is_late ? 1U : 0U;
    ended_[at].push_back(w.ended_ns);
    if (is_late) late_.ended[at].push_back(w.ended_ns);
    if (is_early) early_.ended[at].push_back(w.ended_ns);
    if (ns < range.low - static_cast<double>(std::max(allowed_->early_ns, allowed_->early_most_ns)))
      early_.certain.insert(at);
    ++all.waits;
  }

  // What the program may take in each wait, from 0 to late_ns.
  [[nodiscard]] std::vector<double> own_times() const {
    auto const most = static_cast<double>(allowed_->late_ns);
    auto const varies = static_cast<double>(std::max<std::int64_t>(1, allowed_->varies_ns));
    auto const steps = std::ceil(std::min(most / varies, static_cast<double>(own_times_max)));
    std::vector<double> all;
    for (double k = 0; k <= steps; ++k) all.push_back(steps == 0 ? 0 : most * k / steps);
    return all;
  }

  // Where each wait, less what the program took, stands among the delays that the document makes possible.
  void take_draws(history const& h, failed_cycle const& c, std::span<documented const> admits) {
    if (!document_->shows_draws() && !document_->shape().has_draws()) return;
    auto const varies = static_cast<double>(allowed_->varies_ns);
    bool const any_is_wide = std::ranges::any_of(
        admits, [&](documented const& d) { return d.range && d.range->high - d.range->low >= wide * varies; });
    if (!any_is_wide) return;
    auto const own = own_times();
    found_.resize(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      std::vector<double> waits;
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
      if (retry >= c.waits.size() || retry >= admits.size() || !admits[retry].range) continue;
      if (ended_in_a_stall(c.waits[retry])) continue;
      double const width = admits[retry].range->high - admits[retry].range->low;
      double const cell = of.values > 0 ? 1 / static_cast<double>(of.values) : 0;
      if (width >= wide * varies) all.push_back({retry, cycles_, of.middle(), varies / width, cell, width});
    }
    return all;
  }

  // Moments at which waits were late; what a machine does to several programs at once counts once.
  static std::uint64_t moments(std::vector<std::int64_t> ended) {
    std::ranges::sort(ended);
    std::uint64_t count = 0;
    std::optional<std::int64_t> last;
    for (auto const at : ended) {
      if (!last || at - *last > one_moment_ns) {
        ++count;
        last = at;
      }
    }
    return count;
  }

  // The chance that a machine makes so many of all waits late.
  static double chance_of(std::vector<std::int64_t> const& late, std::vector<std::int64_t> const& ended) {
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
      auto const& [granted, made] = too_many_.front();
      all.findings.push_back(
          {wait_finding::fault::too_many, granted + 1, too_many_.size(), ends_ + too_many_.size(),
           fmt::format("{} made where the document grants {}", counted(made, "retry was", "retries were"), granted)});
    }
    add_ends(gave_up_, wait_finding::fault::gave_up, "the program gave up after {}; the document grants another", all);
    add_ends(never_back_, wait_finding::fault::never_came_back,
             "after {} it did not come back within the longest documented delay", all);
  }

  // Waits outside of their range, on one side of it.
  struct outside {
    std::map<std::size_t, std::vector<std::int64_t>> ended;  // by retry
    std::set<std::size_t> certain;                           // retries with one that no machine explains
  };

  void add_outside(outside const& of, wait_finding::fault what, judged_waits& all, double alpha) const {
    bool const early = what == wait_finding::fault::early;
    std::vector<std::int64_t> found;
    std::vector<std::int64_t> ended;
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
      all.doubt = fmt::format(
          "{} of {} waits were {} than the document admits, too few to tell from a slow machine; more runs tell",
          found.size(), all.waits, word);
    }
  }

  // Programs that do not wait, or wait twice as long, must not pass before all retries.
  void add_doubt_of_slack(judged_waits& all) const {
    auto const early = static_cast<double>(allowed_->early_ns);
    auto const late = static_cast<double>(allowed_->late_ns);
    auto const hides_all = [&](double slack, double range_ns::* end) {
      return std::ranges::any_of(all.rows, [&](wait_row const& w) { return w.documented.*end > 0; }) &&
             std::ranges::all_of(all.rows, [&](wait_row const& w) { return w.documented.*end <= slack; });
    };
    if (hides_all(early, &range_ns::low)) {
      all.doubt =
          fmt::format("a wait may be {} too short, so that a program that does not wait would pass; longer delays tell",
                      milliseconds_of(early));
    } else if (hides_all(late, &range_ns::high)) {
      all.doubt = fmt::format(
          "a wait may be {} too long, longer than each documented delay; longer delays or a smaller --slack tell",
          milliseconds_of(late));
    }
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
    std::ranges::copy(wrong, std::back_inserter(all.findings));
    if (!wrong.empty()) return;
    auto const power = power_of(tested, own_times(), alpha);
    auto const note_if = [&](bool passes, std::string_view what) {
      if (passes && all.doubt.empty())
        all.doubt = fmt::format("{} draws are too few to tell from {}; more runs tell", all.draws, what);
    };
    note_if(!power.finds_no_jitter, "a program without jitter");
    note_if(!power.finds_alike_processes, "processes that all draw the same");
    all.narrowest = power.narrowest;
  }

  void add_ends(std::vector<std::size_t> const& after, wait_finding::fault what,
                fmt::format_string<std::string const&> sentence, judged_waits& all) const {
    if (after.empty()) return;
    auto const retries = counted(std::ranges::min(after), "retry", "retries");
    all.findings.push_back({what, 0, after.size(), ends_, fmt::format(sentence, retries)});
  }

  judged_system const* document_;
  history with_;
  spec::cube reading_;
  tolerance const* allowed_;
  examiner examiner_;
  hidden_draws draws_;
  std::size_t before_;
  double unit_ns_;
  std::map<std::size_t, std::vector<std::int64_t>> ended_;  // by retry, from 0: when its waits ended
  std::set<std::size_t> left_out_;                          // retries, from 1, with waits that ended in stalls
  outside early_;
  outside late_;
  draws_by_own found_;
  std::size_t cycles_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> too_many_;  // granted, made
  std::vector<std::size_t> gave_up_;                           // retries before
  std::vector<std::size_t> never_back_;
  std::uint64_t ends_ = 0;
  std::size_t longest_ = 0;  // cycle, in waits
};

}  // namespace

std::string listed_retries(std::span<std::size_t const> retries) {
  return text_parts::listed(retries, ", ", [](std::size_t n) { return std::to_string(n); });
}

judged_waits judge_waits(judged_system const& document, history const& with, std::span<failed_cycle const> cycles,
                         tolerance const& allowed, double alpha) {
  auto const& table = document.readings();
  auto const open =
      spec::common_cubes(table, document.assignments(spec::draw_kind::hidden), {table.admitting(spec::standing::open)});
  std::optional<judged_waits> best;
  for (auto const& reading : single_readings(table, open, readings_max)) {
    auto all = reading_of_waits(document, with, reading, allowed).judge(cycles, alpha);
    auto const rank = [](judged_waits const& j) {
      std::uint64_t wrong = 0;
      for (auto const& f : j.findings) wrong += f.seen;
      auto const of_draws = std::ranges::count(j.findings, wait_finding::fault::draws, &wait_finding::what);
      return std::tuple(j.findings.size(), wrong, -of_draws, !j.doubt.empty());
    };
    if (!best || rank(all) < rank(*best)) best = std::move(all);
    if (best->findings.empty() && best->doubt.empty()) break;
  }
  return best.value_or(judged_waits{});
}

}  // namespace backoff::waits
