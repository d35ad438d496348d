#include "oracle/judging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "histories/printable.hpp"
#include "histories/shrink.hpp"
#include "judge/dependence.hpp"
#include "judge/plan.hpp"
#include "oracle/sequence.hpp"
#include "reports/certificate.hpp"
#include "reports/print_report.hpp"
#include "transport/live_groups.hpp"

namespace backoff::oracle {
namespace {

constexpr std::string_view gave_no_answer = "the port gave no answer within";  // as port_process says it
constexpr std::size_t restarts_to_shrink = 200;
constexpr std::size_t breakdowns_if_known = 100;  // of a port that is known to break, nobody knows where
static_assert(port_session::breakdowns_max == breaking::learnt_from);
constexpr std::chrono::milliseconds region_max{
    30'000};  // of one finding: calls end it first, so that counts do not depend on load
constexpr std::chrono::milliseconds shrinking_max{
    60'000};  // of all that is found; what is not small by then is shown as it is
constexpr std::chrono::milliseconds showing_max{
    10'000};  // of a finding that is small, where that is a matter of chance

std::chrono::milliseconds seconds(double s) { return std::chrono::milliseconds(static_cast<std::int64_t>(s * 1000)); }

}  // namespace

namespace {

// The port as the judge asks it, which knows no exceptions: once it fails, it breaks on every history. So it does on
// those on which one of the claims is known to fail: what is shown is another failure.
class asked_port final : public subject {
 public:
  asked_port(port_session& port, known_failing const& known, claim_mask claims) noexcept
      : port_(&port), known_(&known), claims_(claims) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return port_->describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) noexcept override {
    try {
      if (!failure_) {
        auto results = port_->run(histories);
        for (std::size_t i = 0; i < results.size(); ++i) {
          if ((known_->excused(histories[i]) & claims_) != 0) results[i] = {result_kind::broke, {}, "known to fail"};
        }
        return results;
      }
    } catch (session_failure const& e) {
      if (!port_->out_of_time()) failure_ = e;
    }
    return std::vector<result>(histories.size(), {result_kind::broke, {}, failure_ ? failure_->what() : "out of time"});
  }
  // Throws the failure, if there was one.
  void demand_unbroken() const {
    if (failure_) throw session_failure(*failure_);
  }

 private:
  port_session* port_;
  known_failing const* known_;
  claim_mask claims_;
  std::optional<session_failure> failure_;
};

claim_mask mask_of(unsigned claim) noexcept {
  return claim == breach::no_answer ? run::no_answer : claim_mask{1} << claim;
}

std::optional<results_writer> opened(judging_options const& options, std::string const& resume) {
  auto const& path = options.results;
  output_name const results{"--results", path};
  output_name const junit{"--junit", options.report.junit};
  output_name const failing{"--write-known-failing", options.write_known_failing};
  output_name const certificate{"--certificate", options.report.certificate};
  output_name const known{"--known-failing", options.known_failing};
  output_name const resumed{"--resume", resume};
  demand_different(std::array{results, junit, failing, certificate});
  // A list of known failures is read and written anew; results that a run resumes are gone on with.
  for (auto const& output : {results, junit, certificate}) demand_different(std::array{output, known});
  for (auto const& output : {junit, failing}) demand_different(std::array{resumed, output});
  demand_different(std::array{certificate, resumed});
  return path.empty() ? std::nullopt : std::optional<results_writer>(std::in_place, path);
}

// What a run said of histories that broke its port; `from` is the number of the first.
std::vector<breakdown> breakdowns_of(std::span<result const> results, std::span<history const> histories,
                                     std::uint64_t from) {
  std::vector<breakdown> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& r = results[i];
    if (r.kind == result_kind::broke)
      all.push_back({printable(r.why), from + i, histories[i], r.why.starts_with(gave_no_answer), ""});
  }
  return all;
}

// Starts the port; where it does not start, the JSON form says so too.
port_pool start_port(judged_system const& system, std::vector<std::string> const& command,
                     judging_options const& options, std::optional<output_file>& junit, progress& line) {
  line.begin("starting the port", "");
  try {
    return {system.shape(), command, seconds(options.timeout_s), options.jobs};
  } catch (session_failure const& e) {
    if (live_groups::interrupted()) throw;
    if (options.report.format == "json") std::fputs(failed_start_json(system.shape(), command, e).c_str(), stdout);
    end_junit(junit, failed_start_junit(system.shape(), e));
    throw;
  }
}

}  // namespace

judging::judging(judged_system const& system, std::vector<std::string> command, judging_options const& options,
                 std::uint64_t seed, std::uint64_t cases, std::string const& resume, known_failing const* known)
    : system_(&system),
      command_(std::move(command)),
      options_(options),
      seed_(seed),
      cases_(cases),
      parsed_(parse_judging(system, options)),
      resumed_(resume.empty() ? std::nullopt : std::optional<results_file>(std::in_place, resume)),
      results_(opened(options, resume)),
      junit_(begun_file(options.report.junit, before_junit)),
      certificate_(begun_certificate(options.report.certificate, system)),
      failing_(begun_file(options.write_known_failing, known_failing::about)),
      known_(known != nullptr                ? *known
             : options.known_failing.empty() ? known_failing()
                                             : known_failing::read(system, options.known_failing)),
      progress_(!options.report.quiet),
      port_(start_port(system, command_, options, junit_, progress_)),
      about_(narrowed(system.shape(), port_.describes(), options)),
      breaking_(system.shape(), about_.takes),
      intake_(make_run(system, about_, known_.added_to(parsed_)), known_, options.max_failures,
              !options.part.is_whole()),
      run_(intake_.judged()) {
  port_.count_in(progress_.done());
  if ((options_.whole && options_.part.is_whole()) || failing_ || known != nullptr) intake_.keep_answers();
  if (certificate_) intake_.keep();
  port_.expect([this](history const& h) { return held_back(h); },
               known_.may_break_anywhere() ? breakdowns_if_known : port_session::breakdowns_max);
  results_header const header{std::string(system.shape().stem),
                              port_.first().said(),
                              options_.program,
                              command_,
                              seed_,
                              {options_.part, cases_},
                              options_,
                              known_.name(),
                              known_.text()};
  if (resumed_) resumed_->demand_resumable(header);
  if (results_) results_->begin(header);
}

void judging::settle_mapping() {
  auto const probes = mapping_probes(run_, seed_);
  doing("asking how it maps draws", probes.size());
  try {
    if (options_.max_time_s != 0) port_.first().until(began_ + seconds(options_.max_time_s));
    auto const known = resumed_ ? resumed_->probes(system_->shape()) : std::vector<result>();
    bool const settled = resumed_ && (!known.empty() || resumed_->histories() != 0);
    auto const answered = settled ? known : port_.probe(probes);
    if (answered.size() != probes.size()) resumed_->refuse("its probes are not those of its run");
    if (settled) port_.resume(0, breakdowns_of(answered, probes, 0));
    port_.first().until({});
    if (results_) results_->probes(answered);
    static_cast<void>(learn_where_it_breaks(probes, answered));
    intake_.settle_mapping(probes, answered);
  } catch (session_failure const& e) {
    give_up(e);
  }
}

void judging::give_up(session_failure const& e) {
  if (live_groups::interrupted()) {
    ended_ = how_ended::interrupted;
    return;
  }
  if (port_.first().out_of_time()) {
    ended_ = how_ended::out_of_time;
    return;
  }
  gave_up_ = breakdown{std::string("the rest was not judged: ") + e.what(), {}, {}, false, ""};
  if (port_.breakdowns().empty()) gave_up_->stderr_tail = e.stderr_tail;
}

std::vector<result> judging::resumed(std::span<history const> histories) {
  std::vector<result> results;
  std::vector<breakdown> breakdowns;
  while (resumed_ && results.size() < histories.size()) {
    if (taken_.empty()) taken_ = resumed_->next(system_->shape());
    auto const count = std::min(histories.size() - results.size(), taken_.size());
    auto const now = histories.subspan(results.size(), count);
    std::ranges::move(breakdowns_of(std::span(taken_).first(count), now, planned_->given() + fed_ + results.size()),
                      std::back_inserter(breakdowns));
    resumed_plan_.add(now);
    resumed_count_ += count;
    progress_.done() += count;
    for (std::size_t i = 0; i < count; ++i) {
      auto& r = taken_[i];
      if (r.answers.size() > now[i].steps.size()) resumed_->refuse("more answers than calls");
      results.push_back(std::move(r));
    }
    taken_.erase(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(count));
    if (count != 0) continue;
    if (resumed_plan_.text() != resumed_->plan() || resumed_count_ != resumed_->histories())
      resumed_->refuse("its histories are not those that this build of the oracle generates");
    for (auto const& b : resumed_->broke()) {
      auto const same = std::ranges::find(breakdowns, b.what.what, &breakdown::what);
      if (same != breakdowns.end()) same->stderr_tail = b.what.stderr_tail;
      if (b.what.what.ends_with(port_session::each_alone)) breakdowns.push_back(b.what);
    }
    resumed_.reset();
  }
  port_.resume(results.size(), std::move(breakdowns));
  return results;
}

std::vector<result> judging::answered(std::span<history const> histories) {
  auto results = resumed(histories);
  if (learn_where_it_breaks(histories, results) == told::nothing) return results;
  while (results.size() < histories.size() && !live_groups::interrupted()) {
    auto const now = histories.subspan(results.size());
    auto more = port_.run(now);
    bool const all = more.size() == now.size();
    auto const where = learn_where_it_breaks(now, more);
    std::ranges::move(more, std::back_inserter(results));
    if (port_.failure() || (!all && where != told::region)) break;  // given up, or out of time
  }
  return results;
}

std::string_view judging::held_back(history const& h) const {
  if (known_.holds_back(h)) return port_session::known_to_break;
  return breaking_.contains(h) ? port_session::like_others : std::string_view();
}

// Where there is a reason for which it breaks, it is asked no more such histories, and is given up no more.
judging::told judging::learn_where_it_breaks(std::span<history const> asked, std::span<result const> results) {
  if (known_.may_break_anywhere()) return told::all_is_well;
  auto const known = breaking_.regions().size();
  if (!breaking_.see(asked, results)) return told::nothing;
  if (breaking_.regions().size() == known) return told::all_is_well;
  port_.go_on(breaking_.pending());
  return told::region;
}

bool judging::feed(std::span<history const> histories, plan const* planned) {
  if (live_groups::interrupted() && !resumed_) ended_ = how_ended::interrupted;
  if (gave_up_ || ended_ != how_ended::done) return false;
  try {
    auto const results = answered(histories);
    bool const all = results.size() == histories.size();
    auto const from = planned == nullptr ? 0 : planned->given() - histories.size();
    histories = histories.first(results.size());
    if (planned == nullptr) unplanned_.insert(unplanned_.end(), histories.begin(), histories.end());
    fed_ += histories.size();
    if (results_ && planned != nullptr) results_->answers(from, histories, results);
    for (std::size_t i = 0; i < histories.size(); ++i) {
      bool const is_sample = planned != nullptr && planned->counts_draws(from + i, histories[i]);
      if (intake_.take(histories[i], results[i], is_sample, planned != nullptr && planned->samples(from + i))) continue;
      ended_ = how_ended::enough;
      return false;
    }
    if (port_.failure()) {
      give_up(*port_.failure());
    } else if (!all) {
      ended_ = live_groups::interrupted() ? how_ended::interrupted : how_ended::out_of_time;
    }
    return all;
  } catch (session_failure const& e) {
    give_up(e);
    return false;
  }
}

void judging::compare_processes(std::span<history const> samples) {
  if (gave_up_ || ended_ != how_ended::done || !intake_.wants_two_processes() ||
      !takes().offers(feature::fresh_process))
    return;
  compared_.assign(samples.begin(), samples.end());
  doing("asking two processes", 2 * samples.size());
  try {
    port_.first().restart(restarts_to_shrink);
    auto const one = port_.first().run(samples);
    port_.first().restart(restarts_to_shrink);
    auto const other = port_.first().run(samples);
    if (results_) results_->twice(one, other);
    for (std::size_t i = 0; i < samples.size(); ++i) intake_.take_twice(samples[i], one[i], other[i]);
  } catch (session_failure const& e) {
    give_up(e);
  }
}

void judging::begin(plan const& histories, std::uint64_t count) {
  planned_ = histories;
  auto const until = began_ + seconds(options_.max_time_s);
  if (options_.max_time_s != 0) port_.enough_at(until);
  progress_.begin("judging", "histories", count, options_.max_time_s != 0 ? std::optional(until) : std::nullopt);
  port_.begin_at(histories.given());
}

// A plan gives its histories again, so that none need be kept, however late a claim is broken.
std::vector<history> judging::asked_before(std::uint64_t index) const {
  constexpr std::uint64_t most = 8'192;
  auto const first_of = [](std::vector<history> const& all, std::uint64_t count) {
    return std::vector(all.begin(),
                       all.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, all.size())));
  };
  if (index >= fed_) return first_of(compared_, index - fed_);  // a fresh process, which was asked nothing else
  if (!planned_) return first_of(unplanned_, index);
  std::uint64_t const count = std::min(index, most);
  plan again = *planned_;
  again.skip(index - count);
  auto const asked = again.next(static_cast<std::size_t>(count));
  return {asked.begin(), asked.end()};
}

