#include "oracle/check_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <iterator>

#include "histories/present.hpp"
#include "oracle/called.hpp"
#include "oracle/found_regions.hpp"
#include "oracle/shown_breakdowns.hpp"
#include "oracle/shown_findings.hpp"
#include "reports/print_report.hpp"
#include "transport/live_groups.hpp"

namespace backoff::oracle {

namespace {

constexpr std::size_t chunk = 2'048;
constexpr std::chrono::milliseconds shrinking_max{
    60'000};  // of all that is found; what is not small by then is shown as it is

}  // namespace

check_session::check_session(judged_system const& system, results_header asked_for, prepared_session ready)
    : system_(&system),
      header_(std::move(asked_for)),
      ready_(std::move(ready)),
      line_(!header_.options.report.quiet),
      port_(start_port(system, header_.command, header_.options, ready_.reports.junit, line_), system.shape(),
            ready_.known, ready_.resumed, line_),
      judged_(make_run(system, port_.about(), ready_.known.added_to(ready_.judged_by)), ready_.known,
              header_.options.max_failures, !header_.ran.which.is_whole()) {
  if (ready_.learns) judged_.keep_answers();
  if (ready_.reports.certificate) judged_.keep();
  header_.port = port_.port().first().said();
  header_.known_failing_name = ready_.known.name();
  header_.known_failing = ready_.known.text();
  if (ready_.resumed) ready_.resumed->demand_resumable(header_);
  if (ready_.results) ready_.results->begin(header_);
}

// --- judging ---

std::optional<restartable::time_point> check_session::until() const {
  if (header_.options.max_time_s == 0) return {};
  return began_ + seconds(header_.options.max_time_s);
}

void check_session::settle_mapping() {
  auto const probes = mapping_probes(judged_.judged(), header_.seed);
  line_.begin("asking how it maps draws", "histories", probes.size());
  auto const answered = port_.probe(probes, until());
  end_ = answered.end;
  if (!end_.goes_on()) return;
  if (ready_.results) ready_.results->probes(answered.results);
  judged_.settle_mapping(probes, answered.results);
}

bool check_session::take(asked_batch const& batch, plan const* planned) {
  auto const& [results, end] = batch.answered;
  end_ = end;
  auto const histories = batch.histories.first(results.size());
  asked_.add(histories);
  if (ready_.results && planned != nullptr) ready_.results->answers(batch.from, histories, results);
  bool const has_samples = planned != nullptr && judged_.judged().draws().are_tested();
  for (std::size_t i = 0; i < histories.size(); ++i) {
    auto const sample = has_samples ? planned->kind_of(batch.from + i, histories[i]) : sample_kind::none;
    if (judged_.take(histories[i], results[i], sample)) continue;
    end_ = {how_ended::enough};
    break;
  }
  return end_.goes_on();
}

bool check_session::feed(std::span<history const> histories) {
  return end_.goes_on() && take({histories, 0, port_.next(histories, 0)});
}

void check_session::judge_all_of(plan& histories) {
  auto const next = [&] {
    auto const batch = histories.next(std::min<std::uint64_t>(chunk, header_.ran.end() - histories.given()));
    return asked_batch{batch, histories.given() - batch.size()};
  };
  auto const ask = [this](asked_batch& batch) { batch.answered = port_.next(batch.histories, batch.from); };
  auto now = next();
  ask(now);
  while (!now.histories.empty()) {
    auto const breakdowns = port_.port().breakdowns().size();
    asked_batch ahead{};
    std::future<void> asking;
    if (now.answered.end.goes_on()) ahead = next();
    if (!ahead.histories.empty()) asking = std::async(in_a_thread_if_there_is_room, ask, std::ref(ahead));
    bool const goes_on = take(now, &histories);
    if (asking.valid()) asking.get();
    if (!goes_on) port_.port().forget(breakdowns);
    now = goes_on ? std::move(ahead) : asked_batch{};
  }
}

void check_session::compare_processes(std::vector<history> samples) {
  if (!end_.goes_on() || !judged_.wants_two_processes() || !port_.about().takes.offers(feature::fresh_process)) return;
  line_.begin("asking two processes", "histories", 2 * samples.size());
  auto const [one, other, end] = port_.twice(samples);
  end_ = end;
  if (end_.goes_on()) {
    if (ready_.results) ready_.results->twice(one, other);
    for (std::size_t i = 0; i < samples.size(); ++i) judged_.take_twice(samples[i], one[i], other[i]);
  }
  asked_.add_samples(std::move(samples));
}

void check_session::judge_plan() {
  settle_mapping();
  auto const& ran = header_.ran;
  plan histories(system_->shape(), port_.about().takes, ran.total, header_.seed, judged_.judged().draws().are_tested());
  histories.skip(ran.first());
  asked_.begin(histories);
  line_.begin("judging", "histories", ran.end() - ran.first(), until());
  port_.begin_at(ran.first(), until());
  if (end_.goes_on()) judge_all_of(histories);
  if (ran.which.number == ran.which.of) compare_processes(histories.for_two_processes());
}

void check_session::judge(std::vector<history> cases) {
  auto const& takes = port_.about().takes;
  cases = without_hidden_draws(std::move(cases), system_->shape(), takes);
  for (auto const& h : cases) demand_takeable(h, system_->shape(), takes);
  settle_mapping();
  line_.begin("replaying", "histories", cases.size());
  bool const may_draw = judged_.judged().mapping() == mapped::otherwise || takes.draws.kind == spec::draw_kind::hidden;
  if (feed(cases) && may_draw && !cases.empty()) judge_again(cases);
}

// A port that draws for itself, or maps draws in an unknown way, may fail on one try and not on the next. Asks it until
// it fails, or often enough to say how rarely it can.
void check_session::judge_again(std::vector<history> const& cases) {
  auto const fails = [&] { return std::ranges::any_of(judged_.judged().breaches(), &breach::fails); };
  std::size_t const tries_max = tries_of_replay(cases);
  std::size_t tries = 1;
  line_.begin("drawing again", "histories", (tries_max - 1) * cases.size());
  while (!fails() && tries < tries_max) {
    std::vector<history> again;
    std::size_t const now = std::min(tries, tries_max - tries);
    for (std::size_t i = 0; i < now; ++i) again.insert(again.end(), cases.begin(), cases.end());
    if (!feed(again)) return;
    tries += now;
  }
  if (fails()) return;
  // A failure of probability p shows in n tries with 1 - (1 - p)^n; that is 0.99 where p is about ln(100) / n.
  bool const draws = port_.about().takes.draws.kind == spec::draw_kind::hidden;
  line_.say(fmt::format(
      "backoff-oracle: note: the port {} for itself: nothing failed in {} tries; a fault that shows once in {:.0f} "
      "tries would have shown with probability 0.99\n",
      draws ? "draws" : "may draw", tries, std::max(1.0, static_cast<double>(tries) / std::log(100.0))));
}

// --- what is told of it ---

asked_again check_session::ask_again() {
  auto const asked = seconds(header_.options.max_time_s);
  auto const shrinking = asked.count() == 0 ? shrinking_max : std::min(asked, shrinking_max);
  return {port_.port().first(), ready_.known, std::chrono::steady_clock::now() + shrinking, line_};
}

std::vector<broken_port> check_session::take_known(std::vector<broken_port>& all) {
  std::vector<broken_port> known;
  std::erase_if(all, [&](broken_port const& b) {
    if (!b.smallest || !judged_.note_break(*b.smallest)) return false;
    known.push_back(b);
    return true;
  });
  return known;
}

explained_findings check_session::found(settled_results const& settled, asked_again const& again) {
  if (gave_up()) return {};
  auto shown = show_findings(settled, again, asked_);
  if (!header_.ran.which.is_whole()) return {std::move(shown)};
  return explain_findings(settled, std::move(shown), again,
                          {asked_.planned(), header_.seed, ready_.failing.has_value()});
}

void check_session::add_how_it_ended(std::vector<broken_port>& broken) {
  if (gave_up()) return;
  auto& port = port_.port();
  for (auto const& how : port.stop()) broken.push_back({breakdown{how, {}, {}, false, port.first().last_words()}, {}});
  if (auto const& said = port.first().contradiction(); !said.empty())
    broken.push_back({breakdown{said, {}, {}, false, ""}, {}});
}

void check_session::write_results(explained_findings const& found, std::span<broken_port const> broken,
                                  std::span<broken_port const> known) {
  if (!ready_.results) return;
  auto& to = *ready_.results;
  auto const& judged = judged_.judged();
  auto const& why = found.why;
  auto const write = [&](counterexample const& c) {
    to.shown(judged, c, why.region_of(system_->shape(), c), why.cut_short.contains(c.shows.claim));
  };
  for (auto const& c : found.shown) write(c);
  for (auto const& folded : why.dependent) write(folded.shown);
  if (why.outside) to.outside(system_->shape(), *why.outside, why.outside_cut_short);
  for (auto const& all : {broken, known}) {
    for (auto const& b : all) to.broke(judged, b);
  }
  to.end(judged, end_.how);
}

exit_code check_session::finish(std::function<bool(failing_list&)> const& widen) {
  auto& judged = judged_.judged();
  auto const again = ask_again();
  auto broken = show_breakdowns(judged, port_.port().breakdowns(), port_.breaking(), again);
  if (gave_up()) broken.push_back({present(end_.gave_up), {}});
  bool const asks_known = asked_.planned() && !gave_up();
  auto expected = asks_known ? known_breakdowns(judged, header_.seed, again) : std::vector<broken_port>();
  auto const settled = gave_up() ? judged_.settle_blame() : settle_blame(judged_, again);
  if (ready_.results && !settled.compared().empty()) ready_.results->compared_with_itself(judged, settled.compared());
  auto const all = found(settled, again);
  add_how_it_ended(broken);
  judged_.settle(!gave_up());
  auto known = take_known(expected);
  std::ranges::move(take_known(broken), std::back_inserter(known));
  write_results(all, broken, known);

  auto called = called_by(header_);
  note_end(called, end_.how);
  called.known = judged_.known().lines();
  auto r = make_report(judged, all.shown, std::move(broken), std::move(called), all.why);
  write_long_histories(r);
  ready_.reports.write(r, all.shown, judged_);
  line_.end();
  show(r, header_.options.report);
  if (ready_.failing) write_failing(all.why, widen);
  if (auto const fault = system_->own_fault(); !fault.empty()) throw usage_error(fault);
  return r.ends_with;
}

// --- lists of known failures ---

void check_session::write_failing(explanations const& why, std::function<bool(failing_list&)> const& widen) {
  auto const& judged = judged_.judged();
  auto const broke = unknown_breaks(port_.port().breakdowns(), ready_.known);
  failing_list list(judged_.known(), end_.goes_on() || gave_up());
  static_cast<void>(list.add(judged, *judged_.answers(), why.regions));
  list.add_breaks(judged, *judged_.answers(), broke);
  bool ended = !end_.is_interrupted() && !(gave_up() && broke.empty());
  if (ended && widen && header_.options.max_failures == 0) ended = widen(list);
  if (!ended || live_groups::interrupted()) {
    line_.say(fmt::format("backoff-oracle: note: '{}' is unchanged: the run did not finish\n",
                          header_.options.write_known_failing));
    return;
  }
  std::string text;
  for (auto const& line : list.lines()) text += line + "\n";
  auto& file = present(ready_.failing);
  file.write(text);
  file.commit();
}

// Adds what failed beyond the list that the run knows; prints nothing.
bool check_session::add_to(failing_list& list) {
  if (end_.is_interrupted()) return false;
  auto& judged = judged_.judged();
  auto const& breakdowns = port_.port().breakdowns();
  if (auto const broke = unknown_breaks(breakdowns, ready_.known); !broke.empty() || gave_up()) {
    static_cast<void>(port_.port().stop());
    list.add_breaks(judged, *judged_.answers(), broke);
    return true;
  }
  auto const again = ask_again();
  for (auto const& b : known_breakdowns(judged, header_.seed, again)) judged_.note_break(present(b.smallest));
  for (auto const& b : breakdowns) {
    if (b.culprit) judged_.note_break(*b.culprit);
  }
  auto const settled = settle_blame(judged_, again);
  region_search const search(settled, again, header_.seed);
  explanations found;
  for (auto const& b : judged.breaches()) {
    if (b.fails && !failing_list::is_rare(b)) search.find(b, true, found);
  }
  static_cast<void>(port_.port().stop());
  judged_.settle(true);
  bool const left_out = list.note(judged_.known());
  return list.add(judged, *judged_.answers(), found.regions) || left_out;
}

}  // namespace backoff::oracle
