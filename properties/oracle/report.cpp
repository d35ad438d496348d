// The verb report: judges what results files hold, as the run that wrote them did. The files are the parts of one plan,
// in its order, and their answers go through the same judge one after another; so the verdict is, by construction, that
// of the whole run in one piece, and nothing has to be said of how survivors or capitals of bets would be merged. (The
// assignments that survive all parts are those that survive each; but a bet depends on the order of its draws, and
// which assignment explains a run on what was refuted first.) What each file says of its own part is checked on the
// way: a file whose answers lead elsewhere when they are judged again shows that the oracle disagrees with itself.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "files/policy_file.hpp"
#include "histories/present.hpp"
#include "judge/catalogue.hpp"
#include "oracle/called.hpp"
#include "oracle/one_run.hpp"
#include "oracle/port_herd.hpp"
#include "oracle/recorded_findings.hpp"
#include "oracle/report_files.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "oracle/watched_results.hpp"
#include "protocol/messages.hpp"
#include "reports/junit.hpp"
#include "reports/page.hpp"
#include "reports/print_report.hpp"

namespace backoff::oracle {
namespace {

class replayed_run {
 public:
  replayed_run(std::vector<results_file> files, std::string const& policy, progress& line)
      : files_(std::move(files)), header_(files_.front().header()), line_(&line) {
    bool const known_here = find_judged_system(header_.system) != nullptr;
    if (!known_here && header_.document.starts_with("sha-256 ")) {
      files_.front().refuse("of the policy '" + header_.system +
                            "': expected --policy FILE with the file that declares it");
    }
    system_ = &named_system(header_.system);
    auto const& known = catalogue_of(header_.system).document_version;
    if (header_.document != known)
      files_.front().refuse("judged by " + header_.system + " of " + header_.document + ", which is " + known +
                            " here");
    if (word_for_system(header_.system) != header_.system) header_.options.policy = policy;
    try {
      about_ = narrowed(system_->shape(), parse_start_reply(system_->shape(), header_.port), header_.options);
    } catch (protocol_error const& e) {
      files_.front().refuse(std::string("its port: ") + e.what());
    }
    options_ = parse_judging(*system_, header_.options);
  }

  // Judges all that the files hold. The report is there as long as this is.
  report const& judged(bool for_certificate = false) {
    whole_.emplace(begun(header_.options.max_failures, false));
    if (for_certificate) whole_->keep();
    auto& whole = *whole_;
    if (header_.ran.which.is_whole()) whole.keep_answers();
    begin_progress("judging");
    for (auto& file : files_) judge(file);
    if (files_.size() > 1) {  // otherwise it is done
      std::vector<compared> all;
      for (auto const& file : files_) std::ranges::move(file.compared_with_itself(*system_), std::back_inserter(all));
      settled_ = settle_blame(whole, all);
    }
    bool const gave_up = std::ranges::count(files_, how_ended::gave_up, &results_file::ended) != 0;
    whole.settle(!gave_up);

    auto called = called_by(header_);
    called.part = {};
    for (auto const& file : files_) {
      note_end(called, file.ended());
      bool const is_cut_off = file.ended() == how_ended::interrupted || file.ended() == how_ended::out_of_time;
      if (is_cut_off && files_.size() > 1)
        line_->say(fmt::format(
            "backoff-oracle: note: the shard in '{}' did not come to its end: check --resume '{}' continues it\n",
            file.path(), file.path()));
    }
    called.cut_short |= taken_.enough;
    if (!gave_up) found_ = recorded_findings(files_, present(settled_));
    auto broken = recorded_breakdowns(files_);
    std::erase_if(broken, [&](broken_port const& b) { return b.smallest && whole.note_break(*b.smallest); });
    called.known = whole.known().lines();
    report_.emplace(make_report(whole.judged(), found_.shown, std::move(broken), std::move(called), found_.why));
    write_long_histories(*report_);
    return *report_;
  }

  // Once it is judged.
  [[nodiscard]] judged_system const& system() const noexcept { return *system_; }
  void write(report_files& files) const { files.write(present(report_), found_.shown, present(whole_)); }