// The broken claim on its smallest history, which must break it again in a fresh process: at once, or where that is a
// matter of chance, in some of many tries. If it does not, the port remembers other histories.
counterexample judging::shown_breach(breach const& b) {
  now(fmt::format("shrinking {}", name_of(b)));
  if (b.claim != breach::no_answer && system_->claims()[b.claim].draws) {
    asked_port never_asked(port_.first(), known_, mask_of(b.claim));
    return minimise(run_, never_asked, b);
  }
  auto& port = port_.first();
  port.until(shrink_until_);
  if (port.out_of_time()) {
    asked_port no_more(port, known_, mask_of(b.claim));
    return minimise(run_, no_more, b);
  }
  port.until({});
  try {
    port.restart(restarts_to_shrink);
    if (is_chance(run_) || breaks_claim(run_, b, b.first.tried, port.run(std::span(&b.first.tried, 1)).front())) {
      claim_mask claims = mask_of(b.claim);
      for (auto const& part : parts_of_rule(run_, b)) claims |= is_chance(run_) ? mask_of(part.claim) : 0;
      asked_port asked(port, known_, claims);
      port.until(shrink_until_);
      std::vector tried{minimise(run_, asked, b)};
      port.until({});
      asked.demand_unbroken();
      // What was found is tried, too: a smaller history may have broken by luck.
      if (is_chance(run_)) tried.push_back({b, run_.explained_by(), {b.first}, {}});
      if (tried.front().how == how_shown::unsteady) tried.clear();
      if (is_chance(run_)) port.until(std::max(shrink_until_, std::chrono::steady_clock::now() + showing_max));
      for (auto& c : tried) {
        port.restart(restarts_to_shrink);
        asked_port fresh(port, known_, 0);
        bool const shows = show_again(run_, fresh, c);
        fresh.demand_unbroken();
        if (!shows) continue;
        port.until({});
        return c;
      }
    }
  } catch (session_failure const&) {
    port.until({});
    return as_seen(run_, b);  // it breaks while it is shrunk, or there is no time left
  }
  port.until(shrink_until_);
  auto c = minimise_sequence(run_, port, b, asked_before(b.first.index));
  if (c.how == how_shown::lost && is_chance(run_)) c.how = never_again(b);
  port.until({});
  return c;
}

