// A run: what a subject answered so far, and what that leaves of the document's readings.
//
// The state is the set of joint assignments that no observation has refuted, hazards included; it is only ever
// intersected. The run fails when none of the admitted ones is left. It is then explained under one assignment, which
// is settled once all histories have been seen: properties/judge/blame.hpp. Checked by: properties/judge/run_test.cpp
// rule by rule, judge_test.cpp and the wrong ports of properties/systems as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "judge/blame.hpp"
#include "judge/draw_power.hpp"
#include "judge/judged_system.hpp"
#include "judge/subject.hpp"

namespace backoff::judge {

struct run_options {
  claim_mask claims = ~claim_mask{0};                   // which are judged
  bool strict = false;                                  // the document's canonical readings only; advice fails too
  std::vector<std::pair<unsigned, unsigned>> pinned{};  // (reading, alternative)
  bool whole = true;                                    // a pass needs every must put at stake; not for a replay
  double alpha = 1e-9;                                  // that hidden draws refute a right port, in the whole run
  bool document_only = false;                           // claims about the interface are reported, and do not fail
  claim_mask known_everywhere = 0;                      // known to fail on every history: a pass does without them
};

// Whether a reading says how the harness turns a draw into a delay: a convention of the protocol, on which no document
// has a word. --strict leaves it to what the port declares or shows.
[[nodiscard]] bool is_convention(std::string_view reading) noexcept;

// exact: the draws were given to the port. distribution: it made its own, which were tested; membership: which were
// not.
enum class grade : std::uint8_t { exact, membership, distribution };
// How the port maps given draws, as its probes show: exactly as the document's readings list it, but for faults at
// some draws; within what the reading `near` forgives; or in another way, which counts as hidden draws.
enum class mapped : std::uint8_t { exactly, nearly, otherwise };
enum class verdict : std::uint8_t { conforms, does_not_conform, breaks_the_interface, inconclusive };

// A broken claim: the first history that showed it, one in which nothing was broken at an earlier call where there is
// such a history. claim = no_answer: a history inside the declared ranges was rejected or skipped.
struct breach {
  static constexpr unsigned no_answer = 63;  // beyond all claims of a system
  unsigned claim = no_answer;
  bool fails = true;  // by its strength and the options
  std::uint64_t histories = 0;
  evidence first;
  bool leads = false;  // whether nothing was broken before, in the first history
  // The claim whose break explains this one: wherever this one is broken, another one is too, that one most often, at
  // the same call.
  std::optional<unsigned> follows_from{};
  // Where several claims of one rule are broken, each somewhere by itself: the most telling of them, which is the
  // finding.
  std::optional<unsigned> told_with{};
  [[nodiscard]] bool is_a_finding() const noexcept { return !follows_from && !told_with; }
  [[nodiscard]] bool is_of_a_claim() const noexcept { return claim != no_answer; }
};

// A history that broke a claim of dependence. `same`: the port answers the calls in question alike without the others,
// so nothing depends on them, and `seen` is that shorter history; otherwise `seen` is the history itself. Recorded
// answers cannot be asked for the shorter history, unless it is among them: then it is taken to be answered alike.
struct compared {
  unsigned claim;
  bool same;
  evidence seen;
  claim_mask excused = 0;  // claims that are known to fail on `seen`
  bool asked = true;
};

struct tally {
  std::uint64_t judged = 0;
  std::uint64_t rejected = 0;
  std::uint64_t skipped = 0;
  std::uint64_t broke = 0;
  [[nodiscard]] std::uint64_t all() const noexcept { return judged + rejected + skipped + broke; }
  // Whether it judged the smaller part of what it was asked: what it took says nothing of the rest.
  [[nodiscard]] bool turned_most_away() const noexcept { return rejected + skipped > judged; }
};

// The assignment with the fewest readings that are not canonical, of all in the cubes; there is one at least.
[[nodiscard]] spec::cube simplest_among(spec::reading_table const& table,
                                        std::vector<spec::cube> const& cubes) noexcept;

class run {
 public:
  // A run, or one line that says why there is none: no joint assignment satisfies the options for this kind of draw, or
  // the port names a mapping that is none. `about` must outlive the run.
  [[nodiscard]] static std::variant<run, std::string> begin(judged_system const& system, capabilities const& about,
                                                            run_options options) noexcept;

