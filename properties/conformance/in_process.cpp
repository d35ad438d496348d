#include "conformance/in_process.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "backoff/conformance.hpp"
#include "histories/text.hpp"
#include "judge/dependence.hpp"
#include "judge/plan.hpp"
#include "protocol/messages.hpp"
#include "reports/report.hpp"
#include "reports/text.hpp"
#include "session/exit_codes.hpp"
#include "session/result_feed.hpp"

namespace backoff::conformance {
namespace {

using session::usage_error;

constexpr std::size_t chunk = 2'048;

// What a port says is shown on a terminal.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return text;
}

feature_mask read_features(shape const& s, options const& how) {
  feature_mask mask = how.instances ? bit(feature::instances) : 0;
  for (auto const& name : how.features) {
    auto const at = static_cast<std::size_t>(std::ranges::find(feature_names, name) - feature_names.begin());
    // Two processes of a port that lives in this one cannot be compared.
    bool const known = at < feature_names.size() && (s.features >> at & 1U) != 0;
    if (!known || name == "fresh_process")
      throw usage_error("features: a port of " + std::string(s.stem) + " cannot have '" + name + "' here");
    mask |= feature_mask{1} << at;
  }
  return mask & s.features;
}

draw_source source_of(draws const& from) {
  if (from.is == draws::kind::hidden) return {spec::draw_kind::hidden, 1};
  if (from.is == draws::kind::unit) return {spec::draw_kind::unit, std::uint64_t{1} << 32};
  if (from.is == draws::kind::u32) return {};
  if (from.rand_max == 0) throw usage_error("draws: expected a rand_max of at least 1");
  return {spec::draw_kind::rand, std::uint64_t{from.rand_max} + 1};
}

capabilities described(shape const& s, options const& how, feature_mask more) {
  capabilities about;
  about.name = printable(how.name);
  about.language = "C++";
  about.takes = usual_domain(s, s.has_draws() ? source_of(how.draws) : draw_source{}, read_features(s, how) | more);
  without_missing_words(s, about.takes);
  return about;
}

class played_subject final : public subject {
 public:
  played_subject(capabilities about, player const& play) : about_(std::move(about)), play_(&play) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<result> results;
    results.reserve(histories.size());
    for (auto const& h : histories) results.push_back((*play_)(h));
    return results;
  }

 private:
  capabilities about_;
  player const* play_;
};

// One that speaks the protocol. The judge knows no exceptions: what is thrown is kept, and breaks every history after
// it.
class speaking_subject final : public subject {
 public:
  using answerer = std::function<std::string(std::string_view)>;

  speaking_subject(shape const& s, answerer const& answer)
      : shape_(&s), answer_(&answer), about_(parse_start_reply(s, answer(start_request(s)))) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<result> results;
    try {
      while (!failure_ && results.size() < histories.size()) {
        auto const left = histories.subspan(results.size());
        auto const batch = left.first(std::min(left.size(), about_.max_batch));
        auto const& takes = about_.takes;
        auto const reply = (*answer_)(run_request(*shape_, takes.draws, ++id_, batch, takes.features));
        auto more = parse_run_reply(*shape_, takes.features, id_, batch, reply);
        std::ranges::move(more, std::back_inserter(results));
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    results.resize(histories.size(), {result_kind::broke, {}, "the port broke before"});
    return results;
  }
  void demand_unbroken() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  shape const* shape_;
  answerer const* answer_;
  capabilities about_;
  std::uint64_t id_ = 0;
  std::exception_ptr failure_;
};

// The port while a finding is made smaller: where it is known to fail, it shows nothing new.
class without_known_failures final : public subject {
 public:
  without_known_failures(subject& port, session::known_failing const& known, unsigned claim) noexcept
      : port_(&port), known_(&known), claim_(claim_mask{1} << claim) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return port_->describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    auto results = port_->run(histories);
    known_->hide(claim_, histories, results);
    return results;
  }

 private:
  subject* port_;
  session::known_failing const* known_;
  claim_mask claim_;
};

counterexample shown_breach(run const& judged, subject& port, session::known_failing const& known, breach const& b) {
  without_known_failures again(port, known, b.claim);
  if (is_about_draws(judged.system(), b)) return minimise(judged, again, b);
  if (auto c = minimise(judged, again, b); c.how == how_shown::together && show_again(judged, again, c)) return c;
  return {b, judged.explained_by(), {b.first}, excuses_of(judged, b, b.first), how_shown::unsteady};
}

void run_plan(session::result_feed& taken, subject& port, std::uint64_t cases, std::uint64_t seed) {
  auto const& judged = taken.judged();
  plan histories(judged.system().shape(), judged.about().takes, cases, seed, judged.draws().are_tested());
  for (auto batch = histories.next(chunk); !batch.empty(); batch = histories.next(chunk)) {
    auto const results = port.run(batch);
    auto const first = histories.given() - batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!taken.take(batch[i], results[i], histories.kind_of(first + i, batch[i]))) return;
    }
  }
}

void run_replay(session::result_feed& taken, subject& port, std::string const& token) {
  auto const& s = taken.judged().system().shape();
  auto const set = parse_token(token);
  if (set.system != &s) throw usage_error("replay: a token of " + std::string(set.system->stem));
  auto const& takes = taken.judged().about().takes;
  auto const cases = without_hidden_draws(set.cases, s, takes);
  for (auto const& h : cases) session::demand_takeable(h, s, takes);
  auto const tries = is_chance(taken.judged()) && !cases.empty() ? session::tries_of_replay(cases) : 1;
  for (std::size_t t = 0; t < tries && taken.judged().breaches().empty(); ++t) {
    auto const results = port.run(cases);
    for (std::size_t i = 0; i < cases.size(); ++i) static_cast<void>(taken.take(cases[i], results[i]));
  }
}