// By chance a fault does not come again once, but hardly ever twenty times: each break is as likely in the run as in
// the same histories asked again, so that all of twenty are in the run with a probability of 2^-20.
how_shown judging::never_again(breach const& b) {
  constexpr std::size_t enough = 20;
  auto broke = run_.witnesses_of(b);
  if (broke.size() < enough) return how_shown::unsteady;
  std::ranges::sort(broke, {}, &evidence::index);
  auto const asked = asked_before(broke[enough - 1].index + 1);
  try {
    port_.first().restart(restarts_to_shrink);
    auto const results = port_.first().run(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (breaks_claim(run_, b, asked[i], results[i])) return how_shown::unsteady;
    }
    return how_shown::lost;
  } catch (session_failure const&) {
    return how_shown::seen;
  }
}

std::string_view judging::name_of(breach const& b) const {
  return b.is_of_a_claim() ? system_->claims()[b.claim].name : no_answer_name;
}

// The history shrunk while the port still breaks on it in the same way.
history judging::smallest_breaking(breakdown const& b) {
  history best = *b.culprit;
  now("shrinking what breaks the port");
  port_.first().hold_back(
      [this](history const& h) { return known_.holds_back(h) ? port_session::known_to_break : std::string_view(); });
  port_.first().until(shrink_until_);
  try {
    port_.first().restart(restarts_to_shrink);
    static_cast<void>(shrink(system_->shape(), takes(), best, [&](std::vector<history> const& candidates) {
      std::vector<bool> fails(candidates.size());
      for (std::size_t i = 0; i < candidates.size(); ++i) {  // one by one: every break costs a process
        auto const got = port_.first().run(std::span(&candidates[i], 1));
        if (got.front().kind != result_kind::broke || got.front().why != b.what) continue;
        best = candidates[i];
        fails[i] = true;
        break;
      }
      return fails;
    }));
  } catch (session_failure const&) {
    // Enough restarts, or time: the smallest one so far will do.
  }
  port_.first().until({});
  port_.first().hold_back([this](history const& h) { return held_back(h); });
  return best;
}