  // The probes of the system's draw mapping, answered by the subject: settles how draws are mapped. Unless exactly,
  // they are tested as hidden ones are.
  void settle_mapping(std::span<history const> probes, std::span<result const> results) noexcept;
  // Whether a result is held against the document step by step: answers are, and so is a rejection where a reading
  // admits some, of a port that has declared all its ranges.
  [[nodiscard]] bool counts_as_answered(result const& r) const noexcept;
  // is_sample: the draws of the history, where they are hidden, are independent and count for their distribution.
  // comes_again: power is stated by such samples; one that comes once only adds its draws.
  // excused: claims that are known to fail on this history, `no_answer` included; which of them did is returned. They
  // are not held against the port there, and an answer that breaks one refutes no reading: what is known to be wrong
  // is no evidence of how the document was read. What else the answer breaks under every reading still counts.
  claim_mask absorb(history const& h, result const& r, bool is_sample = false, claim_mask excused = 0,
                    bool comes_again = true) noexcept;
  static constexpr claim_mask no_answer = claim_mask{1} << breach::no_answer;
  // The same sample answered by two fresh processes.
  claim_mask absorb_twice(history const& h, result const& one, result const& other, claim_mask excused = 0) noexcept;
  // After the last history: under which reading the run is explained. Before, the one that survived longest stands in.
  void settle_blame() noexcept;
  // After that, the port's answers when it was compared with itself. A claim of dependence that it never broke is no
  // finding: what the shorter history breaks is one instead.
  void settle_dependence(std::span<compared const> all) noexcept;
  // A claim of dependence that was broken, by a port that could not be asked again: it is not judged.
  [[nodiscard]] bool is_not_compared(unsigned claim) const noexcept { return includes(not_compared_, claim); }
  // Histories that break the claim; of many, those that blame is settled on.
  [[nodiscard]] std::vector<evidence> witnesses_of(breach const& b) noexcept;
  // Of broken parts of a rule that one is the finding: it shows again, and the most telling one does not.
  void tell_first(unsigned claim) noexcept { told_first_ |= claim_mask{1} << claim; }
  // After the last history: what the samples would have shown.
  void settle_power() noexcept;

  [[nodiscard]] judge::verdict verdict() const noexcept;
  // The same if the interface counted for nothing.
  [[nodiscard]] judge::verdict verdict_by_the_document() const noexcept;
  // Claims of the strength must that a pass needs, and that no history put at stake; or few, where most were not
  // answered.
  [[nodiscard]] claim_mask wanting() const noexcept;
  [[nodiscard]] judge::grade grade() const noexcept { return grade_; }
  // Whether samples of hidden draws count for anything.
  [[nodiscard]] bool wants_samples() const noexcept { return draws_.has_value(); }
  // Whether they have refuted all that was admitted; and whether they have had the time to refute hazards too.
  [[nodiscard]] bool refuted_by_draws() const noexcept { return refuted_by_draws_; }
  [[nodiscard]] bool settled_by_draws() const noexcept {
    return refuted_by_draws_ && samples_seen_ >= samples_for_hazards && !draws_->awaits_repetition();
  }
  // The samples under the assignment that explains the run; absent without any.
  [[nodiscard]] sampled_draws const* samples() const noexcept;
  // The samples under that assignment, where there are samples; absent where it was not tested to the end.
  [[nodiscard]] sampled_draws const* samples_under(spec::cube assignment) const noexcept;
  // Those that broke a claim about draws.
  [[nodiscard]] sampled_draws const& samples_against(unsigned claim) const noexcept;
  [[nodiscard]] std::vector<power> const& powers() const noexcept { return powers_; }
  // Up to which attempt draws were tested.
  [[nodiscard]] attempts_tested const& attempts() const noexcept { return attempts_; }
  // Whether draws are tested no more, because what they showed is known to fail.
  [[nodiscard]] bool draws_excused() const noexcept { return draws_excused_; }
  // Of a run that no finding refutes: whether no admitted assignment is left all the same. A claim of dependence that
  // was withdrawn has refuted the last of them. Where only some claims are judged, or failures are known, that is as it
  // should be.
  [[nodiscard]] bool is_unexplained() const noexcept;
  // Of all draws that a document maps: the least exact.
  [[nodiscard]] mapped mapping() const noexcept { return mapping_; }
  // Of one of spec::draw_mappings; exactly where the document has no such reading.
  [[nodiscard]] mapped mapping_of(std::string_view name) const noexcept;
  [[nodiscard]] tally const& counts() const noexcept { return counts_; }
  [[nodiscard]] judged_system const& system() const noexcept { return *system_; }
  [[nodiscard]] run_options const& options() const noexcept { return options_; }
  [[nodiscard]] capabilities const& about() const noexcept { return *about_; }

