// The model of a policy: for one call, the admissible answers under a joint assignment of readings, as
// spec/STEM/model.hpp gives them for its document. Written on nothing but the policy's formulas.
// Checked by: properties/policies/soundness_test.cpp.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "histories/history.hpp"
#include "histories/present.hpp"
#include "policies/evaluate.hpp"
#include "policies/policy.hpp"
#include "policies/quick.hpp"

namespace backoff::policies {

// The fields of an answer, and the words of the first.
enum answer_part : std::size_t { field_status, field_delay };
enum class status : std::uint8_t { retry, exhausted, ok, error };
enum call : std::uint8_t { call_next, call_reset };

// So many units of the last place of the parameter or argument.
[[nodiscard]] histories::value value_of(parameter const& p, std::int64_t n) noexcept;
// What it is by default: a number, or the first of its words.
[[nodiscard]] histories::value default_of(parameter const& p) noexcept;

// Where a granted retry stands; each has a claim of its own, where it can happen at all.
enum class region : std::uint8_t { first, later, capped };
inline constexpr std::size_t regions = 3;

// What a delay is made of.
struct made {
  drawn delay;
  std::optional<drawn> otherwise;  // where doubles may go either way
  bool at_bound = false;
  bool tells_draw = false;  // whether it is known how any port that is right draws it
};

// One way to make a delay: its formulas, one of each.
struct choice {
  std::uint16_t delay = 0;   // which of the formulas of delays; of the first delay: which of those
  std::uint16_t window = 0;  // which of the windows
  bool is_first = false;     // the formula is one of the first delay
  bool has_window = false;   // the delay uses it
  bool exclusive = false;
};

struct facts {
  bool grants = false;
  bool announces = false;     // exhaustion, for the first time
  bool by_condition = false;  // `while` ends the retries, not the limit of attempts
  bool may_end = false;       // it grants or announces: that depends on a draw that is not known
  bool is_sure = true;        // it grants whatever was drawn before
  bool is_lost = false;       // not judged: the cycle has ended, and the formulas would grant a retry again
  bool limited = false;
  bool after_reset = false;
  bool renewed = false;  // by this call
  region where = region::later;
  bool is_random = false;               // the delay, where it grants
  choice chosen;                        // likewise: how it was made
  spec::integer retries = 0;            // granted before
  spec::admissible in_window;           // where it may end: delays as if it could not
  std::optional<spec::rational> limit;  // no delay is longer, however many retries there were
  std::shared_ptr<made const> made_of;  // where it grants, and the delay has a value; null: the model tells it
};

struct outcome {
  spec::expectation answer;
  policies::facts facts;
};

// The longest delay at a bound.
struct longest_delay {
  spec::rational value;
  quick_number quick;
};

// One history's parameters, and what was computed of them: forks, instances and cycles ask again. One thread's.
struct setting : boost::intrusive_ref_counter<setting, boost::thread_unsafe_counter> {
  template <class T>
  using found = std::optional<std::optional<T>>;  // nothing: not yet asked for