  // Once it is judged: the files are read again, as what is worth showing depends on how all of it ended.
  [[nodiscard]] std::vector<picture> pictures() {
    auto const& whole = present(whole_);
    auto const& run = whole.judged();
    picture_maker maker(run, found_.shown);
    begin_progress("drawing");
    std::uint64_t left = taken_.histories;
    for (auto& file : files_) {
      file.begin_again();
      auto const& s = system_->shape();
      auto histories = planned(file, whole);
      for (auto results = file.next(s); !results.empty() && left != 0; results = file.next(s)) {
        auto const batch = histories.next(results.size());
        line_->done() += batch.size();
        std::uint64_t const from = histories.given() - batch.size();
        for (std::size_t i = 0; i < batch.size() && left != 0; ++i, --left)
          maker.see(batch[i], results[i], histories.kind_of(from + i, batch[i]) != sample_kind::none);
      }
      if (!taken_.two_processes) continue;
      auto const both = file.twice(s);
      auto const samples = histories.for_two_processes();
      for (std::size_t i = 0; i < both.one.size(); ++i) maker.see_twice(samples[i], both.one[i], both.other[i]);
    }
    return maker.made();
  }

 private:
  // From now on its histories are done one after another.
  void begin_progress(std::string_view what) const {
    std::uint64_t all = 0;
    for (auto const& file : files_) all += file.header().ran.end() - file.header().ran.first();
    line_->begin(fmt::format("{} {}", what, about_.name), "histories", all);
  }
  [[nodiscard]] result_feed begun(std::uint64_t max_failures, bool part) const {
    auto known = known_failing::parse(*system_, header_.known_failing_name, header_.known_failing);
    auto judged = make_run(*system_, about_, known.added_to(options_));
    return {std::move(judged), std::move(known), max_failures, part};
  }

  // Judges a file's part as part of the whole, until that has enough, and on its own.
  void judge(results_file& file) {
    std::optional<result_feed> alone;
    if (!file.header().ran.which.is_whole()) alone.emplace(begun(0, true));
    auto& own = alone ? *alone : present(whole_);
    settle_mapping(file, alone);
    auto histories = planned(file, own);
    judge_histories(file, histories, alone);
    judge_two_processes(file, histories.for_two_processes(), alone);
    auto settled = settle_blame(own, file.compared_with_itself(*system_));
    if (!alone) settled_ = std::move(settled);
    if (auto const now = state_of(own.judged()); now != file.state()) {
      throw std::runtime_error("the oracle disagrees with itself on '" + file.path() +
                               "', please report it: its answers, judged again, leave " + now.dump() + ", not " +
                               file.state().dump());
    }
  }

  void settle_mapping(results_file const& file, std::optional<result_feed>& alone) {
    auto const answered = file.probes(system_->shape());
    if (answered.empty() && file.histories() == 0) return;  // the port broke before, or the run was interrupted
    auto const settle = [&](result_feed& to) {
      auto const probes = mapping_probes(to.judged(), header_.seed);
      if (probes.size() != answered.size()) file.refuse("its probes are not those of its run");
      to.settle_mapping(probes, answered);
    };
    if (!std::exchange(taken_.mapping, true)) settle(present(whole_));
    if (alone) settle(*alone);
  }

  [[nodiscard]] plan planned(results_file const& file, result_feed const& own) const {
    plan histories(system_->shape(), about_.takes, header_.ran.total, header_.seed, own.judged().draws().are_tested());
    histories.skip(file.header().ran.first());
    return histories;
  }

  void judge_histories(results_file& file, plan& histories, std::optional<result_feed>& alone) {
    auto const& s = system_->shape();
    plan_digest digest;
    std::uint64_t judged = 0;
    for (auto results = file.next(s); !results.empty(); results = file.next(s)) {
      auto const batch = histories.next(results.size());
      if (batch.size() != results.size()) file.refuse("it has more answers than its run has histories");
      digest.add(batch);
      std::uint64_t const from = histories.given() - batch.size();
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (results[i].answers.size() > batch[i].steps.size() && results[i].kind == result_kind::answered)
          file.refuse("its histories are not those that this build of the oracle generates: more answers than calls");
        auto const sample = histories.kind_of(from + i, batch[i]);
        if (!taken_.enough) {
          ++taken_.histories;
          taken_.enough = !present(whole_).take(batch[i], results[i], sample);
        }
        if (alone) static_cast<void>(alone->take(batch[i], results[i], sample));
      }
      judged += batch.size();
      line_->done() += batch.size();
    }
    if (digest.text() != file.plan())
      file.refuse("its histories are not those that this build of the oracle generates");
    if (judged != file.histories()) file.refuse("the number of its answers is not the number that it states");
  }

