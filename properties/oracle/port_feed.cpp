#include "oracle/port_feed.hpp"

#include <algorithm>
#include <iterator>

#include "oracle/asked_again.hpp"
#include "transport/live_groups.hpp"

namespace backoff::oracle {

namespace {

constexpr std::size_t breakdowns_if_known = 100;  // of a port that is known to break, but not where
static_assert(port_session::breakdowns_max == breaking::learnt_from);

}  // namespace

// cppcheck-suppress passedByValue ; it is moved from
port_feed::port_feed(started_port port, shape const& s, known_failing const& known,
                     std::optional<resumed_results>& resumed, progress& line)
    : known_(&known),
      port_(std::move(port.processes)),
      about_(std::move(port.about)),
      breaking_(s, about_.takes),
      resumed_(&resumed),
      line_(&line) {
  port_.count_in(line.done());
  port_.expect([this](history const& h) { return held_back(h); },
               known.may_break_anywhere() ? breakdowns_if_known : port_session::breakdowns_max);
}

std::string_view port_feed::held_back(history const& h) const {
  if (known_->holds_back(h)) return port_session::known_to_break;
  return breaking_.contains(h) ? port_session::like_others : std::string_view();
}

run_end port_feed::end_of(session_failure const& e) {
  if (live_groups::interrupted()) return {how_ended::interrupted};
  if (port_.first().out_of_time()) return {how_ended::out_of_time};
  breakdown why{std::string("the rest was not judged: ") + e.what(), {}, {}, false, ""};
  if (port_.breakdowns().empty()) why.stderr_tail = e.stderr_tail;
  return {how_ended::gave_up, std::move(why)};
}

// Once a region in which the port breaks is learnt, the port is sent no more histories of that region, and is not given
// up for these breakdowns.
port_feed::breakage port_feed::learn_where_it_breaks(std::span<history const> asked, std::span<result const> results) {
  if (known_->may_break_anywhere()) return breakage::none;
  auto const known = breaking_.regions().size();
  if (!breaking_.see(asked, results)) return breakage::anywhere;
  if (breaking_.regions().size() == known) return breakage::none;
  port_.go_on(breaking_.pending());
  return breakage::in_a_region;
}

port_feed::answered port_feed::probe(std::span<history const> probes, std::optional<restartable::time_point> until) {
  patience const in_time(port_.first(), until);
  answered a;
  try {
    if (auto before = *resumed_ ? (*resumed_)->probes(probes) : std::nullopt) {
      port_.resume(0, std::move(before->breakdowns));
      a.results = std::move(before->results);
    } else {
      a.results = port_.probe(probes);
    }
    static_cast<void>(learn_where_it_breaks(probes, a.results));
  } catch (session_failure const& e) {
    a.end = end_of(e);
  }
  return a;
}

void port_feed::begin_at(std::uint64_t first, std::optional<restartable::time_point> until) {
  if (until) port_.enough_at(*until);
  port_.begin_at(first);
}

void port_feed::ask(std::span<history const> histories, std::vector<result>& results) {
  if (learn_where_it_breaks(histories.first(results.size()), results) == breakage::anywhere) return;
  while (results.size() < histories.size() && !live_groups::interrupted()) {
    auto const now = histories.subspan(results.size());
    auto more = port_.run(now);
    bool const all = more.size() == now.size();
    auto const where = learn_where_it_breaks(now, more);
    std::ranges::move(more, std::back_inserter(results));
    if (port_.failure() || (!all && where != breakage::in_a_region)) break;  // given up, or out of time
  }
}

port_feed::answered port_feed::next(std::span<history const> histories, std::uint64_t from) {
  auto& before = *resumed_;
  answered a;
  if (live_groups::interrupted() && !before) return {{}, {how_ended::interrupted}};
  try {
    if (before) {
      auto known = before->next(histories, from);
      a.results = std::move(known.results);
      port_.resume(a.results.size(), std::move(known.breakdowns));
      line_->done() += a.results.size();
      if (before->is_over()) before.reset();
    }
    ask(histories, a.results);
    if (auto const& failure = port_.failure()) {
      a.end = end_of(*failure);
    } else if (a.results.size() < histories.size()) {
      a.end.how = live_groups::interrupted() ? how_ended::interrupted : how_ended::out_of_time;
    }
  } catch (session_failure const& e) {
    a = {{}, end_of(e)};
  }
  return a;
}

port_feed::answered_twice port_feed::twice(std::span<history const> samples) {
  answered_twice both;
  try {
    for (auto* one : {&both.one, &both.other}) {
      port_.first().restart(fresh_process::restarts_max);
      *one = port_.first().run(samples);
    }
  } catch (session_failure const& e) {
    both.end = end_of(e);
  }
  return both;
}

}  // namespace backoff::oracle