// Each way of breaking once, the first on its smallest history; not a hang, which would cost a time-out for every try.
std::vector<broken_port> judging::shown_breakdowns() {
  std::vector<broken_port> shown;
  for (auto const& b : std::vector<breakdown>(port_.breakdowns())) {
    bool const known = known_.may_break_anywhere();
    if (std::ranges::any_of(shown, [&](broken_port const& s) { return s.what.what == b.what; }) && !known) continue;
    bool const shrinks = shown.empty() && b.culprit && !b.timed_out && !known;
    shown.push_back({b, shrinks ? smallest_breaking(b) : b.culprit});
    shown.back().cut_short = shrinks && time_to_shrink_is_over();
    if (b.culprit) {
      if (auto const* r = breaking_.around(*b.culprit))
        shown.back().what.where = to_words(system_->shape(), takes(), *r);
    }
  }
  if (gave_up_) shown.push_back({*gave_up_, {}});
  return shown;
}

std::vector<broken_port> judging::known_breakdowns() {
  constexpr std::size_t tries_max = 8;
  constexpr std::uint64_t planned_max = 20'000;
  std::vector<broken_port> all;
  auto& port = port_.first();
  port.hold_back({});
  for (auto const& l : known_.lines()) {
    if (!l.breaks() || l.on.everything() || !planned_) continue;
    std::vector<history> asked;
    plan histories(system_->shape(), takes(), planned_max, seed_ + 1, wants_samples());
    for (auto some = histories.next(1); !some.empty() && asked.size() < tries_max; some = histories.next(1)) {
      if (l.on.matches(some.front())) asked.push_back(some.front());
    }
    try {
      port.restart(restarts_to_shrink);
      for (auto const& h : asked) {
        auto const r = port.run(std::span(&h, 1)).front();
        if (r.kind != result_kind::broke) continue;
        all.push_back({{printable(r.why), {}, h, false, ""}, h});
        break;
      }
    } catch (session_failure const&) {
      // It does not start again, which ends the run anyhow.
    }
  }
  port.hold_back([this](history const& h) { return held_back(h); });
  return all;
}