judgement judgement_of(reports::report const& r) {
  std::string message;
  std::vector<backoff::finding> findings;
  for (std::size_t i = 0; i < r.findings.size(); ++i) {
    auto const& f = r.findings[i];
    message += reports::finding_text(r, f, i + 1) + "\n";
    findings.push_back({f.claim, f.requirements.empty() ? "" : f.requirements.front(), f.token, f.fails});
  }
  for (std::size_t i = 0; i < r.also_broken.size(); ++i)
    message += (i == 0 ? "also broken: " : ", ") + r.also_broken[i];
  message += (r.also_broken.empty() ? "verdict: " : "\n\nverdict: ") + reports::verdict_text(r) + "\n";
  return {r.ends_with == session::conforms, std::move(message), reports::to_text(r), std::move(findings)};
}

judgement judged_by(shape const& s, subject& port, options const& how) {
  if (how.level != 1 && how.level != 2) throw usage_error("level: expected 1 or 2");
  if (!(how.alpha >= 1e-300) || !(how.alpha <= 0.1)) throw usage_error("alpha: expected 1e-300 to 0.1");
  auto const& system = *find_judged_system(s.stem);
  session::judging_options words;
  words.claims = how.claim;
  words.skips = how.skip;
  words.readings = how.reading;
  words.ranges = how.ranges;
  words.strict = how.strict;
  words.document_only = how.document_only;
  words.whole = how.replay.empty();
  words.alpha = how.alpha;
  auto const known = session::known_failing::parse(system, "known_failing", how.known_failing);
  auto const parsed = session::parse_judging(system, words);
  auto const about = session::narrowed(s, port.describes(), words);
  session::result_feed taken(session::make_run(system, about, parsed), known, how.max_failures, false);
  auto& judged = taken.judged();
  auto const probes = mapping_probes(judged, how.seed);
  judged.settle_mapping(probes, port.run(probes));
  reports::invocation called;
  called.in_process = true;
  called.seed = how.seed;
  called.cases = how.cases != 0 ? how.cases : session::cases_of_level(how.level);
  if (how.replay.empty()) {
    run_plan(taken, port, called.cases, how.seed);
  } else {
    run_replay(taken, port, how.replay);
  }
  auto const settled = taken.settle_blame([&](run& r) { return compare_with_itself(r, port); });
  auto const shown =
      session::shown_breaches(settled, [&](breach const& b) { return shown_breach(judged, port, known, b); });
  taken.settle(true);
  called.known = taken.known().lines();
  called.cut_short = judged.counts().all() < called.cases;
  return judgement_of(reports::make_report(judged, shown, {}, std::move(called)));
}

// What is wrong with the options, or with what a port says of itself, in one kind of exception.
template <class F>
judgement with_one_exception(F f) {
  try {
    return f();
  } catch (usage_error const& e) {
    throw std::invalid_argument(e.what());
  } catch (text_error const& e) {
    throw std::invalid_argument(e.what());
  } catch (protocol_error const& e) {
    throw std::invalid_argument(e.what());
  } catch (session::session_failure const& e) {
    throw std::invalid_argument(e.what());
  }
}

}  // namespace

judgement judge_in_process(shape const& s, player const& play, options const& how, feature_mask more) {
  return with_one_exception([&] {
    played_subject port(described(s, how, more), play);
    return judged_by(s, port, how);
  });
}

observed observed_of(number const& n) {
  auto const d = spec::parse_decimal(n.text());
  return d ? observed::of(*d) : observed{observed_kind::not_a_number, 0, {}};
}

draw drawn(value const& v) { return {u32(v)}; }

std::uint32_t u32(value const& v) noexcept { return static_cast<std::uint32_t>(v.n); }

std::uint32_t param_of(shape const& s, history const& h, std::size_t i) noexcept {
  bool const left_out = h.params[i].kind == value_kind::absent;
  return left_out ? static_cast<std::uint32_t>(s.params[i].by_default.value_or(0)) : u32(h.params[i]);
}

result caught(shape const& s, history const& h, std::vector<answer> before) {
  auto const error = [&](std::string const& why) -> result {
    before.emplace_back()[0] = observed::word(s.error_word);
    return {result_kind::answered, std::move(before), printable(why)};
  };
  try {
    throw;  // cppcheck-suppress rethrowNoCurrentException ; it is called where one is caught
  } catch (rejected const& e) {
    return {result_kind::rejected, s.rejection(h), printable(e.what())};
  } catch (std::exception const& e) {
    return error(e.what());
  } catch (...) {
    return error("an exception that is no std::exception");
  }
}

}  // namespace backoff::conformance

namespace backoff {

judgement conforms(std::string_view system, std::function<std::string(std::string_view)> const& answer,
                   options const& how) {
  using namespace conformance;
  return with_one_exception([&] {
    auto const& s = session::named_system(system).shape();
    speaking_subject port(s, answer);
    auto j = judged_by(s, port, how);
    port.demand_unbroken();
    return j;
  });
}

}  // namespace backoff