  void judge_two_processes(results_file const& file, std::vector<history> const& samples,
                           std::optional<result_feed>& alone) {
    auto const both = file.twice(system_->shape());
    if (!both.one.empty() && both.one.size() != samples.size())
      file.refuse("its two processes were not asked the samples of its run");
    auto& whole = present(whole_);
    bool const asked = !taken_.enough && whole.wants_two_processes();
    taken_.two_processes = taken_.two_processes || asked;
    for (std::size_t i = 0; i < both.one.size(); ++i) {
      if (asked) whole.take_twice(samples[i], both.one[i], both.other[i]);
      if (alone) alone->take_twice(samples[i], both.one[i], both.other[i]);
    }
  }

  // As the run did at its end; of claims that are not broken in it, whatever a part of it has said.
  static settled_results settle_blame(result_feed& to, std::vector<compared> all) {
    return to.settle_blame([&](run& judged) {
      auto const broken = judged.breaches();
      std::erase_if(all, [&](compared const& c) { return std::ranges::count(broken, c.claim, &breach::claim) == 0; });
      return all;
    });
  }

  // What the whole has taken of the files.
  struct taken {
    bool mapping = false;  // of draws, by the first part that was told
    std::uint64_t histories = 0;
    bool two_processes = false;
    bool enough = false;
  };

  std::vector<results_file> files_;
  results_header header_;  // of the first
  judged_system const* system_;
  capabilities about_;
  run_options options_;
  std::optional<result_feed> whole_;
  std::optional<settled_results> settled_;
  progress* line_;
  taken taken_;
  explained_findings found_;
  std::optional<reports::report> report_;
};

exit_code worst(exit_code a, exit_code b) {
  for (auto const code : {port_broke, does_not_conform, inconclusive}) {
    if (a == code || b == code) return code;
  }
  return conforms;
}

// A page of all runs; a line a run on standard output.
exit_code report_page(std::vector<std::vector<results_file>> all, report_options const& options) {
  if (!options.junit.empty() && all.size() > 1) throw usage_error("--junit: expected the results of one run");
  output_file page(options.page);
  auto junit = begun_file(options.junit, before_junit);
  for (auto& files : all) demand_one_run(files);
  std::deque<replayed_run> runs;  // reports refer to them: they stay where they are
  std::vector<page_run> shown;
  progress line(!options.quiet);
  auto code = conforms;
  for (auto& files : all) {
    auto& run = runs.emplace_back(std::move(files), options.policy, line);
    auto const& r = run.judged();
    auto pictures = run.pictures();
    if (auto herd = herd_of(r, pictures)) pictures.push_back(std::move(*herd));
    shown.push_back({&r, std::move(pictures)});
    code = worst(code, r.ends_with);
    end_junit(junit, to_junit(r));
  }
  page.write(to_page(shown));
  page.commit();
  line.end();
  for (auto const& run : shown) {
    auto const& about = run.said->judged->about();
    fmt::print("port {} {}: {}\n", about.name, about.version, verdict_text(*run.said));
  }
  for (auto const& run : shown) {
    if (!run.said->unwritten.empty()) throw usage_error(run.said->unwritten);
  }
  return code;
}

}  // namespace

exit_code report_results(std::vector<std::string> const& files, report_options const& options) {
  if (are_of_watch(files)) return report_watched(files, options);
  for (auto const& path : files)
    demand_different(std::array{output_name{"RESULTS", path}, output_name{"--junit", options.junit},
                                output_name{"-o", options.page}, output_name{"--certificate", options.certificate}});
  std::vector<results_file> read;
  read.reserve(files.size());
  for (auto const& path : files) read.emplace_back(path);
  if (!options.page.empty()) return report_page(runs_of(std::move(read)), options);
  demand_one_run(read);
  progress line(!options.quiet);
  replayed_run run(std::move(read), options.policy, line);
  report_files reports(options);
  auto const& r = run.judged(reports.certificate.has_value());
  run.write(reports);
  line.end();
  show(r, options);
  return r.ends_with;
}

}  // namespace backoff::oracle