  // The most calls of one instance in a history that was answered.
  [[nodiscard]] std::size_t most_calls() const noexcept { return most_calls_; }
  // Histories in which the claim was at stake.
  [[nodiscard]] std::uint64_t at_stake(unsigned claim) const noexcept { return at_stake_[claim]; }
  // Whether some answer had the field that alone tells.
  [[nodiscard]] bool tells(claim_text const& c) const noexcept {
    return !c.told_by || std::ranges::find(untold_, *c.told_by) == untold_.end();
  }
  [[nodiscard]] bool selected(unsigned claim) const noexcept { return includes(options_.claims, claim); }
  // Whether breaking the claim refutes readings of the document; whether it fails the port.
  [[nodiscard]] bool kills(unsigned claim) const noexcept { return includes(killing_, claim); }
  [[nodiscard]] bool fails(unsigned claim) const noexcept { return includes(failing_claims_, claim); }
  [[nodiscard]] bool refutes(breach const& b) const noexcept { return !b.is_of_a_claim() || kills(b.claim); }
  // Histories that broke a claim which fails the port.
  [[nodiscard]] std::uint64_t failing_histories() const noexcept { return failing_; }
  // Broken claims: those that refute conformance first, then others that fail the port; of these, claims of dependence
  // first, then those that are broken in the largest part of what puts them at stake: what a fault breaks now and then
  // is often its consequence. The claim of a call that another one starts from comes before that one's.
  [[nodiscard]] std::vector<breach> breaches() const noexcept;

  // All that was admitted at the start; what is left of it; what is left when hazards count too.
  [[nodiscard]] std::vector<spec::cube> const& initial() const noexcept { return initial_; }
  [[nodiscard]] std::vector<spec::cube> const& initial_with_hazards() const noexcept { return initial_with_hazards_; }
  [[nodiscard]] std::vector<spec::cube> survivors() const noexcept { return restricted(alive_); }
  [[nodiscard]] std::vector<spec::cube> const& survivors_with_hazards() const noexcept { return alive_; }
  // Of these, the ones under which no claim of any strength is broken.
  [[nodiscard]] std::vector<spec::cube> const& unblemished() const noexcept { return clean_; }
  [[nodiscard]] std::vector<spec::cube> restricted(std::vector<spec::cube> const& from) const noexcept;
  // The assignment under which the run is explained.
  [[nodiscard]] spec::cube explained_by() const noexcept;
  // Every history that refuted an admitted assignment.
  [[nodiscard]] std::vector<evidence> const& refuting() const noexcept { return refuting_; }
  // The histories that blame is settled on, in their order.
  [[nodiscard]] std::span<witnessed const> witnesses() const noexcept { return witnessed_; }
  [[nodiscard]] claim_mask killing() const noexcept { return killing_; }
  // That each test of hidden draws refutes a right port: all of them together have what the options allow.
  [[nodiscard]] double alpha_of_a_test() const noexcept { return alpha_of_a_test_; }

 private:
  // A history and its result, before anything of it is kept.
  struct sighting {
    std::uint64_t index;
    history const& tried;
    result const& got;
    claim_mask selected;  // claims to be judged
    [[nodiscard]] evidence kept() const noexcept { return {index, tried, got}; }
  };

