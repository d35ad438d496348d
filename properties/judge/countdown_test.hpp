// A made-up system, small enough to judge by hand, and a port that says what a test wants. The system is of no document
// and in no registry. Call n of an instance, from 0, says from - n and stops at 0.
#pragma once

#include <algorithm>
#include <functional>

#include "judge/explorer.hpp"
#include "judge/run.hpp"

namespace backoff::judge::countdown {

inline constexpr std::array params{field{"from", field_kind::integer, 0, 9}};
inline constexpr std::array operations{operation{"next"}};
inline constexpr std::array<std::string_view, 2> status_words{"ok", "error"};
inline constexpr std::array answer_fields{answer_field{.name = "status", .words = status_words},
                                          answer_field{.name = "left", .only = answer_field::companion{0, 0}}};
inline constexpr histories::shape counts{
    {.stem = "countdown", .params = params, .operations = operations, .answers = answer_fields, .error_word = 1}, {}};

enum reading : unsigned { first, end };
enum first_call : unsigned { from, from_minus_1, from_plus_1 };
inline constexpr std::array first_names{spec::alternative{"from", spec::standing::canonical},
                                        spec::alternative{"from-minus-1", spec::standing::open},
                                        spec::alternative{"from-plus-1", spec::standing::hazard}};
inline constexpr std::array end_names{spec::alternative{"stays", spec::standing::canonical},
                                      spec::alternative{"undefined", spec::standing::hazard}};
inline constexpr std::array rows{spec::reading{"first", first_names}, spec::reading{"end", end_names}};
inline constexpr spec::reading_table table{rows};

struct facts {
  bool ended;
};
struct outcome {
  spec::expectation answer;
  countdown::facts facts;
};
using view = claim_view<facts>;

inline bool answered(view const& v) noexcept { return v.port[0] == observed::word(0); }
inline bool is_admitted(view const& v) { return v.documented[1].admits(v.port[1]); }
inline constexpr std::array<std::string_view, 0> none{};
enum claim_index : unsigned { no_call_fails, counts_down, independent, stops_at_zero };
inline constexpr std::array claims{
    claim<facts>{{"no_call_fails", "every call is answered", none}, [](view const&) { return true; }, answered},
    claim<facts>{{"counts_down", "each call says one less", none},
                 [](view const& v) { return answered(v) && !v.facts.ended && !v.shared; },
                 is_admitted},
    claim<facts>{{"instances_are_independent",
                  "each instance counts alone",
                  none,
                  strength::must,
                  feature::instances,
                  {},
                  [](domain const& d) { return d.params[0].high > 0; }},
                 [](view const& v) { return answered(v) && !v.facts.ended && v.shared; },
                 is_admitted},
    claim<facts>{{"stops_at_zero", "no call says less than 0", none, strength::interface},
                 [](view const& v) { return answered(v) && v.facts.ended; },
                 is_admitted},
};

struct binding {
  using state = spec::integer;  // calls so far
  using facts = countdown::facts;
  static histories::shape const& shape() noexcept { return counts; }
  static spec::reading_table const& readings() noexcept { return table; }
  // Draws of rand are there to have no canonical assignment.
  static std::vector<spec::cube> assignments(spec::draw_kind draws) {
    auto const all = table.admitting(spec::standing::hazard);
    return {draws == spec::draw_kind::rand ? table.with(all, first, from_minus_1) : all};
  }
  static auto claims() noexcept { return std::span(countdown::claims); }
  static state start(history const&) { return 0; }
  static outcome step(history const& h, std::size_t, state& calls, draw_source const&, spec::chooser& readings) {
    constexpr std::array<spec::integer, 3> added{0, -1, 1};
    spec::integer const left = h.params[0].n + added[readings.choose(first)] - calls++;
    outcome result{{spec::admissible::word(0), spec::admissible::exactly(std::max<spec::integer>(left, 0))},
                   {left < 0}};
    if (left < 0 && readings.choose(end) == 1) result.answer[0] = spec::admissible::unjudged();
    return result;
  }
};

inline explorer<binding> const system{};

// A countdown that is nothing but advice.
struct advised : binding {
  static constexpr auto advice = [] {
    auto alike = countdown::claims;
    for (auto& c : alike) c.strength = strength::interface;
    return alike;
  }();
  static auto claims() noexcept { return std::span(advice); }
};

// Calls on one instance, counted down from a number.
inline history asked(std::int64_t from, std::size_t calls) {
  history h;
  h.params[0] = value::of(from);
  h.steps.resize(calls);
  return h;
}
inline answer says(spec::integer left) { return {observed::word(0), observed::of(left)}; }
inline answer const fails{observed::word(1)};
inline result said(std::initializer_list<spec::integer> all) {
  result r;
  for (auto const left : all) r.answers.push_back(says(left));
  return r;
}
// What a port says that adds something to the right answer of each call.
inline result right_plus(history const& h, spec::integer added) {
  result r;
  spec::integer left = h.params[0].n + added;
  for (std::size_t i = 0; i < h.steps.size(); ++i, --left) r.answers.push_back(says(std::max<spec::integer>(left, 0)));
  return r;
}

inline capabilities about_port(draw_source draws = {}) {
  capabilities about;
  about.takes = documented_domain(counts, draws);
  about.takes.features = bit(feature::instances);
  return about;
}

class port final : public subject {
 public:
  explicit port(std::function<result(history const&)> answers, capabilities about = about_port())
      : about_(std::move(about)), answers_(std::move(answers)) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<result> results;
    results.reserve(histories.size());
    for (auto const& h : histories) results.push_back(answers_(h));
    return results;
  }

 private:
  capabilities about_;
  std::function<result(history const&)> answers_;
};

inline run begun(judged_system const& judged, capabilities const& about, run_options options = {}) {
  return std::get<run>(run::begin(judged, about, std::move(options)));
}

}  // namespace backoff::judge::countdown
