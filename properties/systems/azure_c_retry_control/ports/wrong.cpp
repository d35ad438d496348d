// Wrong ports of retry control: faults that retry code has shipped. Each must be caught by the claim that it names;
// those of a hazard reading must be recognised as such, and pass when it is pinned.
#include "ports/built_in.hpp"
#include "systems/azure_c_retry_control/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace retry_control;
using seconds = std::uint64_t;
using model::action;

// ---- Waits ----

struct grows_linearly : reference_port {
  using reference_port::reference_port;
  seconds doubled() override { return initial * count; }
};
struct grows_with_the_square : reference_port {
  using reference_port::reference_port;
  seconds doubled() override { return initial * count * count; }
};
struct one_doubling_too_many : reference_port {
  using reference_port::reference_port;
  seconds doubled() override { return seconds{initial} << std::min<seconds>(count, 32); }
};
struct counts_from_zero : reference_port {  // calculates the wait before it counts the retry
  using reference_port::reference_port;
  seconds linear(seconds n) override { return reference_port::linear(n - 1); }
  seconds doubled() override { return count == 1 ? initial / 2 : seconds{initial} << std::min<seconds>(count - 2, 32); }
  quotient jittered(seconds base) override {
    auto const x = reference_port::jittered(count == 1 ? seconds{initial} : base);
    return {x.over, count == 1 ? 2 * x.under : x.under};
  }
};
struct wraps : reference_port {
  using reference_port::reference_port;
  seconds doubled() override { return count > 32 ? 0 : seconds{initial} << (count - 1); }
  seconds capped(seconds secs) override { return secs & seconds_max; }
};
struct stops_growing : reference_port {
  using reference_port::reference_port;
  seconds doubled() override { return seconds{initial} << std::min<seconds>(count - 1, 5); }
};
struct never_saturates : reference_port {
  using reference_port::reference_port;
  seconds capped(seconds secs) override { return secs; }
};
struct negative_is_nothing : reference_port {  // a wait beyond an int is negative, and so over at once
  using reference_port::reference_port;
  seconds capped(seconds secs) override { return secs > 0x7fff'ffff ? 0 : secs; }
};
struct jitter_beyond_the_cap : reference_port {
  using reference_port::reference_port;
  seconds next_wait() override {
    if (policy != model::policy::exponential_backoff_with_jitter) return reference_port::next_wait();
    return rounded(jittered(capped(doubled())));
  }
};
struct jitter_gone_when_large : reference_port {  // no room was left for the product
  using reference_port::reference_port;
  quotient jittered(seconds base) override {
    return base > 0xffff ? quotient{base, 1} : reference_port::jittered(base);
  }
};
struct whole_quotients : reference_port {
  using reference_port::reference_port;
  quotient part() override { return {u128{initial} * (world_->rand() / rand_max), 1}; }
  quotient jittered(seconds base) override {
    return {u128{base} * (1 + jitter / 100 * (world_->rand() / rand_max)), 1};
  }
};
struct jitter_either_way : reference_port {
  using reference_port::reference_port;
  quotient jittered(seconds base) override {
    auto const x = reference_port::jittered(base);
    auto const half = u128{base} * jitter * rand_max / 2;
    return {x.over - std::min(half, x.over), x.under};
  }
};
struct all_of_it_jitter : reference_port {  // full jitter in place of a percentage
  using reference_port::reference_port;
  quotient jittered(seconds base) override { return {u128{base} * world_->rand(), rand_max}; }
};
struct jitter_compounds : reference_port {
  using reference_port::reference_port;
  seconds next_wait() override {
    if (policy != model::policy::exponential_backoff_with_jitter) return reference_port::next_wait();
    auto const base = count == 1 ? seconds{initial} : 2 * std::min(wait, seconds_max);
    return capped(rounded(jittered(base)));
  }
};
struct drawn_once : reference_port {
  using reference_port::reference_port;
  quotient part() override { return {u128{initial} * kept(), rand_max}; }
  quotient jittered(seconds base) override {
    return {u128{base} * (100 * rand_max + seconds{jitter} * kept()), 100 * rand_max};
  }
  seconds kept() {
    if (!value) value = world_->rand();
    return *value;
  }
  std::optional<std::uint32_t> value;
};
struct draws_twice : reference_port {
  using reference_port::reference_port;
  quotient part() override {
    static_cast<void>(world_->rand());
    return reference_port::part();
  }
};
struct random_from_one : reference_port {  // never no wait at all
  using reference_port::reference_port;
  seconds rounded(quotient const& x) override { return std::max<seconds>(reference_port::rounded(x), 1); }
};
struct redrawn_at_each_poll : reference_port {
  using reference_port::reference_port;
  action decide(std::int64_t now) override {
    if (policy == model::policy::random && !is_over(now)) wait = next_wait();
    return reference_port::decide(now);
  }
};
struct a_poll_starts_the_wait_again : reference_port {
  using reference_port::reference_port;
  action decide(std::int64_t now) override {
    auto const what = reference_port::decide(now);
    if (what == action::retry_later) last = now;
    return what;
  }
};
struct milliseconds : reference_port {
  using reference_port::reference_port;
  seconds capped(seconds secs) override { return reference_port::capped(secs * 1'000); }
};
struct no_wait_after_the_first : reference_port {
  using reference_port::reference_port;
  seconds next_wait() override { return count == 1 ? 0 : reference_port::next_wait(); }
};
struct interval_of_one : reference_port {
  using reference_port::reference_port;
  seconds next_wait() override { return policy == model::policy::interval ? 1 : reference_port::next_wait(); }
};

// ---- Time ----

struct unsigned_difference : reference_port {
  using reference_port::reference_port;
  bool elapsed(std::int64_t since, std::int64_t now, seconds secs) override {
    return now < since || reference_port::elapsed(since, now, secs);
  }
};
struct absolute_difference : reference_port {
  using reference_port::reference_port;
  bool elapsed(std::int64_t since, std::int64_t now, seconds secs) override {
    return reference_port::elapsed(std::min(since, now), std::max(since, now), secs);
  }
};
struct thirty_two_bits : reference_port {
  using reference_port::reference_port;
  bool elapsed(std::int64_t since, std::int64_t now, seconds secs) override {
    auto const difference = static_cast<std::uint32_t>(now) - static_cast<std::uint32_t>(since);
    return now >= since && difference >= secs;
  }
};
struct more_than_the_wait : reference_port {
  using reference_port::reference_port;
  action decide(std::int64_t now) override {
    auto const what = reference_port::decide(now);
    bool const just = what == action::retry_now && policy != model::policy::immediate && !elapsed(last, now, wait + 1);
    return just ? action::retry_later : what;
  }
};
struct more_than_the_limit : reference_port {
  using reference_port::reference_port;
  bool is_over(std::int64_t now) override { return max_retry_time != 0 && elapsed(first, now, max_retry_time + 1ULL); }
};
struct zero_is_a_limit : reference_port {
  using reference_port::reference_port;
  bool is_over(std::int64_t now) override { return elapsed(first, now, max_retry_time); }
};
struct limit_from_the_last_retry : reference_port {
  using reference_port::reference_port;
  bool is_over(std::int64_t now) override {
    return max_retry_time != 0 && elapsed(policy == model::policy::immediate ? first : last, now, max_retry_time);
  }
};
struct limit_of_waits_alone : reference_port {  // the time that the operations themselves took is forgotten
  using reference_port::reference_port;
  bool is_over(std::int64_t) override { return max_retry_time != 0 && waited >= max_retry_time; }
  seconds next_wait() override {
    waited += wait;
    return reference_port::next_wait();
  }
  void clear() override {
    waited = 0;
    reference_port::clear();
  }
  seconds waited = 0;
};
struct no_limit : reference_port {
  using reference_port::reference_port;
  bool is_over(std::int64_t) override { return false; }
};
struct limit_before_the_first : reference_port {
  using reference_port::reference_port;
  int evaluate(action& what) override {
    if (count != 0) return reference_port::evaluate(what);
    auto const now = world_->get_time();
    if (!has(now)) return 1;
    what = is_over(now) ? action::stop_retrying : action::retry_now;
    return 0;
  }
};
struct first_waits_too : reference_port {
  using reference_port::reference_port;
  int evaluate(action& what) override {
    bool const asked = count == 0 && policy == model::policy::interval && last == -1;
    if (!asked) return reference_port::evaluate(what);
    what = action::retry_later;
    last = first;
    return 0;
  }
};
struct immediate_waits : reference_port {
  using reference_port::reference_port;
  action decide(std::int64_t now) override {
    auto const what = reference_port::decide(now);
    bool const at_once = policy == model::policy::immediate && what == action::retry_now && !elapsed(first, now, 1);
    return at_once ? action::retry_later : what;
  }
};
struct none_retries_once : reference_port {
  using reference_port::reference_port;
  int none(action& what) override {
    what = count++ == 0 ? action::retry_now : action::stop_retrying;
    return 0;
  }
};
struct failed_clock_is_later : reference_port {
  using reference_port::reference_port;
  int evaluate(action& what) override {
    if (reference_port::evaluate(what) == 0) return 0;
    what = action::retry_later;
    return 0;
  }
};
struct sticky : reference_port {
  using reference_port::reference_port;
  int evaluate(model::action& what) override {
    if (stopped) {
      what = model::action::stop_retrying;
      return 0;
    }
    int const failed = reference_port::evaluate(what);
    stopped = failed == 0 && what == model::action::stop_retrying;
    return failed;
  }
  void clear() override {
    stopped = false;
    reference_port::clear();
  }
  bool stopped = false;
};
struct reads_twice : reference_port {
  using reference_port::reference_port;
  action decide(std::int64_t) override { return reference_port::decide(world_->get_time()); }
};
struct reads_for_none : reference_port {
  using reference_port::reference_port;
  int none(action& what) override {
    static_cast<void>(world_->get_time());
    return reference_port::none(what);
  }
};

struct zero_is_no_time : reference_port {  // a time that is not set is 0, and -1 is one
  using reference_port::reference_port;
  bool has(std::int64_t time) override { return time != 0; }
  void clear() override {
    reference_port::clear();
    first = last = 0;
  }
};

// ---- State ----

struct reset_keeps_the_count : reference_port {
  using reference_port::reference_port;
  void reset() override {
    auto const kept = count;
    reference_port::reset();
    count = kept;
  }
};
struct reset_keeps_the_start : reference_port {
  using reference_port::reference_port;
  void reset() override {
    auto const kept = first;
    reference_port::reset();
    first = kept;
  }
};
struct reset_is_forgotten : reference_port {
  using reference_port::reference_port;
  void reset() override {}
};
// All instances are the one that was created last: a variable of the file.
std::vector<answer> run_shared(history const& h) {
  std::array<scripted, instances_max> worlds;
  std::vector<answer> answers;
  std::optional<reference_port> one;
  for (auto const& s : h.steps) {
    auto& world = worlds[0];
    world.begin(s);
    if (!one || s.op == create) one.emplace(world);
    answers.push_back(one_answer(*one, world, s));
  }
  return answers;
}

// ---- Options ----

struct wait_is_an_int : reference_port {
  using reference_port::reference_port;
  int set_wait(std::uint32_t value) override { return value > 0x7fff'ffff ? 1 : reference_port::set_wait(value); }
};
struct accepts_no_wait : reference_port {
  using reference_port::reference_port;
  int set_wait(std::uint32_t value) override {
    initial = value;
    return 0;
  }
};
struct accepts_all_jitter : reference_port {
  using reference_port::reference_port;
  int set_jitter(std::uint32_t value) override {
    jitter = value;
    return 0;
  }
};
struct refuses_all_of_it : reference_port {
  using reference_port::reference_port;
  int set_jitter(std::uint32_t value) override { return value == 100 ? 1 : reference_port::set_jitter(value); }
};
struct sets_before_it_checks : reference_port {
  using reference_port::reference_port;
  int set_jitter(std::uint32_t value) override {
    jitter = value;
    return value > 100 ? 1 : 0;
  }
};
struct compares_beginnings : reference_port {  // strncmp with the length of what was given
  using reference_port::reference_port;
  model::option known(std::int64_t name) override {
    return option_names()[0].starts_with(option_names()[static_cast<std::size_t>(name)])
               ? model::option::initial_wait_time_in_secs
               : reference_port::known(name);
  }
};
struct accepts_any_name : reference_port {
  using reference_port::reference_port;
  int unknown() override { return 0; }
};
struct swallows_a_failed_feed : reference_port {
  using reference_port::reference_port;
  int feed_failed() override { return 0; }
};
struct saved_options_are_not_known : reference_port {
  using reference_port::reference_port;
  int set_saved(std::optional<std::uint32_t>, std::optional<std::uint32_t>) override { return 1; }
};
struct feeds_the_wait_alone : reference_port {
  using reference_port::reference_port;
  int set_saved(std::optional<std::uint32_t> new_wait, std::optional<std::uint32_t> new_jitter) override {
    auto const kept = jitter;
    int const failed = reference_port::set_saved(new_wait, new_jitter);
    jitter = kept;
    return failed;
  }
};
struct waits_one_second_first : reference_port {
  using reference_port::reference_port;
  void set_defaults() override {
    reference_port::set_defaults();
    initial = 1;
  }
};
struct waits_five_seconds_first : reference_port {
  using reference_port::reference_port;
  void set_defaults() override {
    reference_port::set_defaults();
    initial = 5;
  }
};
struct no_jitter_by_default : reference_port {
  using reference_port::reference_port;
  void set_defaults() override {
    reference_port::set_defaults();
    jitter = 0;
  }
};
// Saved options lack one.
template <std::size_t Missing>
std::vector<answer> run_without_option(history const& h) {
  auto answers = run<reference_port>(h);
  for (auto& a : answers) {
    if (a[Missing].kind == observed_kind::number) a[Missing] = {observed_kind::not_a_number, 0, {}};
  }
  return answers;
}
struct retrieves_defaults : reference_port {
  using reference_port::reference_port;
  std::optional<options> retrieve() override {
    auto const all = reference_port::retrieve();
    return all ? std::optional(options{all->initial_wait, 5}) : all;
  }
};
struct saves_what_it_can : reference_port {
  using reference_port::reference_port;
  std::optional<options> retrieve() override {
    if (is_null() || world_->fails(fail_option_create)) return std::nullopt;
    return options{initial, jitter};
  }
};

// ---- NULL, memory ----

struct null_succeeds : reference_port {
  using reference_port::reference_port;
  int refused() override { return 0; }
};
struct create_ignores_malloc : reference_port {
  using reference_port::reference_port;
  bool without_memory() override {
    exists = true;
    world_->live += 1;
    return true;
  }
};
struct leaks_on_failure : reference_port {
  using reference_port::reference_port;
  std::optional<options> retrieve() override {
    if (!is_null() && world_->fails(fail_option_add) && !world_->fails(fail_option_create)) ++world_->live;
    return reference_port::retrieve();
  }
};
struct not_allocated : reference_port {  // instances are variables of the file
  using reference_port::reference_port;
  bool create(model::policy which, std::uint32_t limit) {
    bool const made = reference_port::create(which, limit);
    world_->live = 0;
    return made;
  }
  void destroy() override {
    reference_port::destroy();
    world_->live = 0;
  }
};
struct no_instance_for_none : reference_port {  // there is nothing to control
  using reference_port::reference_port;
  bool create(model::policy which, std::uint32_t limit) {
    return which != model::policy::none && reference_port::create(which, limit);
  }
};
struct destroy_leaks : reference_port {
  using reference_port::reference_port;
  void destroy() override {
    if (!is_null()) ++world_->live;
    reference_port::destroy();
  }
};

struct null_has_options : reference_port {
  using reference_port::reference_port;
  std::optional<options> retrieve() override { return is_null() ? options{5, 5} : reference_port::retrieve(); }
};
struct create_leaks_on_failure : reference_port {
  using reference_port::reference_port;
  bool without_memory() override {
    world_->live += 1;
    return false;
  }
};
struct null_is_the_last : reference_port {  // destroys whatever there is
  using reference_port::reference_port;
  void destroy() override {
    if (is_null() && exists) --world_->live;
    reference_port::destroy();
  }
};
struct crash {};  // or an exception in other languages
struct null_reset_fails : reference_port {
  using reference_port::reference_port;
  void reset() override {
    if (is_null()) throw crash{};
    reference_port::reset();
  }
};
struct null_destroy_fails : reference_port {
  using reference_port::reference_port;
  void destroy() override {
    if (is_null()) throw crash{};
    reference_port::destroy();
  }
};
struct throws_on_overflow : reference_port {  // checked arithmetic
  using reference_port::reference_port;
  seconds capped(seconds secs) override {
    if (secs > seconds_max) throw crash{};
    return secs;
  }
};
struct reset_of_nothing_fails : reference_port {
  using reference_port::reference_port;
  void reset() override {
    if (!is_null() && !has(first)) throw crash{};
    reference_port::reset();
  }
};
struct destroys_twice : reference_port {
  using reference_port::reference_port;
  void destroy() override {
    if (!is_null()) throw crash{};
    reference_port::destroy();
  }
};
// Ends where a call fails.
template <class Port>
std::vector<answer> run_up_to_failure(history const& h) {
  std::array<scripted, instances_max> worlds;
  std::array<Port, instances_max> ports{Port(worlds[0]), Port(worlds[1]), Port(worlds[2])};
  std::vector<answer> answers;
  try {
    for (auto const& s : h.steps) {
      worlds[s.on].begin(s);
      answers.push_back(one_answer(ports[s.on], worlds[s.on], s));
    }
  } catch (crash const&) {
    answers.push_back({word(model::status::error)});
  }
  return answers;
}

// ---- is_timeout_reached ----

struct more_than_the_timeout : reference_port {
  using reference_port::reference_port;
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) override {
    int const failed = reference_port::timeout(start, secs, out);
    if (failed == 0 && out) out = elapsed(start, now_again(), secs + 1ULL);
    return failed;
  }
  // What was read, without reading it again.
  std::int64_t now_again() {
    --world_->reads;
    return world_->get_time();
  }
};
struct timeout_without_a_clock : reference_port {  // where the clock fails, it is not reached
  using reference_port::reference_port;
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) override {
    int const failed = reference_port::timeout(start, secs, out);
    return has(start) && !world_->is_null(null_out) ? 0 : failed;
  }
};
struct start_may_be_missing : reference_port {
  using reference_port::reference_port;
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) override {
    if (!has(start) && !world_->is_null(null_out)) {
      out = false;
      return 0;
    }
    return reference_port::timeout(start, secs, out);
  }
};
struct timeout_in_its_result : reference_port {
  using reference_port::reference_port;
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) override {
    int const failed = reference_port::timeout(start, secs, out);
    return failed != 0 ? failed : out ? 1 : 0;
  }
};

