// Faults of the wait behind a retry: how it grows, its unit, the variable that holds it, its random part.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "histories/systems.hpp"
#include "systems/azure_c_retry_control/diagnoses_change.hpp"

namespace backoff::systems::azure_c_diagnoses {
namespace {

using enum policy;

seconds power(seconds base, seconds n) {
  seconds result = 1;
  while (n-- > 0 && result <= seconds_max) result *= base;
  return result;
}
seconds capped(granted const& g) { return std::min(grown(g), seconds_max); }
quotient less(quotient const& x, u128 over) { return {x.over > over ? x.over - over : 0, x.under}; }
granted with(granted g, seconds granted::* what, seconds value) {
  g.*what = value;
  return g;
}

struct some_policies {
  std::string words;
  std::vector<policy> are;
  [[nodiscard]] bool have(policy which) const { return std::ranges::count(are, which) != 0; }
};
some_policies const drawn_ones[] = {
    {"", {random, exponential_backoff_with_jitter}},
    {" under RANDOM", {random}},
    {" under EXPONENTIAL_BACKOFF_WITH_JITTER", {exponential_backoff_with_jitter}},
};

// --- growth ---

// Of a policy whose wait grows, for each of them and for those alike.
void add_growth(changes& all, std::string const& name, std::string const& sentence, seconds (*grows)(granted const&)) {
  for (auto const& some : std::initializer_list<some_policies>{
           {"", {linear_backoff, exponential_backoff, exponential_backoff_with_jitter}},
           {" under the exponential policies", {exponential_backoff, exponential_backoff_with_jitter}},
           {" under LINEAR_BACKOFF", {linear_backoff}},
           {" under EXPONENTIAL_BACKOFF", {exponential_backoff}},
           {" under EXPONENTIAL_BACKOFF_WITH_JITTER", {exponential_backoff_with_jitter}}}) {
    all.add(name, sentence + some.words, {.waits = [some, grows](granted const& g) {
              return some.have(g.under) ? jittered(g, grows(g)) : documented_wait(g);
            }});
  }
}

void add_growths(changes& all) {
  add_growth(all, "never-grows", "waits the initial time behind each retry",
             [](granted const& g) { return g.initial; });
  add_growth(all, "linear", "adds the initial time for each retry instead of doubling",
             [](granted const& g) { return g.initial * g.n; });
  add_growth(all, "doubles", "doubles the wait instead of adding the initial time",
             [](granted const& g) { return doubled(g.initial, g.n - 1); });
  add_growth(all, "square", "grows with the square of the count", [](granted const& g) {
    return g.initial * std::min(g.n, seconds{0xffff}) * std::min(g.n, seconds{0xffff});
  });
  add_growth(all, "power-of-base", "raises the initial time to a power instead of doubling",
             [](granted const& g) { return power(g.initial, g.n); });
  add_growth(all, "threefold", "triples the wait instead of doubling",
             [](granted const& g) { return std::min(g.initial * power(3, g.n - 1), seconds{1} << 62U); });
  add_growth(all, "adds-a-second", "waits n - 1 seconds longer than the initial time behind retry n",
             [](granted const& g) { return g.initial + g.n - 1; });
  add_growth(all, "adds-a-second", "waits n seconds longer than the initial time behind retry n",
             [](granted const& g) { return g.initial + g.n; });
  add_growth(all, "count-ahead", "counts one retry more than there were",
             [](granted const& g) { return grown(with(g, &granted::n, g.n + 1)); });
  add_growth(all, "count-behind", "counts one retry less than there were, from the second on",
             [](granted const& g) { return grown(with(g, &granted::n, std::max(g.n - 1, seconds{1}))); });
  add_growth(all, "count-from-zero", "counts retries from 0", [](granted const& g) {
    return g.under == linear_backoff ? g.initial * (g.n - 1) : g.n == 1 ? g.initial / 2 : doubled(g.initial, g.n - 2);
  });
  for (auto const times : std::initializer_list<seconds>{1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 30, 31}) {
    all.add("stops-growing", fmt::format("doubles the wait {} times at most", times), {.waits = [=](granted const& g) {
              return jittered(g, g.is_exponential() ? doubled(g.initial, std::min(g.n - 1, times)) : grown(g));
            }});
  }
}

// --- length ---

// Of the waits of one policy.
void add_under(changes& all, policy only, std::string const& name, std::string const& sentence, waits const& wait,
               bool is_cut = true) {
  auto const words = azure_c_retry_control_shape.operations[calls::create].args[calls::policy_at].words;
  all.add(
      name, fmt::format("{} under {}", sentence, words[static_cast<std::size_t>(only)]),
      {.waits = [=](granted const& g) { return g.under == only ? wait(g) : at_most(documented_wait(g), seconds_max); },
       .is_cut = is_cut});
}

// Of every wait, and of each policy's.
void add_wait(changes& all, std::string const& name, std::string const& sentence, waits const& wait,
              bool is_cut = true) {
  all.add(name, sentence, {.waits = wait, .is_cut = is_cut});
  for (auto const only : {interval, linear_backoff, exponential_backoff, exponential_backoff_with_jitter, random})
    add_under(all, only, name, sentence, wait, is_cut);
}

// Whole seconds that a variable holds otherwise: those of waits that grow, before and behind the jitter; or of all.
void add_cut(changes& all, std::string const& name, std::string const& sentence, std::function<u128(u128)> const& cut) {
  auto const whole = [=](quotient const& x) { return quotient{cut(x.over / x.under), 1}; };
  all.add(name, sentence + ", where it grows", {.waits = [=](granted const& g) {
            return g.grows() ? whole(jittered(g, static_cast<seconds>(cut(grown(g))))) : documented_wait(g);
          }});
  all.add(name, sentence, {.waits = [=](granted const& g) { return whole(documented_wait(g)); }});
}

void add_lengths(changes& all) {
  add_wait(all, "no-wait", "does not wait", [](granted const&) { return quotient{}; });
  add_wait(all, "no-wait-at-first", "does not wait behind the first retry",
           [](granted const& g) { return g.n == 1 ? quotient{} : documented_wait(g); });
  add_wait(all, "delay-before", "waits as long as behind the retry before",
           [](granted const& g) { return quotient{g.before, 1}; });
  add_wait(
      all, "one-second-more", "waits a second longer",
      [](granted const& g) {
        auto const x = at_most(documented_wait(g), seconds_max);
        return quotient{x.over + x.under, x.under};
      },
      false);
  add_wait(all, "one-second-less", "waits a second less", [](granted const& g) {
    auto const x = documented_wait(g);
    return less(x, x.under);
  });
  add_wait(all, "never-shorter", "waits a second at least", [](granted const& g) {
    auto const x = documented_wait(g);
    return x.over < x.under ? quotient{1, 1} : x;
  });
  struct scale {
    char const* name;
    char const* sentence;
    seconds times;
    seconds parts;
  };
  for (auto const& [name, sentence, times, parts] : std::initializer_list<scale>{
           {"twice", "waits twice as long", 2, 1},
           {"half", "waits half as long", 1, 2},
           {"seconds-for-milliseconds", "waits a thousand times as long, as if a unit were mistaken", 1'000, 1},
           {"milliseconds-for-seconds", "waits a thousandth, as if a unit were mistaken", 1, 1'000}}) {
    add_wait(all, name, sentence, [times, parts](granted const& g) {
      auto const x = documented_wait(g);
      return quotient{x.over * times, x.under * parts};
    });
  }
  add_wait(all, "never-saturates", "waits longer than 32 bits can say", documented_wait, false);
  add_cut(all, "negative-beyond-i32", "does not wait where a wait does not fit a signed 32-bit integer",
          [](u128 x) { return x > 0x7fff'ffff ? u128{0} : x; });
  add_cut(all, "clamped-to-i32", "never waits longer than a signed 32-bit integer can say",
          [](u128 x) { return std::min<u128>(x, 0x7fff'ffff); });
  for (auto const bits : std::initializer_list<unsigned>{16, 31, 32})
    add_cut(all, "wait-wraps", fmt::format("keeps {} bits of a wait", bits),
            [=](u128 x) { return x % (u128{1} << bits); });
  for (auto const most :
       std::initializer_list<seconds>{1, 5, 10, 20, 30, 60, 120, 180, 300, 600, 900, 1'800, 3'600, 7'200, 86'400}) {
    all.add("never-longer", fmt::format("never waits longer than {} s", most),
            {.waits = [=](granted const& g) { return at_most(documented_wait(g), most); }});
    all.add("initial-is-ignored", fmt::format("does as if the initial wait were {} s", most),
            {.waits = [=](granted const& g) { return documented_wait(with(g, &granted::initial, most)); }});
    all.add("constant-interval", fmt::format("always waits {} s under INTERVAL", most),
            {.waits = [=](granted const& g) { return g.under == interval ? quotient{most, 1} : documented_wait(g); }});
  }
}

// --- the random part ---

quotient jitter_alone(granted const& g) { return drawn_part(g, grown(g), 0, g.percent, 100); }
quotient shortened(granted const& g, seconds from) {
  return {u128{from} * (u128{100} * g.most - u128{std::min(g.percent, seconds{100})} * g.draw), u128{100} * g.most};
}

struct of_a_policy {
  char const* name;
  char const* sentence;
  quotient (*waits)(granted const&);
  bool is_cut = true;
};

constexpr of_a_policy of_exponential_backoff_with_jitter[] = {
    {"no-jitter", "adds no jitter", [](granted const& g) { return quotient{grown(g), 1}; }},
    {"jitter-beyond-the-cap", "adds jitter to the longest wait too",
     [](granted const& g) { return jittered(g, capped(g)); }, false},
    {"full-jitter", "draws the whole wait (full jitter)",
     [](granted const& g) { return drawn_part(g, capped(g), 0, 1, 1); }},
    {"equal-jitter", "draws from the upper half of the wait (equal jitter)",
     [](granted const& g) { return drawn_part(g, capped(g), 1, 1, 2); }},
    {"jitter-alone", "waits the jitter alone", jitter_alone},
    {"jitter-alone", "waits the jitter alone where there is any",
     [](granted const& g) { return g.percent == 0 ? documented_wait(g) : jitter_alone(g); }},
    {"jitter-shortens", "takes the jitter from the wait", [](granted const& g) { return shortened(g, grown(g)); }},
    {"jitter-shortens", "takes the jitter from the wait", [](granted const& g) { return shortened(g, capped(g)); }},
    {"jitter-either-way", "lets half of the jitter shorten the wait",
     [](granted const& g) { return less(jittered(g, capped(g)), u128{capped(g)} * g.percent * g.most / 2); }},
    {"jitter-both-sides", "takes as much jitter from the wait as it adds",
     [](granted const& g) {
       return less(drawn_part(g, grown(g), 100, u128{2} * g.percent, 100), u128{grown(g)} * g.percent * g.most);
     }},
    {"jitter-in-seconds", "adds up to max_jitter_percent seconds",
     [](granted const& g) { return quotient{u128{grown(g)} * g.most + u128{g.percent} * g.draw, g.most}; }},
    {"all-of-it-jitter", "adds up to the whole wait, whatever max_jitter_percent is",
     [](granted const& g) { return drawn_part(g, grown(g), 1, 1, 1); }},
    {"fixed-jitter", "always adds the most jitter",
     [](granted const& g) { return quotient{u128{grown(g)} * (100 + g.percent), 100}; }},
    {"default-jitter", "takes max_jitter_percent for 5",
     [](granted const& g) { return documented_wait(with(g, &granted::percent, 5)); }},
    {"jitter-in-thousandths", "takes max_jitter_percent for thousandths",
     [](granted const& g) { return drawn_part(g, grown(g), 1'000, g.percent, 1'000); }},
    {"jitter-of-the-initial-time", "adds a part of the initial time instead of the doubled one",
     [](granted const& g) {
       return quotient{u128{capped(g)} * 100 * g.most + u128{g.initial} * g.percent * g.draw, u128{100} * g.most};
     }},
    {"jitter-is-cut", "adds whole seconds of jitter",
     [](granted const& g) {
       return quotient{grown(g) + u128{capped(g)} * g.percent * g.draw / (u128{100} * g.most), 1};
     }},
    {"compounds", "doubles the wait with its jitter",
     [](granted const& g) { return jittered(g, g.n == 1 ? g.initial : 2 * g.before); }},
    {"jitter-gone-when-large", "adds no jitter to a wait above 65535 s",
     [](granted const& g) { return grown(g) > 0xffff ? quotient{grown(g), 1} : documented_wait(g); }},
};

constexpr of_a_policy of_random[] = {
    {"no-jitter", "waits the whole initial time", [](granted const& g) { return quotient{g.initial, 1}; }},
    {"equal-jitter", "draws from the upper half of the initial time",
     [](granted const& g) { return drawn_part(g, g.initial, 1, 1, 2); }},
    {"window-and-jitter", "adds the initial time to what it draws",
     [](granted const& g) { return drawn_part(g, g.initial, 1, 1, 1); }},
    {"grows", "draws from a window that doubles",
     [](granted const& g) { return drawn_part(g, std::min(doubled(g.initial, g.n - 1), seconds_max), 0, 1, 1); }},
    {"never-draws-0", "draws from 1 s to the initial time",
     [](granted const& g) { return quotient{u128{g.initial == 0 ? 0 : g.initial - 1} * g.draw + g.most, g.most}; }},
    {"never-draws-0", "adds a second to what it draws, up to the initial time",
     [](granted const& g) { return at_most(quotient{u128{g.initial} * g.draw + g.most, g.most}, g.initial); }},
    {"grows", "draws from a window that doubles",
     [](granted const& g) { return drawn_part(g, doubled(g.initial, g.n - 1), 0, 1, 1); }},
    {"jitter-mirrored", "counts the draw from the other end",
     [](granted const& g) { return quotient{u128{g.initial} * (g.most - g.draw), g.most}; }},
};

void add_redrawn(changes& all, some_policies const& some) {
  all.add("redrawn", "draws the wait anew whenever it is asked" + some.words,
          {.takes =
               [some](step& call, model::state& s) {
                 bool const asks = call.op == calls::should_retry && some.have(s.policy) && s.at.retry_count > 0;
                 if (!asks || call.args[calls::draw_at].kind != value_kind::integer) return;
                 auto g = granted_in(s, s.at);
                 if (!g) {
                   s.at.wait = {0, for_ever};
                   return;
                 }
                 g->draw = static_cast<seconds>(call.args[calls::draw_at].n);
                 g->most = 0xffff'ffffU;
                 auto const whole = rounded(at_most(documented_wait(*g), seconds_max), model::wait_rounding::truncate);
                 s.at.wait = {whole, whole};
               },
           .makes =
               [some](made const& m) {
                 auto& used = m.answer(model::field_draws_used);
                 bool const asks = m.call.op == calls::should_retry && some.have(m.before.policy);
                 if (asks && used.kind() == admissible_kind::lattice) used = admissible::integers(0, 1, 3);
               }});
}

void add_jitters(changes& all) {
  auto const add_each = [&](policy only, std::span<of_a_policy const> rows) {
    for (auto const& row : rows) add_under(all, only, row.name, row.sentence, row.waits, row.is_cut);
  };
  add_each(exponential_backoff_with_jitter, of_exponential_backoff_with_jitter);
  all.add("drawn-once", "draws once and keeps the number",
          {.waits = [](granted const& g) { return documented_wait(with(g, &granted::draw, g.first_draw)); }});
  for (auto const& some : drawn_ones) {
    all.add("draws-twice", "draws twice for a wait" + some.words, {.makes = [some](made const& m) {
              auto& used = m.answer(model::field_draws_used);
              bool const draws = m.outcome.facts.may_grant && used.kind() == admissible_kind::lattice &&
                                 used.first() + used.count() > 1;
              if (!draws || !some.have(m.after.policy)) return;
              bool const is_open = m.outcome.facts.may_wait || m.outcome.facts.fails;
              used = is_open ? admissible::integers(0, 1, 3) : admissible::exactly(2);
            }});
  }
  for (auto const& some : drawn_ones) add_redrawn(all, some);
  add_redrawn(all, {", and computes waits without a draw anew too",
                    {interval, linear_backoff, exponential_backoff, random, exponential_backoff_with_jitter}});
  add_each(random, of_random);
}

}  // namespace

void add_waits(changes& all) {
  add_growths(all);
  add_lengths(all);
  add_jitters(all);
}

}  // namespace backoff::systems::azure_c_diagnoses