  run(judged_system const& system, capabilities const& about, run_options options) noexcept;
  void settle_grade() noexcept;
  void begin_samples() noexcept;
  [[nodiscard]] claim_mask claims_about_draws() const noexcept;
  [[nodiscard]] std::vector<spec::cube> with_one_hazard() const noexcept;
  [[nodiscard]] draw_tests_mask tests_where(bool kill) const noexcept;
  [[nodiscard]] std::uint64_t alternatives_of(unsigned mapping, mapped how) const noexcept;
  struct probed_draw {
    history const* probe;
    std::vector<answer> const* answers;
    std::uint64_t draw;
  };
  struct most_explained {
    std::uint64_t all = 0;
    std::uint64_t inside = 0;  // between the smallest and the largest draw
  };
  [[nodiscard]] most_explained most_explained_by(unsigned reading, mapped how, std::span<probed_draw const> probes,
                                                 draw_source const& draws) noexcept;
  [[nodiscard]] mapped mapping_shown_by(unsigned reading, std::span<history const> probes,
                                        std::span<result const> results) noexcept;
  void restrict_mapping(unsigned reading, mapped how) noexcept;
  void absorb_answers(sighting const& seen) noexcept;
  void narrow(std::span<assignment_outcome const> outcomes) noexcept;
  [[nodiscard]] claim_mask absorb_refusal(sighting const& seen, claim_mask excused) noexcept;
  [[nodiscard]] claim_mask absorb_excusing(sighting const& seen, claim_mask excused) noexcept;
  claim_mask absorb_draws(sighting const& seen, std::span<answer const> elsewhere, claim_mask excused, bool is_clean,
                          bool comes_again = true) noexcept;
  claim_mask compare_processes(sighting const& seen, std::span<answer const> elsewhere, claim_mask excused) noexcept;
  [[nodiscard]] claim_mask claims_broken_by_draws(spec::cube assignment) const noexcept;
  void name_what_draws_broke() noexcept;
  [[nodiscard]] bool excludes_gross_faults() const noexcept;
  void note(unsigned claim, sighting const& seen, bool leads = true) noexcept;
  void note_all(claim_mask broken, sighting const& seen) noexcept;
  void witness(sighting const& seen, claim_mask at_stake, bool refutes_one) noexcept;
  // Whether, once blame is settled, a history tells apart readings that had explained as much: those that do not
  // explain it are left out.
  [[nodiscard]] bool tells_equals_apart(sighting const& seen) noexcept;
  [[nodiscard]] claim_mask leaned_on_by(claim_mask claims) const noexcept;
  claim_mask note_by_call(claim_report const& report, sighting const& seen, claim_mask known) noexcept;
  [[nodiscard]] std::map<unsigned, unsigned> consequences() const noexcept;
  void tell_earlier_calls_first(std::vector<breach>& all) const noexcept;
  void tell_rules_once(std::vector<breach>& all) const noexcept;
  [[nodiscard]] claim_mask explain(sighting const& seen) noexcept;

  judged_system const* system_;
  capabilities const* about_;
  run_options options_;
  examiner examiner_;
  claim_mask killing_ = 0;
  claim_mask failing_claims_ = 0;
  judge::grade grade_;
  mapped mapping_ = mapped::exactly;
  draw_tests_mask tests_ = 0;  // of the claims about draws that are judged
  std::optional<hidden_draws> draws_;
  std::optional<hidden_draws> seeds_;  // of two processes, where drawing alike refutes no reading
  double alpha_of_a_test_;
  static constexpr std::uint64_t samples_for_hazards = 40;  // most of them are soon refuted, the rest costs time
  std::uint64_t samples_seen_ = 0;
  std::uint64_t samples_broken_ = 0;  // by their answers
  bool refuted_by_draws_ = false;
  bool draws_are_broken_too_ = false;  // beside answers that refuted all that was admitted
  bool draws_excused_ = false;
  bool answers_excused_ = false;  // some, by what is known to fail
  std::vector<power> powers_;
  attempts_tested attempts_;
  spec::cube admitted_;
  std::vector<spec::cube> initial_;
  std::vector<spec::cube> initial_with_hazards_;
  std::vector<spec::cube> alive_;
  std::vector<spec::cube> clean_;
  std::optional<spec::cube> blamed_;
  bool blame_is_settled_ = false;
  std::vector<spec::cube> as_few_;    // once it is: joint readings under which as few histories fail
  std::vector<witnessed> witnessed_;  // the first histories, and those from the first one on that refuted all
  std::size_t witnessed_steps_ = 0;
  tally counts_;
  std::size_t most_calls_ = 0;
  std::array<std::uint64_t, breach::no_answer + 1> at_stake_{};
  std::map<unsigned, breach> breaches_;
  std::vector<std::uint8_t> untold_;  // fields that claims are told by, and no answer had yet
  // What a call that broke a claim for the first time in its history tells of causes: these claims; all that were
  // broken up to that call, or at that call alone where it failed; and those whose break elsewhere would explain it.
  struct sighted {
    claim_mask fresh;
    claim_mask broken;
    claim_mask leans_on;
    [[nodiscard]] auto all() const noexcept { return std::tie(fresh, broken, leans_on); }
    friend bool operator<(sighted const& a, sighted const& b) noexcept { return a.all() < b.all(); }
  };
  std::map<sighted, std::uint64_t> together_;  // how often
  claim_mask told_first_ = 0;
  claim_mask dependent_ = 0;  // claims of dependence that the port breaks, compared with itself
  claim_mask not_compared_ = 0;
  std::uint64_t failing_ = 0;
  std::vector<evidence> refuting_;
};

}  // namespace backoff::judge