built_in wrong(std::string_view name, std::string_view sentence, std::vector<answer> (*run)(history const&),
               std::string_view claim, std::vector<std::string_view> follows = {}, std::size_t steps = 6) {
  return {
      .name = name, .sentence = sentence, .run = run, .claim = claim, .follows = std::move(follows), .steps = steps};
}

}  // namespace

std::span<built_in const> azure_c_retry_control_wrong_ports() {
  constexpr std::string_view exponential = "exponential_wait_doubles";
  constexpr std::string_view linear = "linear_wait_grows_by_the_initial_time";
  constexpr std::string_view jittered = "jitter_lengthens_the_doubled_wait";
  constexpr std::string_view drawn = "random_wait_is_part_of_the_initial_one";
  static std::vector<built_in> const ports{
      wrong("grows-linearly", "grows by the initial wait under every policy", run<grows_linearly>, exponential),
      wrong("grows-with-the-square", "grows with the square of the count", run<grows_with_the_square>, exponential),
      wrong("one-doubling-too-many", "the first exponential wait is doubled", run<one_doubling_too_many>, exponential),
      wrong("counts-from-zero", "calculates the wait before it counts the retry", run<counts_from_zero>, linear,
            {"count-origin=zero"}),
      wrong("wraps", "multiplies in 32 bits", run<wraps>, linear, {"overflow=wraps"}),
      wrong("stops-growing", "doubles five times at most", run<stops_growing>, exponential, {}, 12),
      wrong("never-saturates", "waits longer than 32 bits can say", run<never_saturates>, linear),
      wrong("negative-is-nothing", "a wait beyond an int is over at once", run<negative_is_nothing>, linear),
      wrong("jitter-beyond-the-cap", "adds jitter to a wait that is the longest", run<jitter_beyond_the_cap>, jittered),
      wrong("jitter-gone-when-large", "long waits have no jitter", run<jitter_gone_when_large>, jittered),
      wrong("whole-quotients", "divides integers", run<whole_quotients>, jittered, {"quotients=integer"}),
      wrong("jitter-either-way", "half of the jitter shortens the wait", run<jitter_either_way>, jittered),
      wrong("all-of-it-jitter", "draws the wait from 0 on", run<all_of_it_jitter>, jittered),
      wrong("jitter-compounds", "doubles the jittered wait", run<jitter_compounds>, jittered, {}, 8),
      wrong("drawn-once", "keeps its first random number", run<drawn_once>, "a_wait_draws_once"),
      wrong("draws-twice", "throws a random number away", run<draws_twice>, "a_wait_draws_once"),
      wrong("random-from-one", "waits a second at least", run<random_from_one>, drawn),
      wrong("redrawn-at-each-poll", "draws the wait anew whenever it is asked", run<redrawn_at_each_poll>,
            "asking_again_redraws_nothing"),
      wrong("a-poll-starts-the-wait-again", "waits from the last time it was asked", run<a_poll_starts_the_wait_again>,
            "asking_again_redraws_nothing"),
      wrong("milliseconds", "waits a thousand times too long", run<milliseconds>, linear),
      wrong("no-wait-after-the-first", "sets no wait when it grants the first retry", run<no_wait_after_the_first>,
            "interval_waits_the_initial_time"),
      wrong("interval-of-one", "knows one interval", run<interval_of_one>, "interval_waits_the_initial_time"),
      wrong("unsigned-difference", "subtracts unsigned times", run<unsigned_difference>,
            "clock_going_back_is_too_early", {"clock-backwards=unsigned"}),
      wrong("absolute-difference", "takes the absolute difference of times", run<absolute_difference>,
            "clock_going_back_is_too_early", {"clock-backwards=absolute"}),
      wrong("thirty-two-bits", "subtracts times of 32 bits", run<thirty_two_bits>,
            "timeout_is_reached_once_it_has_passed"),
      wrong("more-than-the-wait", "waits a second too long", run<more_than_the_wait>,
            "interval_waits_the_initial_time"),
      wrong("more-than-the-limit", "stops a second too late", run<more_than_the_limit>, "limit_stops_retrying"),
      wrong("zero-is-a-limit", "stops at once without a limit", run<zero_is_a_limit>,
            "interval_waits_the_initial_time"),
      wrong("limit-from-the-last-retry", "begins the limit anew at each retry", run<limit_from_the_last_retry>,
            "limit_stops_retrying"),
      wrong("limit-of-waits-alone", "does not count the time that operations take", run<limit_of_waits_alone>,
            "limit_stops_retrying"),
      wrong("no-limit", "never stops", run<no_limit>, "limit_stops_retrying"),
      wrong("limit-before-the-first", "looks at the limit before the first retry", run<limit_before_the_first>,
            "first_retry_is_granted_at_once", {"first-call=limit-first"}),
      wrong("first-waits-too", "waits before the first retry", run<first_waits_too>, "first_retry_is_granted_at_once"),
      wrong("immediate-waits", "waits a second under IMMEDIATE", run<immediate_waits>, "immediate_grants_every_retry"),
      wrong("none-retries-once", "retries once under NONE", run<none_retries_once>, "policy_none_stops"),
      wrong("failed-clock-is-later", "answers RETRY_LATER where the clock fails", run<failed_clock_is_later>,
            "failed_clock_fails_the_call"),
      wrong("zero-is-no-time", "takes 0 for a time that is not set", run<zero_is_no_time>, "should_retry_succeeds"),
      wrong("stops-for-good", "asks nothing more after it has stopped", run<sticky>, "failed_clock_fails_the_call",
            {"stop-sticky=sticky"}),
      wrong("reads-twice", "reads the clock twice to decide", run<reads_twice>, "interval_waits_the_initial_time"),
      wrong("reads-for-none", "reads the clock under NONE", run<reads_for_none>, "clock_is_read_where_documented"),
      wrong("reset-keeps-the-count", "goes on counting after a reset", run<reset_keeps_the_count>,
            "should_retry_succeeds"),
      wrong("reset-keeps-the-start", "keeps the time of the first retry over a reset", run<reset_keeps_the_start>,
            "limit_stops_retrying"),
      wrong("reset-is-forgotten", "does nothing at a reset", run<reset_is_forgotten>, "first_retry_is_granted_at_once"),
      wrong("shared", "all instances are one", run_shared, "instances_are_independent"),
      wrong("accepts-no-wait", "takes an initial wait of 0", run<accepts_no_wait>, "bad_option_values_are_refused"),
      wrong("accepts-all-jitter", "takes more than 100 percent", run<accepts_all_jitter>,
            "bad_option_values_are_refused"),
      wrong("wait-is-an-int", "refuses an initial wait beyond an int", run<wait_is_an_int>, "options_can_be_set"),
      wrong("refuses-all-of-it", "refuses 100 percent", run<refuses_all_of_it>, "options_can_be_set"),
      wrong("sets-before-it-checks", "keeps a value that it refuses", run<sets_before_it_checks>,
            "options_are_as_they_were_set"),
      wrong("compares-beginnings", "takes the beginning of a name for it", run<compares_beginnings>,
            "unknown_options_are_refused"),
      wrong("accepts-any-name", "takes every name", run<accepts_any_name>, "unknown_options_are_refused"),
      wrong("swallows-a-failed-feed", "does not report a feed that failed", run<swallows_a_failed_feed>,
            "failed_feed_is_reported"),
      wrong("saved-options-are-not-known", "takes no saved options", run<saved_options_are_not_known>,
            "saved_options_can_be_fed"),
      wrong("feeds-the-wait-alone", "forgets the jitter of saved options", run<feeds_the_wait_alone>,
            "options_are_as_they_were_set"),
      wrong("waits-one-second-first", "has one default for all policies", run<waits_one_second_first>,
            "options_have_the_documented_defaults"),
      wrong("waits-five-seconds-first", "has the default of the others for the exponential policies too",
            run<waits_five_seconds_first>, "options_have_the_documented_defaults"),
      wrong("no-jitter-by-default", "adds no jitter unless it is set", run<no_jitter_by_default>,
            "options_have_the_documented_defaults"),
      wrong("saves-no-wait", "leaves the initial wait out of saved options",
            run_without_option<model::field_initial_wait>, "options_have_the_documented_defaults"),
      wrong("saves-no-jitter", "leaves the jitter out of saved options", run_without_option<model::field_max_jitter>,
            "options_have_the_documented_defaults"),
      wrong("retrieves-defaults", "retrieves the default jitter", run<retrieves_defaults>,
            "options_are_as_they_were_set"),
      wrong("saves-what-it-can", "gives a set that lacks an option", run<saves_what_it_can>,
            "options_that_cannot_be_saved_are_null"),
      wrong("null-succeeds", "returns 0 for NULL", run<null_succeeds>, "null_arguments_are_refused"),
      wrong("null-has-options", "gives options for NULL", run<null_has_options>, "null_arguments_are_refused"),
      wrong("null-reset-fails", "resets what is behind NULL", run_up_to_failure<null_reset_fails>, "no_call_fails"),
      wrong("null-destroy-fails", "destroys what is behind NULL", run_up_to_failure<null_destroy_fails>,
            "no_call_fails"),
      wrong("throws-on-overflow", "a wait beyond 32 bits is an error", run_up_to_failure<throws_on_overflow>,
            "no_call_fails", {"overflow=undefined"}),
      wrong("reset-of-nothing-fails", "crashes at a reset before the first retry",
            run_up_to_failure<reset_of_nothing_fails>, "no_call_fails"),
      wrong("destroys-twice", "crashes where it frees an instance", run_up_to_failure<destroys_twice>, "no_call_fails"),
      wrong("no-instance-for-none", "creates nothing for NONE", run<no_instance_for_none>, "create_gives_an_instance"),
      wrong("not-allocated", "has its instances in variables of the file", run<not_allocated>,
            "an_instance_is_allocated"),
      wrong("null-is-the-last", "destroys an instance that it was not given", run<null_is_the_last>,
            "other_calls_keep_nothing"),
      wrong("create-leaks-on-failure", "keeps what it could not make an instance of", run<create_leaks_on_failure>,
            "other_calls_keep_nothing"),
      wrong("create-ignores-malloc", "creates without memory", run<create_ignores_malloc>,
            "create_without_memory_gives_null"),
      wrong("leaks-on-failure", "keeps a set that it could not fill", run<leaks_on_failure>,
            "other_calls_keep_nothing"),
      wrong("destroy-leaks", "destroys nothing", run<destroy_leaks>, "destroy_frees_everything"),
      wrong("more-than-the-timeout", "a timeout is reached a second too late", run<more_than_the_timeout>,
            "timeout_is_reached_once_it_has_passed"),
      wrong("timeout-without-a-clock", "a clock that fails has not reached the timeout", run<timeout_without_a_clock>,
            "timeout_needs_a_start_and_a_clock"),
      wrong("start-may-be-missing", "begins a timeout at no time", run<start_may_be_missing>,
            "timeout_needs_a_start_and_a_clock"),
      wrong("timeout-in-its-result", "answers by its result", run<timeout_in_its_result>,
            "is_timeout_reached_succeeds"),
  };
  return ports;
}

}  // namespace backoff::systems
