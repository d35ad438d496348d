// Fuzz target: a foreign port, judged as `backoff-oracle check` judges it: what it has answered so far must fit one
// joint reading of the document, whichever. fuzz/campaign starts it. Where the environment names a folder for findings,
// each is filed there, and the search goes on for what breaks another claim; otherwise the first ends the process.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "finding.hpp"
#include "histories.hpp"
#include "histories/shrink.hpp"
#include "judge/counterexample.hpp"
#include "judge/dependence.hpp"
#include "judge/plan.hpp"
#include "port_subjects.hpp"
#include "reports/history_table.hpp"
#include "session/exit_codes.hpp"
#include "session/options.hpp"

namespace backoff::fuzz {
namespace {

using namespace oracle;

constexpr std::chrono::seconds shrinking_max{30};

class port_target final : public target {
 public:
  port_target(judged_system const& system, std::unique_ptr<subject> port)
      : system_(&system), port_(std::move(port)), known_(filed_before()), run_(fresh_run()) {}

  [[nodiscard]] histories::shape const& shape() const override { return system_->shape(); }
  [[nodiscard]] domain const& takes() const override { return port_->describes().takes; }
  [[nodiscard]] std::span<std::int64_t const> compared_with() const override { return constants_of_port(); }

  void run(std::vector<history> const& histories) override {
    if (found(histories) && std::getenv("BACKOFF_FUZZ_FINDINGS") == nullptr) std::abort();
  }

  // In a process of its own first: a library may take this one with it.
  bool file(std::vector<history> const& histories) override {
    static constexpr auto run_alone = [](std::vector<history> const& all) {
      static_cast<void>(dynamic_cast<port_target&>(the_target()).port_->run(all));
    };
    auto const how = breaks_alone(run_alone, histories).how;
    if (how.empty()) return found(histories);
    auto const smallest = smallest_breaking(shape(), takes(), histories.back(), how, run_alone);
    auto const answered = until_it_breaks(smallest, [&](history const& beginning) {
      return breaks_alone(run_alone, {beginning}).how.empty() ? answers_to(beginning) : std::nullopt;
    });
    file_broken(answered, how, breaks_alone(run_alone, {smallest}).said);
    return true;
  }

 private:
  // None where it breaks.
  [[nodiscard]] std::optional<std::vector<answer>> answers_to(history const& h) {
    auto r = port_->run(std::span(&h, 1)).front();
    return r.kind == result_kind::broke ? std::nullopt : std::optional(std::move(r.answers));
  }

  void file_broken(evidence const& answered, std::string const& how, std::string const& said) {
    auto const shown = reports::show_history(run_, answered, run_.explained_by());
    file_finding({system_, finding::no_claim, how, {answered.tried}, "", table_until_it_breaks(shown, answered), said});
  }

  // The claims of findings that are filed: a search that begins again does not stop at them.
  [[nodiscard]] claim_mask filed_before() const {
    claim_mask known = 0;
    char const* const folder = std::getenv("BACKOFF_FUZZ_FINDINGS");
    auto const claims = system_->claims();
    for (std::size_t i = 0; folder != nullptr && i < claims.size(); ++i) {
      auto const name = std::string(system_->shape().stem) + "-" + std::string(claims[i].name) + ".json";
      if (std::filesystem::exists(std::filesystem::path(folder) / name)) known |= claim_mask{1} << i;
    }
    return known;
  }

  [[nodiscard]] judge::run fresh_run() {
    run_options options;
    options.strict = std::getenv("BACKOFF_FUZZ_STRICT") != nullptr;
    options.document_only = std::getenv("BACKOFF_FUZZ_DOCUMENT_ONLY") != nullptr;
    options.whole = false;  // what is not reached is no finding
    auto fresh = session::make_run(*system_, port_->describes(), options);
    auto const probes = mapping_probes(fresh, 1);
    fresh.settle_mapping(probes, port_->run(probes));
    return fresh;
  }

  bool found(std::vector<history> const& histories) {
    bool any = false;
    for (auto const& h : histories) {
      auto const results = port_->run(std::span(&h, 1));
      any = (results[0].kind == result_kind::broke ? found_broken(h, results[0].why) : found_by_judge(h, results[0])) ||
            any;
    }
    return any;
  }

  bool found_by_judge(history const& h, result const& r) {
    run_.judge(h, r, sample_kind::none, known_);
    auto const fails = [](std::vector<breach> const& all) { return !all.empty() && all.front().fails; };
    if (!fails(run_.breaches())) return false;
    run_.settle_dependence(compare_with_itself(run_, *port_));
    auto const breaches = run_.breaches();
    if (!fails(breaches)) {  // nothing depends on anything: what was withdrawn must not stay
      run_ = fresh_run();
      return false;
    }
    auto const& shown = breaches.front();
    bool const refused = shown.claim == breach::no_answer;
    auto const smallest = minimise(run_, *port_, shown);
    finding f{system_, refused ? finding::no_claim : shown.claim, refused ? "refuses what it declares" : "", {}};
    for (auto const& e : smallest.histories) f.histories.push_back(e.tried);
    for (auto const& excuse : smallest.excuses) f.remark += (f.remark.empty() ? "as read by " : ", ") + excuse;
    if (!refused)
      f.table = reports::table_text(reports::show_history(run_, smallest.histories.back(), smallest.explained_by));
    file_finding(f);
    known_ |= refused ? judge::no_answer_mask : claim_mask{1} << shown.claim;
    run_ = fresh_run();
    return true;
  }

  bool found_broken(history const& h, std::string const& how) {
    if (!broke_.insert(how).second) return false;
    auto const until = std::chrono::steady_clock::now() + shrinking_max;
    auto const smallest = shrink(shape(), takes(), h, [&](std::vector<history> const& candidates) {
      std::vector<bool> fails(candidates.size());
      for (std::size_t i = 0; i < candidates.size() && std::chrono::steady_clock::now() < until; ++i) {
        auto const again = port_->run(std::span(&candidates[i], 1));
        fails[i] = again[0].kind == result_kind::broke && again[0].why == how;
        if (fails[i]) break;
      }
      return fails;
    });
    auto const answered = until_it_breaks(smallest, [&](history const& beginning) { return answers_to(beginning); });
    static_cast<void>(answers_to(smallest));
    file_broken(answered, how, last_lines(said_by_port()));
    return true;
  }

  judged_system const* system_;
  std::unique_ptr<subject> port_;
  claim_mask known_;
  std::set<std::string> broke_;
  judge::run run_;
};

[[noreturn]] void end(int code, std::string const& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::exit(code);
}

std::unique_ptr<port_target> target_of_environment() {
  try {
    char const* const stem = std::getenv("BACKOFF_FUZZ_SYSTEM");
    auto const& system = session::named_system(stem == nullptr ? "" : stem);
    return std::make_unique<port_target>(system, named_port(system.shape()));
  } catch (session::usage_error const& e) {
    end(session::usage, e.what());
  } catch (session::session_failure const& e) {
    end(session::port_broke, std::string(e.what()) + (e.stderr_tail.empty() ? "" : "\n" + e.stderr_tail));
  } catch (std::exception const& e) {
    end(session::usage, e.what());
  }
}

}  // namespace
}  // namespace backoff::fuzz

backoff::fuzz::target& backoff::fuzz::the_target() {
  static auto const the = target_of_environment();
  return *the;
}