  std::array<histories::value, histories::params_max> params{};
  mutable std::array<quick_number, names_max> quick;  // of parameters; of the rest, as the last call left it
  mutable std::optional<scope> names;
  mutable std::unordered_map<std::uint64_t, std::shared_ptr<made const>> known;
  mutable std::vector<found<spec::integer>> limits;   // of attempts, by alternative
  mutable std::vector<found<longest_delay>> longest;  // by delay and window
  mutable std::vector<spec::integer> bound_from;      // by window: from so many retries on, it is at its bound
  mutable std::vector<found<quick_number>> bounds;    // of delays, first delays and windows, one after the other
};

// What was waited in a cycle, where formulas ask for that. It does not change, so that states share it.
struct waited : boost::intrusive_ref_counter<waited, boost::thread_unsafe_counter> {
  number previous;  // the delay before
  number before_previous;
  number elapsed;  // all delays
  number longest;  // all delays, had each been as long as it may be
  number before;   // the time elapsed before the last call
};

// Where a cycle stands.
struct cycle {
  spec::integer retries = 0;  // that count
  bool exhausted = false;
  bool is_lost = false;
  bool after_reset = false;
  unsigned waits_of_0 = 0;  // the last ones, each where `while` fails, though doubles may find it to hold
  boost::intrusive_ptr<waited const> times;  // null: no formula asks
  friend bool operator==(cycle const& a, cycle const& b) noexcept;
};

struct state : cycle {
  boost::intrusive_ptr<setting const> given;
  // Of a call that is granted or not, by a draw that its answer tells: the cycle as it was before.
  std::optional<cycle> undecided{};
  friend bool operator==(state const& a, state const& b) noexcept {
    return static_cast<cycle const&>(a) == static_cast<cycle const&>(b) && a.undecided == b.undecided;
  }
};

class model {
 public:
  explicit model(policy const& of);
  model(model const&) = delete;
  model& operator=(model const&) = delete;

  [[nodiscard]] spec::reading_table const& readings() const { return present(table_); }
  [[nodiscard]] std::vector<spec::cube> assignments(spec::draw_kind draws) const;
  // The first condition of `where` that the parameters do not meet; null where they meet all.
  [[nodiscard]] formula const* ruled_out(histories::history const& h) const;
  // Whether what a port answers tells something of what comes after it.
  [[nodiscard]] bool learns() const noexcept { return policy_->prev || tracks_time_ || !policy_->going_on.empty(); }
  // Whether any delay has a bound that does not depend on how many retries there were.
  [[nodiscard]] bool has_bound() const noexcept { return has_bound_; }

  [[nodiscard]] state start(histories::history const& h) const;
  // call: its arguments; those that it leaves out are as by default.
  [[nodiscard]] outcome next(state& s, histories::step const& call, spec::draw const& from,
                             spec::chooser& readings) const;
  [[nodiscard]] outcome reset(state& s) const;
  // What the delay of a call that granted one is made of; null where it has no value. s: the state after it.
  [[nodiscard]] std::shared_ptr<made const> made_by(state const& s, histories::step const& call, facts const& of) const;
  // What the port answered is the delay before, from now on.
  void observe(state& s, spec::answer const& port) const;
  // So much more time has passed, besides the delays.
  void let_pass(state& s, spec::decimal const& time) const;

  // Whether no draw can keep a later one, of another instance, from being judged: what grows beyond 10^18 is not.
  [[nodiscard]] bool draws_hide_none(histories::history const& h) const;

  // How many retries the canonical reading grants where a call leaves out its arguments; nothing: no limit.
  [[nodiscard]] std::optional<spec::integer> limit(histories::history const& h) const;
  // So many of these calls of a fresh instance are granted under the canonical reading, however long delays are.
  [[nodiscard]] std::int64_t surely_granted(histories::history const& h, histories::step const& call,
                                            std::int64_t calls) const;
  // What the canonical delay after so many retries is made of; nothing where it has no value.
  [[nodiscard]] std::optional<drawn> delay(histories::history const& h, spec::integer retries,
                                           histories::step const& call = {}) const;
  // Where the minimum that bounds the windows would switch after so many retries, if that parameter were its bound.
  [[nodiscard]] std::optional<spec::rational> beside_bound(histories::history const& h, std::size_t parameter,
                                                           spec::integer retries) const;

  // A region that never happens is no claim's; what would be in it is then in another.
  void leave_out(region r) noexcept { has_region_[static_cast<std::size_t>(r)] = false; }
  [[nodiscard]] bool has(region r) const noexcept { return has_region_[static_cast<std::size_t>(r)]; }
  // Without a way to see how a port maps draws, no other mapping than the listed ones is considered.
  void demand_listed_mapping() noexcept { other_mapping_ = false; }
  // From now on it is the model of a client that computes with exact numbers: one of two outcomes that doubles leave
  // open is the answer. A draw r of S is the share r / S of its range. Where a delay has several draws, each has every
  // second or every third binary digit of it.
  void compute_exactly() noexcept { is_exact_ = true; }