std::vector<broken_port> judging::take_known(std::vector<broken_port>& all) {
  std::vector<broken_port> known;
  std::erase_if(all, [&](broken_port const& b) {
    if (!b.smallest || !intake_.note_break(*b.smallest)) return false;
    known.push_back(b);
    return true;
  });
  return known;
}

// Whether what it breaks of claims of dependence depends on anything, it is asked in a fresh process.
void judging::compare_with_itself() {
  run_.settle_blame();
  if (gave_up_ || run_.breaches().empty()) return;
  now("asking again");
  try {
    port_.first().restart(restarts_to_shrink);
  } catch (session_failure const&) {
    return;  // as it was seen
  }
  asked_port asked(port_.first(), known_, mask_of(breach::no_answer));
  auto const all = judge::compare_with_itself(run_, asked);
  if (results_ && !all.empty()) results_->compared_with_itself(run_, all);
  intake_.settle_dependence(all);
}

// Asks a fresh process for what is searched there. Where the port breaks, nothing is found.
bool judging::search_with(claim_mask about, std::function<void(subject&, search_limits)> const& search) {
  auto& port = port_.first();
  try {
    port.until({});
    port.restart(restarts_to_shrink);
    port.until(std::min(shrink_until_, std::chrono::steady_clock::now() + region_max));
    asked_port asked(port, known_, about);
    search_limits limits;
    limits.calls = 250'000;  // some seconds of a slow port, so that the clock seldom decides
    limits.is_over = [&] { return port.out_of_time(); };
    search(asked, limits);
  } catch (session_failure const&) {
  }
  bool const in_time = !port.out_of_time();
  port.until({});
  return in_time;
}

