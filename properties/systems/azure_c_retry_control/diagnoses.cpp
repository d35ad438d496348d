// What is probably wrong in a port of retry control: the model, with one thing done otherwise. A port shows no wait, so
// that a wrong one is told by a model that waits as long.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/diagnosis.hpp"
#include "histories/systems.hpp"
#include "judge/explorer.hpp"
#include "systems/azure_c_retry_control/claims.hpp"
#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::systems {
namespace {

namespace model = spec::azure_c_retry_control;
namespace calls = systems::azure_c_calls;
using model::policy;
using spec::admissible;
using spec::admissible_kind;
__extension__ typedef unsigned __int128 u128;
using seconds = std::uint64_t;

constexpr seconds seconds_max = 0xffff'ffff;
constexpr spec::integer for_ever = std::numeric_limits<spec::integer>::max();

// What the wait behind a retry is made of.
struct granted {
  policy under{};
  seconds initial = 0;
  seconds n = 0;  // retries, that one included
  seconds percent = 0;
  seconds draw = 0;
  seconds first_draw = 0;  // of the instance
  seconds most = 1;        // draws lie in [0, most]
  seconds before = 0;      // the wait until then

  [[nodiscard]] bool is_exponential() const {
    return under == policy::exponential_backoff || under == policy::exponential_backoff_with_jitter;
  }
};

// A wait that need not be whole.
struct quotient {
  u128 over = 0;
  u128 under = 1;
};

seconds doubled(seconds initial, seconds times) { return times > 31 ? initial << 32U : initial << times; }
seconds power(seconds base, seconds n) {
  seconds result = 1;
  while (n-- > 0 && result <= seconds_max) result *= base;
  return result;
}

seconds grown(granted const& g) {
  if (g.under == policy::linear_backoff) return g.initial * g.n;
  return g.is_exponential() ? doubled(g.initial, g.n - 1) : g.initial;
}
seconds capped(granted const& g) { return std::min(grown(g), seconds_max); }
quotient jittered(granted const& g, seconds base) {
  if (g.under == policy::random) return {u128{base} * g.draw, g.most};
  if (g.under != policy::exponential_backoff_with_jitter) return {base, 1};
  return {u128{base} * (u128{100} * g.most + u128{g.percent} * g.draw), u128{100} * g.most};
}
quotient documented_wait(granted const& g) { return jittered(g, grown(g)); }
quotient at_most(quotient const& x, seconds most) { return x.over > u128{most} * x.under ? quotient{most, 1} : x; }

spec::integer rounded(quotient const& x, model::wait_rounding how) {
  auto over = x.over;
  if (how == model::wait_rounding::nearest) over += x.under / 2;
  if (how == model::wait_rounding::ceil) over += x.under - 1;
  return static_cast<spec::integer>(over / x.under);
}

// A call of the model, as a change sees it.
struct made {
  step const& call;
  model::state const& before;
  model::state& after;
  model::outcome& outcome;
};

// Whether the call is to fail, for another reason than NULL.
bool fails(made const& m) { return m.outcome.facts.fails && !m.outcome.facts.null_argument; }
admissible word_of(auto which) { return admissible::word(static_cast<std::uint8_t>(which)); }

// One thing that a port does otherwise: what it takes for the call or for its state, what it makes of them, how long it
// waits. A wait is cut to 32 bits unless it says otherwise.
struct change {
  std::function<void(step&, model::state&)> takes{};
  std::function<void(made const&)> makes{};
  std::function<quotient(granted const&)> waits{};
  bool is_cut = true;
  bool learns = true;  // whether the options that it returns are those that it has
};

struct changed_binding {
  struct state {
    model::state at;
    std::optional<seconds> first_draw;
    friend bool operator==(state const&, state const&) noexcept = default;
  };
  using facts = azure_c_retry_control_facts;
  struct outcome {
    spec::expectation answer;
    changed_binding::facts facts;
  };

  std::shared_ptr<change const> changed;

  static histories::shape const& shape() noexcept { return azure_c_retry_control_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw_kind draws) noexcept { return model::assignments(draws); }
  static auto claims() noexcept { return azure_c_retry_control_claims(); }
  static state start(history const&) noexcept { return {}; }
  void observe(state& s, answer const& port) const noexcept {
    auto seen = port;
    if (!changed->learns) seen[model::field_initial_wait] = seen[model::field_max_jitter] = {};
    model::observe(s.at, seen);
  }

  [[nodiscard]] outcome step(history const& h, std::size_t i, state& s, draw_source const& draws,
                             spec::chooser& readings) const noexcept {
    auto call = h.steps[i];
    auto const before = s.at;
    if (changed->takes) changed->takes(call, s.at);
    auto taken = calls::take(call, draws, s.at, readings);
    bool const fails = taken.facts.fails;
    bool const is_granted = call.op == calls::should_retry && taken.facts.may_grant && !fails;
    if (changed->waits && is_granted) {
      wait(call, before, s, draws, readings);
      auto& used = taken.answer[model::field_draws_used];  // another wait may need no draw
      if (used.kind() == admissible_kind::lattice) used = admissible::integers(0, 1, 2);
    }
    if (changed->makes) changed->makes({h.steps[i], before, s.at, taken});
    return {std::move(taken.answer), {taken.facts, false}};
  }

