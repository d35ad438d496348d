// A shape describes the histories of one system: its parameters, calls, words and special values. The JSON form, the
// replay token, the generator and the shrinker are derived from the shape alone. The page, spec/STEM/system.yaml,
// declares its data; properties/systems/STEM/history.cpp adds its functions.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "histories/history.hpp"
#include "histories/hook.hpp"
#include "histories/random.hpp"
#include "relation/full_jitter.hpp"

namespace backoff::histories {

struct special {
  std::int64_t value;
  std::string_view why;
};

// What a port may offer beyond the common protocol; the order is that of feature_names.
enum class feature : std::uint8_t {
  instances,
  clock_script,
  nulls,
  faults,
  live,
  state,
  total_time,
  errors,
  custom_policy,
  fresh_process,
};
inline constexpr std::array<std::string_view, 10> feature_names{"instances",     "clock_script", "nulls",      "faults",
                                                                "live",          "state",        "total_time", "errors",
                                                                "custom_policy", "fresh_process"};
using feature_mask = std::uint32_t;
[[nodiscard]] constexpr feature_mask bit(feature f) noexcept { return feature_mask{1} << static_cast<unsigned>(f); }

// A parameter or an argument. The ends, specials and values of a decimal count units of 10^-scale. A keyword is one of
// the words and never a number. A set is one or more of the words; an empty set is left out.
enum class field_kind : std::uint8_t { integer, draw, decimal, keyword, set };
struct field {
  std::string_view name;
  field_kind kind = field_kind::integer;
  std::int64_t low = 0;  // inclusive; of a draw: decided by the port's generator
  std::int64_t high = 0;
  std::span<std::string_view const> words{};  // admitted instead of a number
  std::span<special const> specials{};
  std::uint8_t scale = 0;
  // The form in JSON. boolean: words[0] is false, words[1] true. list: the first value of an array. item: a further
  // value of that array, with the same name; it is present only where the one before it is. implied: words[0] is not
  // written at all.
  enum class form : std::uint8_t { text, boolean, list, item, implied } written = form::text;
  std::optional<feature> needs{};            // it exists only for ports that have the feature
  std::uint8_t left_out = 0;                 // of 16 generated values, how many are absent; 0: none may be
  std::optional<feature> unless{};           // it exists only for ports that do not have the feature
  std::optional<feature> last_word_needs{};  // its last word exists only for ports that have the feature
  std::optional<std::int64_t> usual_low{};   // smaller values are sent only to ports that declare them
  std::optional<std::int64_t> by_default{};  // its value where it is left out; of words alone: the index of one

  std::string_view object{};  // the JSON object that it shares with its neighbours

  // Whether a history may leave it out. Draws are optional, because a port that draws for itself is sent none.
  [[nodiscard]] constexpr bool optional() const noexcept {
    return left_out != 0 || needs || unless || kind == field_kind::draw;
  }
  [[nodiscard]] constexpr bool has_default() const noexcept { return by_default || written == form::implied; }
  [[nodiscard]] constexpr value number(std::int64_t n) const noexcept {
    return {kind == field_kind::decimal ? value_kind::decimal : value_kind::integer, scale, n};
  }
};

// The index behind the list that begins with args[i]; i + 1 where args[i] is no list.
[[nodiscard]] constexpr std::size_t list_end(std::span<field const> args, std::size_t i) noexcept {
  for (++i; i < args.size() && args[i].written == field::form::item;) ++i;
  return i;
}

struct operation {
  std::string_view name;
  std::span<field const> args{};
  unsigned weight = 1;    // how often a generated step is this one
  bool optional = false;  // a port may be without it: the document does not name it
};

// One field of an answer: a word or, where it has no words, a number.
struct answer_field {
  struct companion {
    std::uint8_t field;
    std::uint8_t word;
  };
  // boolean: words[0] is written false, words[1] true. implied: words[0] is not written at all.
  enum class form : std::uint8_t { text, boolean, implied };