  // The first fault of the policy itself that was met: the formula, its place and where it has no value. Empty: none.
  [[nodiscard]] std::string own_fault() const;

 private:
  struct part_of_condition {
    policies::formula formula;
    quick_formula quickly;
  };
  // A formula, as it is asked each time: on machine words first.
  struct compiled {
    quick_formula formula;
    std::vector<quick_formula> bounds{};  // parts of its minimum that stay the same; empty: it has no bound
    bool keeps_bound = false;             // once it has reached it
    bool uses_window = false;
    bool draws_whole = false;
    bool depends_on_count = false;  // on how many retries there were
    bool depends_on_more = false;   // than that, parameters and the window
    // Of a condition: what must hold, and does not ask for the delay.
    std::vector<part_of_condition> without_delay{};
  };
  [[nodiscard]] scope names_in(std::array<histories::value, histories::params_max> const& params) const;
  [[nodiscard]] scope const& names_of(setting const& given) const;
  // Writes what names are worth in that call; of elapsed and longest times, those in `s`.
  void set_quick_names(state const& s, histories::step const& call) const;
  [[nodiscard]] std::optional<quick_number> const& bound_of(compiled const& c, formula const& f, std::size_t which,
                                                            setting const& given) const;
  [[nodiscard]] bool make_quickly(state const& s, choice const& c, quick_draw& delay, bool& at_bound) const;
  [[nodiscard]] bool grant_quickly(quick_draw const& d, spec::draw const& from, spec::chooser& readings,
                                   spec::expectation& answer) const;
  [[nodiscard]] std::optional<spec::integer> limit_of(setting const& given, std::size_t which) const;
  [[nodiscard]] std::optional<longest_delay> const& longest_of(setting const& given, choice const& c) const;
  struct row {  // a reading
    std::string name;
    std::vector<spec::alternative> alternatives;
  };
  [[nodiscard]] std::vector<compiled> compiled_of(std::vector<formula> const& all) const;
  [[nodiscard]] compiled const& compiled_delay_of(choice const& c) const noexcept {
    return c.is_first ? firsts_[c.delay] : delays_[c.delay];
  }
  [[nodiscard]] formula const& delay_of(choice const& c) const noexcept {
    return c.is_first ? policy_->first[c.delay] : policy_->delay[c.delay];
  }
  [[nodiscard]] formula const* window_of(choice const& c) const noexcept {
    return c.has_window ? &policy_->window[c.window] : nullptr;
  }
  [[nodiscard]] bool depends_on_count(choice const& c) const noexcept {
    return compiled_delay_of(c).depends_on_count || (c.has_window && windows_[c.window].depends_on_count);
  }
  [[nodiscard]] bool depends_on_more(choice const& c) const noexcept {
    return compiled_delay_of(c).depends_on_more || (c.has_window && windows_[c.window].depends_on_more);
  }
  void add_without_delay(std::vector<part_of_condition>& to, formula const& of, expression const& part) const;
  void add_reading(std::string name, std::vector<formula> const& of);
  void add_mapping();
  [[nodiscard]] unsigned chosen(std::optional<unsigned> reading, spec::chooser& readings) const;
  [[nodiscard]] choice choose(state const& s, spec::chooser& readings) const;
  // What names are worth in that call.
  [[nodiscard]] scope names_at(state const& s, histories::step const& call) const;
  [[nodiscard]] std::optional<spec::integer> limit_of(formula const& f, scope const& names) const;
  // Nothing where doubles may see it either way. names: gives what they are worth, if words do not tell.
  template <class Names>
  [[nodiscard]] std::optional<bool> holds(formula const& f, quick_formula const& quickly, setting const& given,
                                          Names names) const;
  [[nodiscard]] std::optional<bool> decided(formula const& f, scope const& names) const;
  // The parts of that condition which need no delay: where one fails, the delay needs no value.
  template <class Names>
  [[nodiscard]] std::optional<bool> holds_without_delay(std::size_t condition, setting const& given, Names names) const;
  // Whether these parts hold, whatever doubles find.
  [[nodiscard]] bool holds_exactly(std::size_t condition, scope const& names) const;
  // Whether a retry with such a delay goes on, by `while`; maybe: of random delays, those up to `room`.
  struct going_on {
    enum class kind : std::uint8_t { yes, no, maybe } is = kind::yes;
    std::optional<spec::rational> room{};
  };
  // elapsed: the time until then.
  template <class Names>
  [[nodiscard]] going_on goes_on(std::size_t condition, setting const& given, number const& elapsed,
                                 spec::closed_interval const& delays, Names names) const;
  [[nodiscard]] std::optional<spec::rational> room_of(expression const& e, scope& names,
                                                      spec::closed_interval const& of, bool is_negated) const;
  enum class trend : std::uint8_t { none, grows, falls, either_way };
  [[nodiscard]] trend trend_of(expression const& e) const;
  [[nodiscard]] number sum(number const& a, spec::rational const& b) const;
  [[nodiscard]] boost::intrusive_ptr<waited const> after(waited const& earlier, spec::rational const& highest) const;
  static void end(state& s, outcome& result, bool by_condition) noexcept;
  static void lose(state& s, outcome& result) noexcept;
  [[nodiscard]] state fresh(boost::intrusive_ptr<setting const> given) const;
  [[nodiscard]] choice canonical(spec::integer retries) const noexcept;
  // Nothing where it has no value. needs_value: whether that is a fault of the policy.
  [[nodiscard]] std::shared_ptr<made const> make(state const& s, histories::step const& call, choice const& c,
                                                 spec::integer retries, bool needs_value = true) const;
  [[nodiscard]] std::optional<made> make_anew(scope names, choice const& c, bool needs_value) const;
  // Writes the window into the names.
  [[nodiscard]] std::optional<drawn> make(scope& names, choice const& c, int lean, bool needs_value, bool& leaned,
                                          bool& at_bound) const;
  [[nodiscard]] spec::expectation granted(made const& m, spec::draw const& from, spec::chooser& readings,
                                          std::optional<spec::rational> const& room) const;
  [[nodiscard]] std::optional<spec::rational> longest(scope const& names, formula const& delay,
                                                      formula const* window) const;
  [[nodiscard]] std::optional<number> bound_of(expression const& e, scope const& names) const;
  // Whether the formula has no value. Notes it, if that is a fault of the policy.
  [[nodiscard]] bool has_failed(evaluator const& v, formula const& of, scope const& names) const;
  void note(formula const& of, std::size_t column, std::string_view what, scope const& names) const;

  policy const* policy_;
  std::vector<row> rows_;
  std::vector<spec::reading> readings_;
  std::optional<spec::reading_table> table_;
  std::optional<unsigned> window_, delay_, first_, attempts_, while_, ends_, mapping_;
  std::vector<spec::draw_mapping> mappings_;
  std::vector<compiled> delays_, firsts_, windows_, limits_, conditions_;
  std::optional<quick_formula> counts_, renews_;
  std::uint32_t used_ = 0;  // names that any formula uses, a bit each
  unsigned n_ = 0;          // which names these are
  unsigned window_name_ = 0;
  bool has_bound_ = false;
  bool tracks_time_ = false;  // whether any formula asks for the time elapsed
  bool other_mapping_ = true;
  bool is_exact_ = false;
  std::array<bool, regions> has_region_{true, true, true};
  mutable std::mutex noting_;
  mutable std::string fault_;
};

}  // namespace backoff::policies