 private:
  void wait(histories::step const& call, model::state const& before, state& s, draw_source const& draws,
            spec::chooser& readings) const noexcept {
    auto& to = s.at.if_granted ? *s.at.if_granted : s.at.at;
    if (s.at.policy == policy::immediate) return;
    bool const is_known =
        s.at.initial_wait.low == s.at.initial_wait.high && s.at.max_jitter.low == s.at.max_jitter.high;
    if (!is_known) {  // what a feed that failed has left is open
      to.wait = {0, for_ever};
      return;
    }
    granted g{s.at.policy, static_cast<seconds>(s.at.initial_wait.low), static_cast<seconds>(to.retry_count)};
    g.percent = static_cast<seconds>(s.at.max_jitter.low);
    g.before = static_cast<seconds>(before.at.wait.low);
    auto const& drawn = call.args[calls::draw_at];
    if (drawn.kind == value_kind::integer && draws.size > 1) {
      g.draw = static_cast<seconds>(drawn.n);
      g.most = draws.kind == spec::draw_kind::unit ? draws.size : draws.size - 1;
    }
    g.first_draw = s.first_draw.value_or(g.draw);
    s.first_draw = g.first_draw;
    auto const x = changed->waits(g);
    auto const how = x.over % x.under == 0 ? model::wait_rounding::truncate
                                           : readings.choose<model::wait_rounding>(model::reading::wait_rounding);
    auto const whole = rounded(at_most(x, changed->is_cut ? seconds_max : seconds{1} << 62U), how);
    to.wait = {whole, whole};
  }
};

class changes {
 public:
  // The claim that tells those that are added from now on.
  void told_by(std::string_view claim) { claim_ = claim; }
  void add(std::string name, std::string sentence, change what) {
    auto const changed = std::make_shared<change const>(std::move(what));
    auto const system = std::make_shared<explorer<changed_binding>>(changed_binding{changed});
    all_.push_back({std::move(name), std::move(sentence),
                    [system, asked = std::make_shared<examiner>(*system)](history const& h, documented& document) {
                      return document.answers(h, *asked);
                    },
                    claim_});
  }
  // Of a policy whose wait grows, for each of them and for those alike.
  void add_growth(std::string const& name, std::string const& sentence, seconds (*grows)(granted const&)) {
    using enum policy;
    auto const under = [&](std::string const& words, std::vector<policy> const& which) {
      add(name, sentence + words, {.waits = [=](granted const& g) {
            return std::ranges::count(which, g.under) == 0 ? documented_wait(g) : jittered(g, grows(g));
          }});
    };
    under("", {linear_backoff, exponential_backoff, exponential_backoff_with_jitter});
    under(" under the exponential policies", {exponential_backoff, exponential_backoff_with_jitter});
    under(" under LINEAR_BACKOFF", {linear_backoff});
    under(" under EXPONENTIAL_BACKOFF", {exponential_backoff});
    under(" under EXPONENTIAL_BACKOFF_WITH_JITTER", {exponential_backoff_with_jitter});
  }
  // Of the waits of one policy.
  void add_under(policy only, std::string const& name, std::string const& sentence, quotient (*waits)(granted const&),
                 bool is_cut = true) {
    auto const words = azure_c_retry_control_shape.operations[calls::create].args[calls::policy_at].words;
    add(name, fmt::format("{} under {}", sentence, words[static_cast<std::size_t>(only)]),
        {.waits =
             [=](granted const& g) { return g.under == only ? waits(g) : at_most(documented_wait(g), seconds_max); },
         .is_cut = is_cut});
  }
  // Of every wait, and of each policy's.
  void add_wait(std::string const& name, std::string const& sentence, quotient (*waits)(granted const&),
                bool is_cut = true) {
    add(name, sentence, {.waits = waits, .is_cut = is_cut});
    for (auto const only : {policy::interval, policy::linear_backoff, policy::exponential_backoff,
                            policy::exponential_backoff_with_jitter, policy::random}) {
      add_under(only, name, sentence, waits, is_cut);
    }
  }
  [[nodiscard]] std::vector<diagnosis> all() && { return std::move(all_); }