  std::string_view name;
  std::span<std::string_view const> words{};
  std::optional<companion> only{};  // present only where that earlier field holds that word
  form written = form::text;
  std::optional<feature> needs{};         // present only in the answers of ports that have the feature
  std::uint32_t calls = ~0U;              // present only in the answers to these operations, a bit each
  bool optional = false;                  // may be absent even where the members above allow it
  std::optional<std::uint8_t> if_zero{};  // ignored unless that earlier number is 0
  std::string_view object{};  // the JSON object that it shares with its neighbours; null: none of them is present

  // Whether an answer with these other fields has it.
  [[nodiscard]] bool belongs_to(answer const& a) const noexcept {
    return !only || a[only->field] == observed::word(only->word);
  }
  [[nodiscard]] bool idle(answer const& a) const noexcept { return if_zero && a[*if_zero] != observed::of(0); }
  [[nodiscard]] constexpr bool answers(std::uint8_t op) const noexcept { return ((calls >> op) & 1U) != 0; }
};
inline constexpr std::array<std::string_view, 2> boolean_words{"false", "true"};

// What a port's draws are: their kind, and how many values a draw has. Hidden draws are not sent.
struct draw_source {
  spec::draw_kind kind = spec::draw_kind::u32;
  std::uint64_t size = std::uint64_t{1} << 32;
};

// What one field may hold, after a port has declared its ranges.
struct range {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::uint64_t words = 0;  // a bit for each admitted word
  bool numbers = true;      // whether numbers are admitted at all
  bool declared = false;    // by the port, rather than by the document

  [[nodiscard]] bool admits(value const& v) const;
};

// The histories that a port can take.
struct domain {
  std::array<range, params_max> params{};
  std::vector<std::array<range, args_max>> args;  // by operation
  draw_source draws{};
  feature_mask features = 0;       // that the port has and the system knows
  std::uint32_t operations = ~0U;  // that the port answers, a bit each

  [[nodiscard]] constexpr bool answers(std::uint8_t op) const noexcept { return ((operations >> op) & 1U) != 0; }