// Nothing where one answer does not show it, or where the port draws for itself.
void judging::find_regions_of(breach const& b, bool parts, explanations& all) {
  if (b.is_of_a_claim() && system_->claims()[b.claim].draws) return;
  now(fmt::format("looking for where {} breaks", name_of(b)));
  bool const in_time = search_with(mask_of(b.claim), [&](subject& port, search_limits limits) {
    limits.parts = parts;
    all.regions[b.claim] = find_regions(run_, port, b.claim, intake_.answers()->about(run_, b), seed_, limits);
  });
  if (!in_time) all.cut_short.insert(b.claim);
}

// The regions of histories as a whole, which may say where a claim applies; nothing where one of them has none. They
// are guesses, as what is tried outside of them is the test.
std::vector<std::vector<constraint>> judging::guessed_regions(std::vector<counterexample> const& shown) const {
  std::vector<std::vector<constraint>> all;
  for (auto const& c : shown) {
    if (!c.shows.fails) continue;
    if (c.how != how_shown::together || c.histories.size() != 1) return {};
    for (auto const& r : learn_parts(intake_.answers()->about(run_, c.shows, true))) {
      if (r.where.empty()) return {};
      if (std::ranges::count(all, r.where) == 0) all.push_back(r.where);
    }
  }
  return all;
}

void judging::try_elsewhere(std::vector<counterexample> const& shown, explanations& all) {
  auto known = intake_.answers()->failed();
  for (auto const& c : shown) known.insert(known.end(), c.histories.begin(), c.histories.end());
  for (auto const& regions : {guessed_regions(shown), all.regions_of(system_->shape(), shown)}) {
    if (regions.empty() || (all.outside && all.outside->conforms())) continue;
    now("trying histories elsewhere");
    all.outside_cut_short = !search_with(~claim_mask{0}, [&](subject& port, search_limits const& limits) {
      all.outside = try_outside(run_, port, regions, known, seed_, limits);
    });
  }
}

std::optional<counterexample> judging::shown_part(breach const& b, std::span<tested_region const> regions,
                                                  std::size_t part, claim_mask accounted) {
  auto const& s = system_->shape();
  auto const within = [&](history const& h) {
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (matches(s, regions[i].where, h) != (i == part)) return false;
    }
    return true;
  };
  std::optional<breach> first;
  bool is_accounted_for = true;
  for (auto const& e : intake_.answers()->failed()) {
    auto h = e.tried;
    if (!breaks(run_, b.claim, h, e.got).value_or(false) || !within(h)) continue;
    auto got = e.got;
    got.answers.resize(std::min(got.answers.size(), h.steps.size()));
    auto const report = system_->broken_claims(h, got.answers, takes().draws, run_.explained_by());
    is_accounted_for = is_accounted_for && (report.broken & accounted) != 0;
    bool const leads = report.leads(b.claim, run_.options().claims);
    if (first && (first->leads || !leads)) continue;
    first = b;
    first->first = {e.index, h, got};
    first->leads = leads;
  }
  if (!first || is_accounted_for) return {};
  now(fmt::format("shrinking {}", name_of(b)));
  auto& port = port_.first();
  try {
    port.until({});
    port.restart(restarts_to_shrink);
    port.until(shrink_until_);
    asked_port asked(port, known_, mask_of(b.claim));
    auto c = minimise(run_, asked, *first, within);
    port.until({});
    if (c.how == how_shown::together && c.histories.size() == 1 && within(c.histories.front().tried)) return c;
  } catch (session_failure const&) {
    port.until({});
  }
  return {};
}