 private:
  std::vector<diagnosis> all_;
  std::string_view claim_;
};

// --- waits ---

void add_growths(changes& all) {
  all.add_growth("never-grows", "waits the initial time behind each retry", [](granted const& g) { return g.initial; });
  all.add_growth("linear", "adds the initial time for each retry in place of doubling",
                 [](granted const& g) { return g.initial * g.n; });
  all.add_growth("doubles", "doubles the wait in place of adding the initial time",
                 [](granted const& g) { return doubled(g.initial, g.n - 1); });
  all.add_growth("square", "grows with the square of the count", [](granted const& g) {
    return g.initial * std::min(g.n, seconds{0xffff}) * std::min(g.n, seconds{0xffff});
  });
  all.add_growth("power-of-base", "raises the initial time to a power in place of doubling",
                 [](granted const& g) { return power(g.initial, g.n); });
  all.add_growth("threefold", "triples the wait in place of doubling",
                 [](granted const& g) { return std::min(g.initial * power(3, g.n - 1), seconds{1} << 62U); });
  all.add_growth("adds-a-second", "waits n - 1 seconds longer than the initial time behind retry n",
                 [](granted const& g) { return g.initial + g.n - 1; });
  all.add_growth("adds-a-second", "waits n seconds longer than the initial time behind retry n",
                 [](granted const& g) { return g.initial + g.n; });
  all.add_growth("count-ahead", "counts one retry more than there were", [](granted const& g) {
    auto more = g;
    ++more.n;
    return grown(more);
  });
  all.add_growth("count-behind", "counts one retry less than there were, from the second on", [](granted const& g) {
    auto less = g;
    less.n = std::max(g.n - 1, seconds{1});
    return grown(less);
  });
  all.add_growth("count-from-zero", "counts retries from 0", [](granted const& g) {
    return g.under == policy::linear_backoff ? g.initial * (g.n - 1)
           : g.n == 1                        ? g.initial / 2
                                             : doubled(g.initial, g.n - 2);
  });
  for (seconds const times : std::initializer_list<seconds>{1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 30, 31}) {
    all.add("stops-growing", fmt::format("doubles the wait {} times at most", times), {.waits = [=](granted const& g) {
              return jittered(g, g.is_exponential() ? doubled(g.initial, std::min(g.n - 1, times)) : grown(g));
            }});
  }
}

// Whole seconds that a variable holds otherwise: those of waits that grow, before and behind the jitter; or of all.
void add_cut(changes& all, std::string const& name, std::string const& sentence, u128 (*cut)(u128)) {
  auto const whole = [=](quotient const& x) { return quotient{cut(x.over / x.under), 1}; };
  all.add(name, sentence + ", where it grows", {.waits = [=](granted const& g) {
            if (g.under != policy::linear_backoff && !g.is_exponential()) return documented_wait(g);
            return whole(jittered(g, static_cast<seconds>(cut(grown(g)))));
          }});
  all.add(name, sentence, {.waits = [=](granted const& g) { return whole(documented_wait(g)); }});
}

void add_waits(changes& all) {
  all.add_wait("no-wait", "does not wait", [](granted const&) { return quotient{}; });
  all.add_wait("no-wait-at-first", "does not wait behind the first retry",
               [](granted const& g) { return g.n == 1 ? quotient{} : documented_wait(g); });
  all.add_wait("delay-before", "waits as long as behind the retry before",
               [](granted const& g) { return quotient{g.before, 1}; });
  all.add_wait(
      "one-second-more", "waits a second longer",
      [](granted const& g) {
        auto const x = at_most(documented_wait(g), seconds_max);
        return quotient{x.over + x.under, x.under};
      },
      false);
  all.add_wait("one-second-less", "waits a second less", [](granted const& g) {
    auto const x = documented_wait(g);
    return quotient{x.over > x.under ? x.over - x.under : 0, x.under};
  });
  all.add_wait("never-shorter", "waits a second at least", [](granted const& g) {
    auto const x = documented_wait(g);
    return x.over < x.under ? quotient{1, 1} : x;
  });
  all.add_wait("twice", "waits twice as long", [](granted const& g) {
    auto const x = documented_wait(g);
    return quotient{x.over * 2, x.under};
  });
  all.add_wait("half", "waits half as long", [](granted const& g) {
    auto const x = documented_wait(g);
    return quotient{x.over, x.under * 2};
  });
  all.add_wait("seconds-for-milliseconds", "waits a thousand times as long, as if a unit were mistaken",
               [](granted const& g) {
                 auto const x = documented_wait(g);
                 return quotient{x.over * 1'000, x.under};
               });
  all.add_wait("milliseconds-for-seconds", "waits a thousandth, as if a unit were mistaken", [](granted const& g) {
    auto const x = documented_wait(g);
    return quotient{x.over, x.under * 1'000};
  });
  all.add_wait("never-saturates", "waits longer than 32 bits can say", documented_wait, false);
  add_cut(all, "negative-beyond-i32", "does not wait where a wait does not fit a signed 32-bit integer",
          [](u128 x) { return x > 0x7fff'ffff ? u128{0} : x; });
  add_cut(all, "clamped-to-i32", "never waits longer than a signed 32-bit integer can say",
          [](u128 x) { return std::min<u128>(x, 0x7fff'ffff); });
  add_cut(all, "wait-wraps", "keeps 16 bits of a wait", [](u128 x) { return x % 0x1'0000; });
  add_cut(all, "wait-wraps", "keeps 31 bits of a wait", [](u128 x) { return x % 0x8000'0000; });
  add_cut(all, "wait-wraps", "keeps 32 bits of a wait", [](u128 x) { return x % 0x1'0000'0000; });
  for (seconds const most :
       std::initializer_list<seconds>{1, 5, 10, 20, 30, 60, 120, 180, 300, 600, 900, 1'800, 3'600, 7'200, 86'400}) {
    all.add("never-longer", fmt::format("never waits longer than {} s", most),
            {.waits = [=](granted const& g) { return at_most(documented_wait(g), most); }});
    all.add("initial-is-ignored", fmt::format("does as if the initial wait were {} s", most),
            {.waits = [=](granted const& g) {
              auto other = g;
              other.initial = most;
              return documented_wait(other);
            }});
    all.add("constant-interval", fmt::format("always waits {} s under INTERVAL", most),
            {.waits = [=](granted const& g) {
              return g.under == policy::interval ? quotient{most, 1} : documented_wait(g);
            }});
  }
}

quotient jitter_alone(granted const& g) { return {u128{grown(g)} * g.percent * g.draw, u128{100} * g.most}; }
template <seconds (*waited)(granted const&)>
quotient shortened(granted const& g) {
  return {u128{waited(g)} * (u128{100} * g.most - u128{std::min(g.percent, seconds{100})} * g.draw),
          u128{100} * g.most};
}

void add_jitters(changes& all) {
  auto const of_jitter = [&](char const* name, char const* sentence, quotient (*waits)(granted const&),
                             bool is_cut = true) {
    all.add_under(policy::exponential_backoff_with_jitter, name, sentence, waits, is_cut);
  };
  of_jitter("no-jitter", "adds no jitter", [](granted const& g) { return quotient{grown(g), 1}; });
  of_jitter(
      "jitter-beyond-the-cap", "adds jitter to the longest wait too",
      [](granted const& g) { return jittered(g, capped(g)); }, false);
  of_jitter("full-jitter", "draws the whole wait (full jitter)",
            [](granted const& g) { return quotient{u128{capped(g)} * g.draw, g.most}; });
  of_jitter("equal-jitter", "draws from the upper half of the wait (equal jitter)",
            [](granted const& g) { return quotient{u128{capped(g)} * (u128{g.most} + g.draw), u128{2} * g.most}; });
  of_jitter("jitter-alone", "waits the jitter alone", jitter_alone);
  of_jitter("jitter-alone", "waits the jitter alone where there is any",
            [](granted const& g) { return g.percent == 0 ? documented_wait(g) : jitter_alone(g); });
  of_jitter("jitter-shortens", "takes the jitter from the wait", shortened<grown>);
  of_jitter("jitter-shortens", "takes the jitter from the wait", shortened<capped>);
  of_jitter("jitter-either-way", "lets half of the jitter shorten the wait", [](granted const& g) {
    auto const x = jittered(g, capped(g));
    auto const half = u128{capped(g)} * g.percent * g.most / 2;
    return quotient{x.over > half ? x.over - half : 0, x.under};
  });
  of_jitter("jitter-both-sides", "takes as much jitter from the wait as it adds", [](granted const& g) {
    auto const x = quotient{u128{grown(g)} * (u128{100} * g.most + u128{2} * g.percent * g.draw), u128{100} * g.most};
    auto const most = u128{grown(g)} * g.percent * g.most;
    return quotient{x.over > most ? x.over - most : 0, x.under};
  });
  of_jitter("jitter-in-seconds", "adds up to max_jitter_percent seconds",
            [](granted const& g) { return quotient{u128{grown(g)} * g.most + u128{g.percent} * g.draw, g.most}; });
  of_jitter("all-of-it-jitter", "adds up to the whole wait, whatever max_jitter_percent is",
            [](granted const& g) { return quotient{u128{grown(g)} * (u128{g.most} + g.draw), g.most}; });
  of_jitter("fixed-jitter", "always adds the most jitter",
            [](granted const& g) { return quotient{u128{grown(g)} * (100 + g.percent), 100}; });
  of_jitter("default-jitter", "takes max_jitter_percent for 5", [](granted const& g) {
    auto other = g;
    other.percent = 5;
    return documented_wait(other);
  });
  of_jitter("jitter-in-thousandths", "takes max_jitter_percent for thousandths", [](granted const& g) {
    auto const x = documented_wait(g);
    return quotient{u128{grown(g)} * (u128{1'000} * g.most + u128{g.percent} * g.draw), 10 * x.under};
  });
  of_jitter("jitter-of-the-initial-time", "adds a part of the initial time in place of the doubled one",
            [](granted const& g) {
              return quotient{(u128{capped(g)} * 100 * g.most) + u128{g.initial} * g.percent * g.draw,
                              u128{100} * g.most};
            });
  of_jitter("jitter-is-cut", "adds whole seconds of jitter", [](granted const& g) {
    return quotient{grown(g) + u128{capped(g)} * g.percent * g.draw / (u128{100} * g.most), 1};
  });
  of_jitter("compounds", "doubles the wait with its jitter",
            [](granted const& g) { return jittered(g, g.n == 1 ? g.initial : 2 * g.before); });
  of_jitter("jitter-gone-when-large", "adds no jitter to a wait above 65535 s",
            [](granted const& g) { return grown(g) > 0xffff ? quotient{grown(g), 1} : documented_wait(g); });
  all.add("drawn-once", "draws once and keeps the number", {.waits = [](granted const& g) {
            auto other = g;
            other.draw = g.first_draw;
            return documented_wait(other);
          }});
  auto const draws_twice = [&](std::string const& words, std::vector<policy> const& which) {
    all.add("draws-twice", "draws twice for a wait" + words, {.makes = [which](made const& m) {
              auto& used = m.outcome.answer[model::field_draws_used];
              bool const draws = m.outcome.facts.may_grant && used.kind() == admissible_kind::lattice &&
                                 used.first() + used.count() > 1;
              if (!draws || std::ranges::count(which, m.after.policy) == 0) return;
              bool const is_open = m.outcome.facts.may_wait || m.outcome.facts.fails;
              used = is_open ? admissible::integers(0, 1, 3) : admissible::exactly(2);
            }});
  };
  draws_twice("", {policy::random, policy::exponential_backoff_with_jitter});
  draws_twice(" under RANDOM", {policy::random});
  draws_twice(" under EXPONENTIAL_BACKOFF_WITH_JITTER", {policy::exponential_backoff_with_jitter});
  auto const anew = [&](std::string const& words, std::vector<policy> const& which) {
    auto const are = [which](policy is) { return std::ranges::count(which, is) != 0; };
    all.add("redrawn", "draws the wait anew whenever it is asked" + words,
            {.takes =
                 [are](step& call, model::state& s) {
                   bool const asks = call.op == calls::should_retry && are(s.policy) && s.at.retry_count > 0;
                   if (!asks || call.args[calls::draw_at].kind != value_kind::integer) return;
                   if (s.initial_wait.low != s.initial_wait.high || s.max_jitter.low != s.max_jitter.high) {
                     s.at.wait = {0, for_ever};
                     return;
                   }
                   granted g{s.policy, static_cast<seconds>(s.initial_wait.low), static_cast<seconds>(s.at.retry_count),
                             static_cast<seconds>(s.max_jitter.low)};
                   g.draw = static_cast<seconds>(call.args[calls::draw_at].n);
                   g.most = 0xffff'ffffU;
                   auto const whole = rounded(at_most(documented_wait(g), seconds_max), model::wait_rounding::truncate);
                   s.at.wait = {whole, whole};
                 },
             .makes =
                 [are](made const& m) {
                   auto& used = m.outcome.answer[model::field_draws_used];
                   bool const asks = m.call.op == calls::should_retry && are(m.before.policy);
                   if (asks && used.kind() == admissible_kind::lattice) used = admissible::integers(0, 1, 3);
                 }});
  };
  anew("", {policy::random, policy::exponential_backoff_with_jitter});
  anew(" under RANDOM", {policy::random});
  anew(" under EXPONENTIAL_BACKOFF_WITH_JITTER", {policy::exponential_backoff_with_jitter});
  anew(", and computes waits without a draw anew too",
       {policy::interval, policy::linear_backoff, policy::exponential_backoff, policy::random,
        policy::exponential_backoff_with_jitter});
  auto const of_random = [&](char const* name, char const* sentence, quotient (*waits)(granted const&)) {
    all.add_under(policy::random, name, sentence, waits);
  };
  of_random("no-jitter", "waits the whole initial time", [](granted const& g) { return quotient{g.initial, 1}; });
  of_random("equal-jitter", "draws from the upper half of the initial time",
            [](granted const& g) { return quotient{u128{g.initial} * (u128{g.most} + g.draw), u128{2} * g.most}; });
  of_random("window-and-jitter", "adds the initial time to what it draws",
            [](granted const& g) { return quotient{u128{g.initial} * (u128{g.most} + g.draw), g.most}; });
  of_random("grows", "draws from a window that doubles", [](granted const& g) {
    return quotient{u128{std::min(doubled(g.initial, g.n - 1), seconds_max)} * g.draw, g.most};
  });
  of_random("never-draws-0", "draws from 1 s to the initial time", [](granted const& g) {
    return quotient{u128{g.initial == 0 ? 0 : g.initial - 1} * g.draw + g.most, g.most};
  });
  of_random("never-draws-0", "adds a second to what it draws, up to the initial time",
            [](granted const& g) { return at_most(quotient{u128{g.initial} * g.draw + g.most, g.most}, g.initial); });
  of_random("grows", "draws from a window that doubles",
            [](granted const& g) { return quotient{u128{doubled(g.initial, g.n - 1)} * g.draw, g.most}; });
  of_random("jitter-mirrored", "counts the draw from the other end",
            [](granted const& g) { return quotient{u128{g.initial} * (g.most - g.draw), g.most}; });
}

// --- limits and clocks ---

void add_limits(changes& all) {
  all.told_by("limit_stops_retrying");
  auto const limit = [&](std::string name, std::string sentence, std::int64_t (*of)(std::int64_t)) {
    all.add(std::move(name), std::move(sentence), {.takes = [=](step& call, model::state&) {
              if (call.op == calls::create) call.args[calls::limit_at].n = of(call.args[calls::limit_at].n);
            }});
  };
  limit("never-gives-up", "never stops", [](std::int64_t) { return std::int64_t{0}; });
  limit("limit-late", "stops only when more than max_retry_time_in_secs has passed",
        [](std::int64_t n) { return n == 0 ? 0 : n + 1; });
  limit("limit-early", "stops a second too early", [](std::int64_t n) { return n == 0 ? 0 : n - 1; });
  limit("limit-in-milliseconds", "takes max_retry_time_in_secs for milliseconds",
        [](std::int64_t n) { return n / 1'000; });
  limit("limit-thousandfold", "takes a thousand times max_retry_time_in_secs",
        [](std::int64_t n) { return n * 1'000; });
  for (int const bits : {16, 31}) {
    all.add("limit-wraps", fmt::format("keeps max_retry_time_in_secs in {} bits", bits),
            {.takes = [=](step& call, model::state&) {
              if (call.op == calls::create) call.args[calls::limit_at].n %= std::int64_t{1} << bits;
            }});
  }
  all.add("limit-from-the-last-retry", "begins max_retry_time_in_secs anew at each retry",
          {.takes = [](step& call, model::state& s) {
            if (call.op == calls::should_retry && s.at.last_retry_time) s.at.first_retry_time = s.at.last_retry_time;
          }});
  all.add(
      "limit-ignores-a-policy", "has no limit under IMMEDIATE", {.takes = [](step& call, model::state&) {
        if (call.op == calls::create && call.args[calls::policy_at].n == static_cast<std::int64_t>(policy::immediate))
          call.args[calls::limit_at].n = 0;
      }});
  all.told_by({});
  all.add("waits-from-the-first-retry", "counts each wait from the first retry, not from the last",
          {.takes = [](step& call, model::state& s) {
            if (call.op == calls::should_retry && s.at.last_retry_time) s.at.last_retry_time = s.at.first_retry_time;
          }});
  all.add("counts-calls", "counts calls that it answers RETRY_LATER as retries", {.makes = [](made const& m) {
            bool const may_wait =
                m.call.op == calls::should_retry && m.outcome.facts.may_wait && !m.outcome.facts.fails;
            if (may_wait) ++m.after.at.retry_count;
          }});
  all.add(
      "limit-includes-the-wait", "counts the wait towards max_retry_time_in_secs",
      {.takes =
           [](step& call, model::state& s) {
             bool const waits = call.op == calls::should_retry && s.at.retry_count > 0;
             bool const is_limited = s.max_retry_time > 0 && s.max_retry_time != for_ever;
             if (!waits || !is_limited || s.at.wait.low != s.at.wait.high) return;
             auto const left = s.max_retry_time - s.at.wait.low;
             s.max_retry_time = left > 0 ? left : -1;
           },
       .makes =
           [](made const& m) { m.after.max_retry_time = std::max(m.before.max_retry_time, m.after.max_retry_time); }});
  all.add(
      "option-ends-the-wait", "takes a new initial wait for the one that it is waiting", {.makes = [](made const& m) {
        bool const is_set = m.call.op == calls::set_option && !m.outcome.facts.fails && !m.outcome.facts.null_argument;
        if (is_set && !(m.after.initial_wait == m.before.initial_wait)) m.after.at.wait = m.after.initial_wait;
      }});
  all.told_by("asking_again_redraws_nothing");
  all.add("poll-starts-the-wait-again", "waits from the last time it was asked", {.makes = [](made const& m) {
            bool const may_wait = m.call.op == calls::should_retry && m.outcome.facts.may_wait;
            if (may_wait) m.after.at.last_retry_time = m.call.args[calls::clock_at].n;
          }});
  all.told_by("limit_stops_retrying");
  // A limit of less than no time is over whenever the clock has not gone back.
  all.add("zero-is-a-limit", "takes a max_retry_time_in_secs of 0 for a limit",
          {.takes = [](step& call, model::state& s) {
            bool const asks = call.op == calls::should_retry && call.args[calls::clock_at].n != -1;
            bool const has_none = s.exists && (s.max_retry_time <= 0 || s.max_retry_time == for_ever);
            if (!asks || !has_none) return;
            bool const is_back = s.at.first_retry_time && call.args[calls::clock_at].n < *s.at.first_retry_time;
            s.max_retry_time = is_back ? for_ever : -1;
          }});
  // Differences of times as 32 bits hold them: each time is moved to where its difference from now is that.
  all.told_by("timeout_is_reached_once_it_has_passed");
  all.add("times-in-32-bits", "keeps 32 bits of the difference of times",
          {.takes =
               [](step& call, model::state& s) {
                 bool const is_timeout = call.op == calls::is_timeout_reached;
                 if (!is_timeout && call.op != calls::should_retry) return;
                 auto const now = call.args[is_timeout ? calls::timeout_clock_at : calls::clock_at].n;
                 auto const nearer = [&](spec::integer since) {
                   spec::integer secs{};
                   if (since == -1 || now < since || __builtin_sub_overflow(now, since, &secs)) return since;
                   return now - secs % (spec::integer{1} << 32U);
                 };
                 if (is_timeout) {
                   call.args[calls::start_at].n = nearer(call.args[calls::start_at].n);
                   return;
                 }
                 for (auto* time : {&s.at.first_retry_time, &s.at.last_retry_time}) {
                   if (*time) *time = nearer(**time);
                 }
               },
           .makes =
               [](made const& m) {
                 if (m.call.op != calls::should_retry) return;
                 for (auto* at : {&m.after.at, m.after.if_granted ? &*m.after.if_granted : &m.after.at}) {
                   if (m.before.at.first_retry_time) at->first_retry_time = m.before.at.first_retry_time;
                 }
                 if (!m.outcome.facts.may_grant) m.after.at.last_retry_time = m.before.at.last_retry_time;
               }});
  for (auto const& [bits, sentence] : {std::pair{32, "keeps the difference of times in 32 bits without a sign"},
                                       {63, "takes a negative difference of times for a large one"}}) {
    all.add("timeout-without-a-sign", fmt::format("{} at a timeout", sentence),
            {.takes = [bits](step& call, model::state&) {
              auto& start = call.args[calls::start_at].n;
              auto& now = call.args[calls::timeout_clock_at].n;
              if (call.op != calls::is_timeout_reached || start == -1 || now == -1) return;
              auto const difference = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(start);
              start = 0;
              now = static_cast<spec::integer>(difference & ((std::uint64_t{1} << bits) - 1));
            }});
  }
  all.add("timeout-late", "reaches a timeout only when more has passed", {.takes = [](step& call, model::state&) {
            if (call.op == calls::is_timeout_reached) ++call.args[calls::timeout_at].n;
          }});
  all.add("timeout-never", "never reaches a timeout", {.makes = [](made const& m) {
            if (m.call.op == calls::is_timeout_reached && !m.outcome.facts.fails)
              m.outcome.answer[model::field_timed_out] = admissible::word(0);
          }});
  all.add(
      "timeout-inverted", "tells a timeout that is reached from one that is not the wrong way round",
      {.makes = [](made const& m) {
        auto& out = m.outcome.answer[model::field_timed_out];
        if (m.call.op == calls::is_timeout_reached && !m.outcome.facts.fails && out.kind() == admissible_kind::keyword)
          out = admissible::word(static_cast<std::uint8_t>(1 - out.word()));
      }});
  all.add("timeout-in-its-result", "returns 1 where the timeout is reached", {.makes = [](made const& m) {
            auto const& out = m.outcome.answer[model::field_timed_out];
            bool const reached =
                m.call.op == calls::is_timeout_reached && !m.outcome.facts.fails && out == admissible::word(1);
            if (!reached) return;
            m.outcome.answer[model::field_result] = admissible::exactly(1);
            m.outcome.answer[model::field_timed_out] = admissible::unjudged();
          }});
}

// --- resets ---

void add_resets(changes& all) {
  all.told_by("reset_starts_a_fresh_cycle");
  auto const keeps = [&](std::string name, std::string sentence, void (*restore)(model::state const&, model::state&)) {
    all.add(std::move(name), std::move(sentence), {.makes = [=](made const& m) {
              if (m.call.op == calls::reset && !m.outcome.facts.null_argument) restore(m.before, m.after);
            }});
  };
  keeps("reset-does-nothing", "does nothing at a reset", [](model::state const& b, model::state& a) {
    a.at = b.at;
    a.stopped = b.stopped;
  });
  keeps("reset-keeps-the-count", "goes on counting after a reset",
        [](model::state const& b, model::state& a) { a.at.retry_count = b.at.retry_count; });
  keeps("reset-keeps-the-start", "keeps the time of the first retry over a reset",
        [](model::state const& b, model::state& a) { a.at.first_retry_time = b.at.first_retry_time; });
  keeps("reset-keeps-the-last", "keeps the time of the last retry over a reset",
        [](model::state const& b, model::state& a) { a.at.last_retry_time = b.at.last_retry_time; });
  keeps("reset-keeps-the-times", "keeps the times of the first and the last retry over a reset",
        [](model::state const& b, model::state& a) {
          a.at.first_retry_time = b.at.first_retry_time;
          a.at.last_retry_time = b.at.last_retry_time;
        });
  keeps("reset-of-the-start-alone", "forgets the time of the first retry alone at a reset",
        [](model::state const& b, model::state& a) {
          a.at = b.at;
          a.at.first_retry_time.reset();
        });
}

// --- options ---

using option = model::option;
bool is_fed(made const& m) {
  bool const saved = m.call.op == calls::set_option && calls::option_of(m.call) == option::retry_control_options;
  return saved && !m.outcome.facts.null_argument;
}

void add_options(changes& all) {
  all.told_by("options_have_the_documented_defaults");
  auto const defaults = [&](std::string name, std::string sentence, void (*of)(model::state&)) {
    all.add(std::move(name), std::move(sentence), {.makes = [=](made const& m) {
              if (m.call.op == calls::create) of(m.after);
            }});
  };
  for (auto const& [text, n] : {std::pair{"0", 0}, {"1", 1}, {"5", 5}, {"10", 10}, {"30", 30}, {"60", 60}}) {
    all.add("default-wait", fmt::format("has a default initial wait of {} s under all policies", text),
            {.makes = [n](made const& m) {
              if (m.call.op == calls::create) m.after.initial_wait = {n, n};
            }});
    all.add("default-jitter", fmt::format("has a default jitter of {} percent", text), {.makes = [n](made const& m) {
              if (m.call.op == calls::create) m.after.max_jitter = {n, n};
            }});
  }
  defaults("defaults-swapped", "has the default initial waits the wrong way round", [](model::state& s) {
    auto const n = s.initial_wait.low == 1 ? 5 : 1;
    s.initial_wait = {n, n};
  });

  // What set_option makes of some values, also of saved ones: whether it accepts them, and whether it keeps them.
  struct values {
    option which;
    bool (*are)(spec::integer);
    bool accepts;
    bool keeps;
    bool alone = true;  // set by its own name
    bool saved = true;  // set as part of saved options
    // The one that is given; nullptr: none of these is.
    [[nodiscard]] value* among(step& s) const {
      if (s.op != calls::set_option) return nullptr;
      auto const is = calls::option_of(s);
      auto const at = which == option::initial_wait_time_in_secs ? calls::saved_wait_at : calls::saved_jitter_at;
      auto* v = alone && is == which                           ? &s.args[calls::number_at]
                : saved && is == option::retry_control_options ? &s.args[at]
                                                               : nullptr;
      return v != nullptr && v->kind == value_kind::integer && are(v->n) ? v : nullptr;
    }
  };
  auto const sets_some = [&](std::string name, std::string sentence, values of) {
    bool const is_wait = of.which == option::initial_wait_time_in_secs;
    all.add(std::move(name), std::move(sentence),
            {.takes =  // as a value that is good, or bad
             [=](step& call, model::state&) {
               if (auto* v = of.among(call)) v->n = of.accepts ? 1 : is_wait ? 0 : 101;
             },
             .makes =
                 [=](made const& m) {
                   auto call = m.call;
                   auto const* v = of.among(call);
                   if (v == nullptr || m.outcome.facts.null_argument || (!of.accepts && !of.keeps)) return;
                   auto const& kept = is_wait ? m.before.initial_wait : m.before.max_jitter;
                   auto& now = is_wait ? m.after.initial_wait : m.after.max_jitter;
                   now = of.keeps ? model::values{v->n, v->n} : kept;
                   bool const is_open = of.accepts && of.keeps && m.outcome.facts.fails;  // a feed, by another option
                   if (is_open) now = {std::min(v->n, kept.low), std::max(v->n, kept.high)};
                 }});
  };
  auto const sets = [&](std::string const& name, std::string const& sentence, values of) {
    sets_some(name, sentence, of);
    of.saved = false;
    sets_some(name, sentence + ", but not in saved options", of);
    std::swap(of.alone, of.saved);
    sets_some(name, sentence + " in saved options", of);
  };
  constexpr auto wait = option::initial_wait_time_in_secs;
  constexpr auto jitter = option::max_jitter_percent;
  constexpr auto is_0 = [](spec::integer n) { return n == 0; };
  constexpr auto some = [](spec::integer n) { return n != 0; };
  constexpr auto is_100 = [](spec::integer n) { return n == 100; };
  constexpr auto over_100 = [](spec::integer n) { return n > 100; };
  constexpr auto over_int = [](spec::integer n) { return n > 0x7fff'ffff; };
  constexpr auto any = [](spec::integer) { return true; };
  constexpr auto up_to_100 = [](spec::integer n) { return n <= 100; };
  all.told_by("bad_option_values_are_refused");
  sets("accepts-no-wait", "accepts an initial wait of 0", {wait, is_0, true, true});
  sets("ignores-no-wait", "returns 0 for an initial wait of 0 and ignores it", {wait, is_0, true, false});
  sets("keeps-what-it-refuses", "keeps an initial wait of 0 although it refuses it", {wait, is_0, false, true});
  sets("accepts-all-jitter", "accepts more than 100 percent of jitter", {jitter, over_100, true, true});
  sets("ignores-much-jitter", "returns 0 for more than 100 percent of jitter and ignores it",
       {jitter, over_100, true, false});
  sets("keeps-what-it-refuses", "keeps more than 100 percent of jitter although it refuses it",
       {jitter, over_100, false, true});
  all.told_by("options_can_be_set");
  sets("refuses-all-of-it", "refuses a jitter of 100 percent", {jitter, is_100, false, false});
  sets("refuses-no-jitter", "refuses a jitter of 0 percent", {jitter, is_0, false, false});
  sets("wait-is-an-int", "refuses an initial wait that does not fit a signed 32-bit integer",
       {wait, over_int, false, false});
  sets("wait-cannot-be-set", "refuses every initial wait", {wait, any, false, false});
  sets("jitter-cannot-be-set", "refuses every jitter", {jitter, any, false, false});
  all.told_by("options_are_as_they_were_set");
  sets_some("wait-is-not-kept", "returns 0 for an initial wait and ignores it", {wait, some, true, false});
  sets_some("jitter-is-not-kept", "returns 0 for a jitter and ignores it", {jitter, up_to_100, true, false});
  all.add("options-swapped", "takes one option for the other", {.takes = [](step& call, model::state&) {
            if (call.op != calls::set_option) return;
            auto& name = call.args[calls::name_at].n;
            auto const is = calls::option_of(call);
            if (is == option::initial_wait_time_in_secs || is == option::max_jitter_percent)
              name = is == option::initial_wait_time_in_secs ? 1 : 0;
          }});
  auto const feeds = [&](std::string name, std::string sentence, bool wait_too, bool jitter_too) {
    all.add(std::move(name), std::move(sentence), {.makes = [=](made const& m) {
              if (!is_fed(m)) return;
              if (!wait_too) m.after.initial_wait = m.before.initial_wait;
              if (!jitter_too) m.after.max_jitter = m.before.max_jitter;
            }});
  };
  feeds("feeds-the-wait-alone", "forgets the jitter of saved options", true, false);
  feeds("feeds-the-jitter-alone", "forgets the initial wait of saved options", false, true);
  feeds("feeds-nothing", "ignores saved options", false, false);
  auto const result = [&](std::string name, std::string sentence, bool (*is_meant)(made const&),
                          admissible const& what) {
    all.add(std::move(name), std::move(sentence), {.makes = [=](made const& m) {
              if (is_meant(m)) m.outcome.answer[model::field_result] = what;
            }});
  };
  constexpr auto fed_in_vain = [](made const& m) {
    if (is_fed(m)) {
      m.after.initial_wait = m.before.initial_wait;
      m.after.max_jitter = m.before.max_jitter;
    }
    return is_fed(m);
  };
  result("saved-options-are-not-known", "refuses saved options", fed_in_vain, admissible::not_zero());
  result("feeds-nothing", "ignores saved options, good or bad", fed_in_vain, admissible::exactly(0));
  result(
      "swallows-a-failed-feed", "returns 0 where saved options cannot be fed",
      [](made const& m) { return is_fed(m) && (calls::fails_of(m.call) & calls::fail_option_feed) != 0; },
      admissible::exactly(0));
  result(
      "accepts-any-name", "accepts every name of an option",
      [](made const& m) {
        return m.call.op == calls::set_option && !m.outcome.facts.null_argument &&
               calls::option_of(m.call) == option::unsupported;
      },
      admissible::exactly(0));
  result(
      "null-succeeds", "returns 0 for NULL",
      [](made const& m) {
        return m.outcome.facts.null_argument &&
               m.outcome.answer[model::field_result].kind() == admissible_kind::not_zero;
      },
      admissible::exactly(0));

  auto const saved = [&](std::string name, std::string sentence, model::field which, std::optional<spec::integer> n) {
    all.add(std::move(name), std::move(sentence),
            {.makes =
                 [=](made const& m) {
                   auto& out = m.outcome.answer[which];
                   if (m.call.op == calls::retrieve_options && !m.outcome.facts.fails)
                     out = n ? admissible::exactly(*n) : admissible::not_finite();
                 },
             .learns = false});
  };
  saved("saves-no-wait", "leaves the initial wait out of what it saves", model::field_initial_wait, {});
  saved("saves-no-jitter", "leaves the jitter out of what it saves", model::field_max_jitter, {});
  saved("saves-the-default-jitter", "saves a jitter of 5 percent, whatever it is", model::field_max_jitter, 5);
  all.add("saves-what-it-can", "saves what it can where not all can be saved", {.makes = [](made const& m) {
            bool const partly = m.call.op == calls::retrieve_options && fails(m) &&
                                (calls::fails_of(m.call) & calls::fail_option_create) == 0;
            if (!partly) return;
            for (auto const field : {model::field_initial_wait, model::field_max_jitter})
              m.outcome.answer[field] = admissible::unjudged();
          }});
}

// --- what a call keeps, and where it breaks ---

// Some of the calls, in words.
struct some_calls {
  std::string words;
  std::function<bool(made const&)> are;
};

std::vector<some_calls> kinds_of_calls() {
  std::vector<some_calls> all;
  auto const operations = azure_c_retry_control_shape.operations;
  for (std::uint8_t op = 0; op < operations.size(); ++op) {
    std::string const name(operations[op].name);
    auto const add = [&](std::string const& words, bool (*are)(made const&)) {
      all.push_back({name + words, [=](made const& m) { return m.call.op == op && are(m); }});
    };
    add("", [](made const&) { return true; });
    add(" where it succeeds", [](made const& m) { return !m.outcome.facts.fails && !m.outcome.facts.null_argument; });
    add(" where it fails", fails);
    add(" of NULL", [](made const& m) { return (calls::nulls_of(m.call) & calls::null_handle) != 0; });
    add(" of an instance", [](made const& m) { return (calls::nulls_of(m.call) & calls::null_handle) == 0; });
    add(" where OptionHandler_AddOption fails",
        [](made const& m) { return fails(m) && calls::fails_of(m.call) == calls::fail_option_add; });
    add(" where OptionHandler_Create fails", [](made const& m) {
      return m.outcome.facts.fails && (calls::fails_of(m.call) & calls::fail_option_create) != 0;
    });
    add(" before the first retry", [](made const& m) {
      return m.before.exists && !m.outcome.facts.null_argument && !m.before.at.first_retry_time;
    });
  }
  return all;
}

void add_failures(changes& all) {
  all.told_by({});
  for (auto const& some : kinds_of_calls()) {
    all.add("breaks", "breaks at " + some.words, {.makes = [are = some.are](made const& m) {
              if (!are(m)) return;
              m.outcome.answer = {};
              m.outcome.answer[model::field_status] = word_of(model::status::error);
            }});
    all.add("leaks", "does not free memory at " + some.words, {.makes = [are = some.are](made const& m) {
              if (!are(m)) return;
              constexpr spec::integer most = 1'000'000;
              auto const least = m.after.live.low + 1;
              m.outcome.answer[model::field_live] = admissible::integers(least, 1, most);
              m.after.live = {least, least + most - 1};
            }});
  }
  all.add("not-allocated", "allocates nothing", {.makes = [](made const& m) {
            m.outcome.answer[model::field_live] = admissible::exactly(0);
            m.after.live = {0, 0};
          }});
  all.add("create-ignores-malloc", "returns an instance where malloc fails", {.makes = [](made const& m) {
            if (m.call.op != calls::create || !m.outcome.facts.fails) return;
            m.after.exists = true;
            m.after.live = {1, static_cast<spec::integer>(seconds_max)};
            m.outcome.answer[model::field_status] = word_of(model::status::ok);
            m.outcome.answer[model::field_live] = admissible::unjudged();
          }});
  auto const policies = azure_c_retry_control_shape.operations[calls::create].args[calls::policy_at].words;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    all.add("no-instance", fmt::format("creates nothing for {}", policies[i]), {.makes = [i](made const& m) {
              if (m.call.op != calls::create || m.after.policy != static_cast<policy>(i)) return;
              m.after.exists = false;
              m.after.live = {0, 0};
              m.outcome.answer[model::field_status] = word_of(model::status::null);
              m.outcome.answer[model::field_live] = admissible::exactly(0);
            }});
  }
  all.add("null-has-options", "returns options for NULL",
          {.makes =
               [](made const& m) {
                 if (m.call.op != calls::retrieve_options || !m.outcome.facts.null_argument) return;
                 for (auto const field : {model::field_initial_wait, model::field_max_jitter})
                   m.outcome.answer[field] = admissible::unjudged();
               },
           .learns = false});
  all.add("none-retries-once", "retries once under NONE", {.makes = [](made const& m) {
            bool const asks = m.call.op == calls::should_retry && m.after.policy == policy::none;
            if (!asks || m.outcome.facts.null_argument || m.after.at.retry_count != 0) return;
            m.after.at.retry_count = 1;
            m.outcome.answer[model::field_action] = word_of(model::action::retry_now);
          }});
  all.add("reads-for-none", "reads the clock under NONE", {.makes = [](made const& m) {
            bool const asks = m.call.op == calls::should_retry && m.after.policy == policy::none;
            if (asks && !m.outcome.facts.null_argument)
              m.outcome.answer[model::field_clock_reads] = admissible::integers(1, 1, 3);
          }});
  all.told_by("clock_is_read_where_documented");
  all.add("another-clock", "reads another clock than get_time()", {.makes = [](made const& m) {
            auto& reads = m.outcome.answer[model::field_clock_reads];
            if (reads.kind() == admissible_kind::lattice) reads = admissible::exactly(0);
          }});
  for (auto const what : {model::action::retry_now, model::action::retry_later, model::action::stop_retrying}) {
    auto const words = azure_c_retry_control_shape.answers[model::field_action].words;
    all.told_by("failed_clock_fails_the_call");
    all.add("failed-clock", fmt::format("answers {} where the clock fails", words[static_cast<std::size_t>(what)]),
            {.makes = [what](made const& m) {
              bool const failed = m.call.op == calls::should_retry && fails(m);
              if (!failed || m.outcome.facts.may_grant) return;
              m.outcome.answer[model::field_result] = admissible::exactly(0);
              m.outcome.answer[model::field_action] = word_of(what);
            }});
    all.told_by("first_retry_is_granted_at_once");
    all.add("first-retry", fmt::format("answers {} at the first call", words[static_cast<std::size_t>(what)]),
            {.makes = [what](made const& m) {
              bool const first = m.call.op == calls::should_retry && m.outcome.facts.first && m.outcome.facts.may_grant;
              if (first) m.outcome.answer[model::field_action] = word_of(what);
            }});
  }
  all.told_by("timeout_needs_a_start_and_a_clock");
  for (bool const reached : {false, true}) {
    auto const text = reached ? "reached" : "not reached";
    auto const succeeds = [=](bool (*where)(made const&)) {
      return [=](made const& m) {
        bool const failed = m.call.op == calls::is_timeout_reached && fails(m);
        if (!failed || !where(m)) return;
        m.outcome.answer[model::field_result] = admissible::exactly(0);
        m.outcome.answer[model::field_timed_out] = admissible::word(reached ? 1 : 0);
      };
    };
    constexpr auto has_start = [](made const& m) { return m.call.args[calls::start_at].n != -1; };
    constexpr auto has_none = [](made const& m) { return m.call.args[calls::start_at].n == -1; };
    all.add("timeout-without-a-clock", fmt::format("answers {} for a timeout where the clock fails", text),
            {.makes = succeeds(has_start)});
    all.add("timeout-without-a-start", fmt::format("answers {} for a timeout without a start", text),
            {.makes = succeeds(has_none)});
  }
}

}  // namespace

std::vector<diagnosis> azure_c_retry_control_diagnoses() {
  changes all;
  add_growths(all);
  add_waits(all);
  add_jitters(all);
  add_limits(all);
  add_resets(all);
  add_options(all);
  add_failures(all);
  return std::move(all).all();
}

}  // namespace backoff::systems