  [[nodiscard]] constexpr bool offers(feature f) const noexcept { return (features & bit(f)) != 0; }
  // Whether the port can be sent that field at all.
  [[nodiscard]] constexpr bool takes(field const& f) const noexcept {
    if (f.kind == field_kind::draw) return draws.kind != spec::draw_kind::hidden;
    return has_features_for(f);
  }
  // Whether the features of the port are such that the field exists.
  [[nodiscard]] constexpr bool has_features_for(field const& f) const noexcept {
    return (!f.needs || offers(*f.needs)) && (!f.unless || !offers(*f.unless));
  }
  // How many instances a history may use.
  [[nodiscard]] constexpr std::uint8_t instances() const noexcept {
    return offers(feature::instances) ? instances_max : 1;
  }
};

// What a page declares of a system.
struct declaration {
  std::string_view stem;
  std::span<field const> params;
  std::span<operation const> operations;
  std::span<answer_field const> answers;
  std::uint8_t error_word;  // the word of the first answer field, the status, that says the call failed
  feature_mask features = bit(feature::instances);  // that its histories or answers use
  std::uint8_t delay = 1;                           // which answer field is the delay
  bool remembers = true;  // whether an answer may depend on earlier calls; only then are very long histories tried
  // The status word that stands for refused parameters. It is set where a reading lets a port refuse parameters that
  // the document allows. A rejected history then counts as answered with that word.
  std::optional<std::uint8_t> rejected_word{};
  // The operations whose effect outlasts a reset, a bit each. Each instance begins with the first of them.
  std::uint32_t outlasts_reset = 0;
  std::span<std::string_view const> conditions{};  // on parameters: no history breaks one
  bool draws_are_hidden = false;                   // a delay has several draws: a port makes them itself
};

// The functions of a shape. A hook may call a member function of an object: a system that is declared at run time keeps
// its formulas there.
struct functions {
  // Changes freshly generated values so that they stand close to each other (a cap beside a multiple of the base). They
  // stay inside the domain.
  hook<void(history&, domain const&, random_bits&)> correlate = nullptr;
  // Long or degenerate histories, for faults that no other history shows. A run ends with those that the port takes.
  hook<std::vector<history>(domain const&, random_bits&)> corners = nullptr;
  // Histories that differ only in the draw of their last call. They show how a port maps draws to delays. There are
  // none where no reading of the system is about that mapping, or where no delay of the port shows it.
  hook<std::vector<history>(domain const&, random_bits&)> mapping_probes = nullptr;
  // Whether a probe shows the mapping of jitters instead. Such probes differ in the draw of their first call.
  bool (*probes_jitter)(history const&) = [](history const&) { return false; };
  // Whether the delays follow a mapping that the system lists.
  hook<bool(std::span<spec::drawn_delay const>)> follows_a_listed_mapping = spec::follows_a_listed_mapping;
  // Histories that a run repeats to test hidden draws: small windows, wide ones, many draws at the cap. The plan fills
  // in their draws.
  hook<std::vector<history>(domain const&)> samples = nullptr;
  // The same with many attempts, for faults that show late, such as past 64, 256 and 1,024 attempts: there words of 64
  // bits, counters of eight bits and exponents of doubles end. All of them together make a third as many calls as
  // `samples` do.
  hook<std::vector<history>(domain const&)> long_samples = nullptr;
  // `in`: whether hidden draws can be inferred from the answers to a generated history. This needs known windows, and
  // answers that show the draw whatever its value is. `not_with`: says in words which histories do not show draws.
  struct telling {
    hook<bool(history const&)> in = nullptr;
    std::string_view not_with = {};
  } tells_draws = {};
  // Why the document does not allow these calls in this order; empty where it does. `repair` makes a history allowed,
  // and leaves an allowed one as it is. It keeps to the values of the domain.
  hook<std::string_view(history const&)> misuse = [](history const&) { return std::string_view(); };
  hook<void(history&, domain const&)> repair = [](history&, domain const&) {};
  // The calls that show these parameters at work, one for each draw where draws are given.
  hook<std::vector<step>(history const&, std::span<value const>)> example = nullptr;
};

struct shape : declaration, functions {
  // The value that `eval` uses for a parameter that its caller leaves out; absent: `eval` demands one.
  std::array<value, params_max> defaults{};

  // The answer that stands for refused parameters; none where no reading lets a port refuse them.
  [[nodiscard]] std::vector<answer> rejection(history const& h) const;

  // The index of the argument that is the draw of a call; 0 where the call has no draw.
  [[nodiscard]] std::size_t draw_of(std::uint8_t op) const noexcept;

  // Whether any call takes a draw: without one, every port can be judged exactly.
  [[nodiscard]] bool has_draws() const noexcept;

  [[nodiscard]] std::optional<std::uint8_t> find_operation(std::string_view name) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_param(std::string_view name) const noexcept;
};

// Everything the document allows, for a kind of draw.
[[nodiscard]] domain documented_domain(shape const& s, draw_source draws);

// The part of that domain for a port that has these features and declares no range.
[[nodiscard]] domain usual_domain(shape const& s, draw_source draws, feature_mask features);

// Removes from the domain the operations that are not named. Returns what is wrong with the names; empty: nothing.
[[nodiscard]] std::string keep_operations(shape const& s, domain& d, std::span<std::string const> names);

// Removes from the domain the words that need a feature that the port lacks.
void without_missing_words(shape const& s, domain& d) noexcept;

// Whether a history may leave out the field. It must not where the field's default lies outside the range.
[[nodiscard]] bool may_be_left_out(field const& f, range const& r) noexcept;

// Whether the history leaves out a parameter whose default the port does not take.
[[nodiscard]] bool leaves_to_default(shape const& s, domain const& d, history const& h) noexcept;

// Whether every value of the history lies inside the domain.
[[nodiscard]] bool inside(shape const& s, domain const& d, history const& h) noexcept;

// Whether the document allows these calls in this order.
[[nodiscard]] bool allowed(shape const& s, history const& h);

// Whether the port itself declared a range for every parameter that it can be sent.
[[nodiscard]] bool all_declared(shape const& s, domain const& d) noexcept;

}  // namespace backoff::histories