void judging::show_parts(std::vector<counterexample>& shown, std::size_t at, explanations& all) {
  auto const known = all.regions.find(shown[at].shows.claim);
  if (known == all.regions.end() || known->second.size() < 2) return;
  auto const& regions = known->second;
  auto const* mine = all.region_of(system_->shape(), shown[at]);
  claim_mask accounted = 0;
  for (std::size_t i = 0; i < at; ++i) accounted |= mask_of(shown[i].shows.claim);
  std::vector<counterexample> parts;
  for (std::size_t k = 0; k < regions.size(); ++k) {
    if (&regions[k] == mine) {
      parts.push_back(shown[at]);
    } else if (auto c = shown_part(shown[at].shows, regions, k, accounted)) {
      parts.push_back(std::move(*c));
    }
  }
  if (time_to_shrink_is_over()) all.cut_short.insert(shown[at].shows.claim);
  shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(at));
  shown.insert(shown.begin() + static_cast<std::ptrdiff_t>(at), parts.begin(), parts.end());
}

explanations judging::explained(std::vector<counterexample>& shown) {
  explanations all;
  if (!options_.part.is_whole()) return all;
  if (intake_.answers() == nullptr || !repeats_itself(run_)) {
    all.fold(run_, shown);
    return all;
  }
  if (planned_) {
    progress_.begin("comparing the answers with known faults", "");
    all.diagnosis = intake_.diagnosed(*planned_);
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    auto const c = shown[i];
    bool const is_sought = all.regions.contains(c.shows.claim);
    if (is_sought || c.how != how_shown::together || c.histories.size() != 1) continue;
    find_regions_of(c.shows, !all.diagnosis, all);  // what explains all is one fault
    // What it was learnt from need not be near the smallest history. A region without that one is none.
    if (all.region_of(system_->shape(), c) == nullptr) {
      all.regions.erase(c.shows.claim);
    } else {
      show_parts(shown, i, all);
    }
  }
  for (auto const& b : run_.breaches()) {
    bool const is_told = std::ranges::any_of(shown, [&](counterexample const& c) { return c.shows.claim == b.claim; });
    if (failing_ && b.fails && !is_told && !failing_list::is_rare(b)) find_regions_of(b, true, all);
  }
  all.fold(run_, shown);
  try_elsewhere(shown, all);
  if (planned_) {
    all.tell_apart(system_->shape(), shown, [&](auto const& elsewhere) {
      progress_.begin("comparing the answers with known faults", "");
      return intake_.diagnosed(*planned_, elsewhere);
    });
  }
  return all;
}

std::vector<history> judging::unknown_breaks() const {
  std::vector<history> all;
  for (auto const& b : port_.breakdowns()) {
    if (b.culprit && !known_.may_break_anywhere() && !known_.holds_back(*b.culprit)) all.push_back(*b.culprit);
  }
  return all;
}

// What is learnt beyond the list that the run knows, without a word to anybody.
bool judging::add_to(failing_list& list) {
  if (ended_ == how_ended::interrupted || ended_ == how_ended::out_of_time) return false;
  if (auto const broke = unknown_breaks(); !broke.empty() || gave_up_) {
    static_cast<void>(port_.stop());
    list.add_breaks(run_, *intake_.answers(), broke);
    return true;
  }
  begin_shrinking();
  for (auto& b : known_breakdowns()) intake_.note_break(*b.smallest);
  for (auto const& b : port_.breakdowns()) {
    if (b.culprit) intake_.note_break(*b.culprit);
  }
  compare_with_itself();
  explanations found;
  for (auto const& b : run_.breaches()) {
    if (b.fails && !failing_list::is_rare(b)) find_regions_of(b, true, found);
  }
  static_cast<void>(port_.stop());
  intake_.settle(true);
  bool const left_out = list.note(intake_.known());
  return list.add(run_, *intake_.answers(), found.regions) || left_out;
}

