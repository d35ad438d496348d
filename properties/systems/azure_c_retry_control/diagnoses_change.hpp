// What hypotheses about a port of retry control are made of: the model, with one thing done otherwise. A port shows no
// wait, so that a wrong one is told by a model that waits as long.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis.hpp"
#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::systems::azure_c_diagnoses {

namespace model = spec::azure_c_retry_control;
namespace calls = systems::azure_c_calls;
using model::option;
using model::policy;
using spec::admissible;
using spec::admissible_kind;
__extension__ using u128 = unsigned __int128;
using seconds = std::uint64_t;

inline constexpr seconds seconds_max = 0xffff'ffff;
inline constexpr spec::integer for_ever = std::numeric_limits<spec::integer>::max();

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
  [[nodiscard]] bool grows() const { return under == policy::linear_backoff || is_exponential(); }
};

// All but the draws; nothing where an option is not known, because a feed of saved options failed.
[[nodiscard]] std::optional<granted> granted_in(model::state const& s, model::cycle const& at);

// A wait that need not be whole.
struct quotient {
  u128 over = 0;
  u128 under = 1;
};
using waits = std::function<quotient(granted const&)>;

[[nodiscard]] seconds doubled(seconds initial, seconds times);
[[nodiscard]] seconds grown(granted const& g);
// base * (fixed + drawn * u) / of, where u is the draw as a part of the largest one.
[[nodiscard]] quotient drawn_part(granted const& g, u128 base, u128 fixed, u128 drawn, u128 of);
// With the random part that its policy has.
[[nodiscard]] quotient jittered(granted const& g, seconds base);
[[nodiscard]] quotient documented_wait(granted const& g);
[[nodiscard]] quotient at_most(quotient const& x, seconds most);
[[nodiscard]] spec::integer rounded(quotient const& x, model::wait_rounding how);

// A call of the model, as a change sees it.
struct made {
  step const& call;
  model::state const& before;
  model::state& after;
  model::outcome& outcome;

  [[nodiscard]] bool is_of_null() const { return outcome.facts.null_argument; }
  [[nodiscard]] bool fails() const { return outcome.facts.fails && !is_of_null(); }
  [[nodiscard]] bool succeeds() const { return !outcome.facts.fails && !is_of_null(); }
  [[nodiscard]] admissible& answer(model::field which) const { return outcome.answer[which]; }
};

[[nodiscard]] inline admissible word_of(auto which) { return admissible::word(static_cast<std::uint8_t>(which)); }

// One thing that a port does otherwise: what it takes for the call or for its state, what it makes of them, how long it
// waits. A wait is cut to 32 bits unless it says otherwise.
struct change {
  std::function<void(step&, model::state&)> takes{};
  std::function<void(made const&)> makes{};
  azure_c_diagnoses::waits waits{};
  bool is_cut = true;
  bool learns = true;  // whether the options that it returns are those that it has
};

class changes {
 public:
  // The claim that tells those that are added from now on.
  void told_by(std::string_view claim) { claim_ = claim; }
  void add(std::string name, std::string sentence, change what);
  [[nodiscard]] std::vector<diagnosis> all() && { return std::move(all_); }

 private:
  std::vector<diagnosis> all_;
  std::string_view claim_;
};

// Each in a file of its name, diagnoses_*.cpp.
void add_waits(changes& all);
void add_times(changes& all);
void add_options(changes& all);
void add_calls(changes& all);

}  // namespace backoff::systems::azure_c_diagnoses