void judging::begin_shrinking() {
  auto const asked = seconds(options_.max_time_s);
  shrink_until_ =
      std::chrono::steady_clock::now() + (asked.count() == 0 ? shrinking_max : std::min(asked, shrinking_max));
}

exit_code judging::finish(std::function<bool(failing_list&)> const& widen) {
  begin_shrinking();
  auto broken = shown_breakdowns();
  auto expected = gave_up_ ? std::vector<broken_port>() : known_breakdowns();
  compare_with_itself();
  std::vector<counterexample> shown;
  explanations explains;
  if (!gave_up_) {
    shown = shown_breaches(run_, [this](breach const& b) {
      auto c = shown_breach(b);
      c.cut_short = c.how != how_shown::samples && time_to_shrink_is_over();
      return c;
    });
    explains = explained(shown);
    for (auto const& how : port_.stop())
      broken.push_back({breakdown{how, {}, {}, false, port_.first().last_words()}, {}});
  }
  if (auto const& said = port_.first().contradiction(); !said.empty() && !gave_up_)
    broken.push_back({breakdown{said, {}, {}, false, ""}, {}});
  intake_.settle(!gave_up_);
  auto known = take_known(expected);
  std::ranges::move(take_known(broken), std::back_inserter(known));
  auto const write_shown = [&](counterexample const& c) {
    results_->shown(run_, c, explains.region_of(system_->shape(), c), explains.cut_short.contains(c.shows.claim));
  };
  if (results_) {
    for (auto const& c : shown) {
      write_shown(c);
    }
    for (auto const& [c, into] : explains.dependent) write_shown(c);
    if (explains.outside) results_->outside(system_->shape(), *explains.outside, explains.outside_cut_short);
    for (auto const& all : {broken, known}) {
      for (auto const& b : all) results_->broke(run_, b);
    }
    results_->end(run_, gave_up_ ? how_ended::gave_up : ended_);
  }
  invocation called{options_.program, words_for_replay(options_), command_,     seed_,
                    cases_,           options_.library.empty(),   options_.part};
  called.out_of_time = ended_ == how_ended::out_of_time;
  called.interrupted = called.out_of_time || ended_ == how_ended::interrupted;
  called.cut_short = gave_up_ || ended_ != how_ended::done;
  called.known = intake_.known().lines();
  called.ranges = options_.ranges;
  bool const called_short = (gave_up_ && unknown_breaks().empty()) || called.interrupted;
  auto r = make_report(run_, shown, std::move(broken), std::move(called), explains);
  write_long_histories(r);
  end_junit(junit_, to_junit(r));
  end_certificate(certificate_, r, shown, intake_);
  progress_.end();
  show(r, options_.report);
  if (failing_) write_failing(explains, called_short, widen);
  if (auto const fault = system_->own_fault(); !fault.empty()) throw usage_error(fault);
  return r.ends_with;
}

void judging::write_failing(explanations const& explains, bool cut_short,
                            std::function<bool(failing_list&)> const& widen) {
  failing_list list(intake_.known(), ended_ == how_ended::done && options_.part.is_whole());
  static_cast<void>(list.add(run_, *intake_.answers(), explains.regions));
  list.add_breaks(run_, *intake_.answers(), unknown_breaks());
  bool const is_whole = options_.part.is_whole() && options_.max_failures == 0;
  if (!cut_short && is_whole && widen) cut_short = !widen(list);
  if (cut_short || live_groups::interrupted()) {
    say(fmt::format("backoff-oracle: note: '{}' is left as it was: the run did not come to its end\n",
                    options_.write_known_failing));
    return;
  }
  std::string text;
  for (auto const& line : list.lines()) text += line + "\n";
  failing_->write(text);
  failing_->commit();
}

}  // namespace backoff::oracle
