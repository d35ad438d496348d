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
#include "judge/catalogue.hpp"
#include "oracle/called.hpp"
#include "oracle/report_files.hpp"
#include "oracle/silent_port.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "protocol/messages.hpp"
#include "reports/page.hpp"
#include "reports/print_report.hpp"

namespace backoff::oracle {
namespace {

// Throws usage_error where these are not the parts of one run, each once. Sorts them.
void demand_one_run(std::vector<results_file>& files) {
  std::ranges::sort(files, {}, [](results_file const& f) { return f.header().ran.which.number; });
  auto const& first = files.front();
  auto const& h = first.header();
  for (auto const& file : files) {
    auto const& other = file.header();
    auto const same = [&](std::string_view what, auto const& one, auto const& two) {
      if (one != two) {
        file.refuse(fmt::format(
            "of another run than '{}': its {} is {} there, {} here; -o FILE.html puts several runs on a page",
            first.path(), what, nlohmann::json(one).dump().substr(0, 200), nlohmann::json(two).dump().substr(0, 200)));
      }
    };
    same("system", h.system, other.system);
    same("port", nlohmann::json::parse(h.port), nlohmann::json::parse(other.port));
    same("seed", h.seed, other.seed);
    same("number of cases", h.ran.total, other.ran.total);
    same("number of shards", h.ran.which.of, other.ran.which.of);
    same("--claim", h.options.claims, other.options.claims);
    same("--skip", h.options.skips, other.options.skips);
    same("--reading", h.options.readings, other.options.readings);
    same("--range", h.options.ranges, other.options.ranges);
    same("--strict", h.options.strict, other.options.strict);
    same("--document-only", h.options.document_only, other.options.document_only);
    same("--alpha", h.options.alpha, other.options.alpha);
    same("--known-failing", h.known_failing, other.known_failing);
  }
  for (std::size_t i = 1; i < files.size(); ++i) {
    auto const& which = files[i].header().ran.which;
    if (which == files[i - 1].header().ran.which)
      files[i].refuse(fmt::format("repeats shard {}/{} of '{}'", which.number, which.of, files[i - 1].path()));
  }
  std::string missing;
  for (unsigned n = 1; n <= h.ran.which.of; ++n) {
    if (std::ranges::none_of(files, [&](results_file const& f) { return f.header().ran.which.number == n; }))
      missing += fmt::format("{}{}/{}", missing.empty() ? "" : ", ", n, h.ran.which.of);
  }
  if (!missing.empty()) first.refuse("not all shards of its run are given; missing: " + missing);
}

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
    about_ = narrowed(system_->shape(), parse_start_reply(system_->shape(), header_.port), header_.options);
    options_ = parse_judging(*system_, header_.options);
  }

  // Judges all that the files hold. The report is there as long as this is.
  report const& judged(bool for_certificate = false) {
    whole_.emplace(begun(header_.options.max_failures, false));
    if (for_certificate) whole_->keep();
    auto& whole = *whole_;
    if (header_.ran.which.is_whole()) whole.keep_answers();
    bool more = true;
    begin_progress("judging");
    for (auto& file : files_) more = judge(file, whole, more);
    if (files_.size() > 1) {  // otherwise it is done
      std::vector<compared> all;
      for (auto const& file : files_) std::ranges::move(file.compared_with_itself(*system_), std::back_inserter(all));
      settled_ = settle_blame(whole, all);
    }
    bool const gave_up = std::ranges::count(files_, how_ended::gave_up, &results_file::ended) != 0;
    whole.settle(!gave_up);

    auto called = called_by(header_);
    called.part = {};
    for (auto const& file : files_) note_end(called, file.ended());
    called.cut_short |= !more;
    if (!gave_up) {
      shown_ = with_parts(whole.judged(),
                          shown_breaches(*settled_, [&](breach const& b) { return shown_breach(whole.judged(), b); }));
    }
    auto broken = breakdowns();
    std::erase_if(broken, [&](broken_port const& b) { return b.smallest && whole.note_break(*b.smallest); });
    called.known = whole.known().lines();
    auto const explains = explained();
    report_.emplace(make_report(whole.judged(), shown_, std::move(broken), std::move(called), explains));
    write_long_histories(*report_);
    return *report_;
  }

  // Once it is judged.
  [[nodiscard]] judged_system const& system() const noexcept { return *system_; }
  void write(report_files& files) const { files.write(*report_, shown_, *whole_); }

  // Once it is judged: the files are read again, as what is worth showing depends on how all of it ended.
  [[nodiscard]] std::vector<picture> pictures() const {
    auto const& run = whole_->judged();
    picture_maker maker(run, shown_);
    begin_progress("drawing");
    std::uint64_t left = judged_;
    for (auto const& file : files_) {
      results_file again(file.path());
      auto const& s = system_->shape();
      plan histories(s, about_.takes, header_.ran.total, header_.seed, run.draws().are_tested());
      histories.skip(file.header().ran.first());
      for (auto results = again.next(s); !results.empty() && left != 0; results = again.next(s)) {
        auto const batch = histories.next(results.size());
        line_->done() += batch.size();
        std::uint64_t const from = histories.given() - batch.size();
        for (std::size_t i = 0; i < batch.size() && left != 0; ++i, --left)
          maker.see(batch[i], results[i], histories.kind_of(from + i, batch[i]) != sample_kind::none);
      }
      if (!asked_two_processes_) continue;
      auto const both = again.twice(s);
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

  // Judges a file's part as part of the whole, until that has enough, and on its own. Whether there is more to judge.
  bool judge(results_file& file, result_feed& whole, bool more) {
    auto const& s = system_->shape();
    auto const& which = file.header().ran.which;
    std::optional<result_feed> alone;
    if (!which.is_whole()) alone.emplace(begun(0, true));
    auto const probes = file.probes(s);
    bool const unsettled =
        probes.empty() && file.histories() == 0;  // the port broke before, or the run was interrupted
    if (!mapping_settled_ && !unsettled) settle_mapping(file, whole, probes);
    mapping_settled_ = mapping_settled_ || !unsettled;
    if (alone && !unsettled) settle_mapping(file, *alone, probes);
    auto const& own = alone ? *alone : whole;
    plan histories(s, about_.takes, header_.ran.total, header_.seed, own.judged().draws().are_tested());
    histories.skip(file.header().ran.first());
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
        if (more) {
          ++judged_;
          more = whole.take(batch[i], results[i], sample);
        }
        if (alone) static_cast<void>(alone->take(batch[i], results[i], sample));
      }
      judged += batch.size();
      line_->done() += batch.size();
    }
    if (digest.text() != file.plan())
      file.refuse("its histories are not those that this build of the oracle generates");
    if (judged != file.histories()) file.refuse("the number of its answers is not the number that it states");
    auto const both = file.twice(s);
    auto const samples = histories.for_two_processes();
    if (!both.one.empty() && both.one.size() != samples.size())
      file.refuse("its two processes were not asked the samples of its run");
    bool const asked = more && whole.wants_two_processes();
    asked_two_processes_ = asked_two_processes_ || asked;
    for (std::size_t i = 0; i < both.one.size(); ++i) {
      if (asked) whole.take_twice(samples[i], both.one[i], both.other[i]);
      if (alone) alone->take_twice(samples[i], both.one[i], both.other[i]);
    }
    auto const compared = file.compared_with_itself(*system_);
    auto settled = settle_blame(alone ? *alone : whole, compared);
    if (!alone) settled_ = std::move(settled);
    if (auto const now = state_of(own.judged()); now != file.state()) {
      throw std::runtime_error("the oracle disagrees with itself on '" + file.path() +
                               "', please report it: its answers, judged again, leave " + now.dump() + ", not " +
                               file.state().dump());
    }
    return more;
  }

  // As the run did at its end; of claims that are not broken in it, whatever a part of it has said.
  static settled_results settle_blame(result_feed& to, std::vector<compared> all) {
    return to.settle_blame([&](run& judged) {
      auto const broken = judged.breaches();
      std::erase_if(all, [&](compared const& c) { return std::ranges::count(broken, c.claim, &breach::claim) == 0; });
      return all;
    });
  }

  void settle_mapping(results_file const& file, result_feed& to, std::vector<result> const& answered) const {
    auto const probes = mapping_probes(to.judged(), header_.seed);
    if (probes.size() != answered.size()) file.refuse("its probes are not those of its run");
    to.settle_mapping(probes, answered);
  }

  // As the part of the run that saw it first has shown it, or another part; as it was seen where none has, because no
  // part alone shows it.
  counterexample shown_breach(run const& judged, breach const& b) const {
    silent_port nobody(about_);
    // By chance another part of its rule may be what was shown.
    auto const parts = is_chance(judged) ? parts_of_rule(judged, b) : std::vector(1, b);
    std::optional<counterexample> found;
    for (auto const& file : files_) {
      bool const saw_it_first = b.first.index >= file.header().ran.first() && b.first.index < file.header().ran.end();
      if (found && !saw_it_first) continue;
      for (auto& f : file.findings(system_->shape())) {
        auto const shown = std::ranges::find(parts, f.claim, [&](breach const& p) { return name_of(p); });
        if (shown == parts.end()) continue;
        counterexample c{
            *shown, judged.explained_by(), std::move(f.histories), std::move(f.excuses), f.how, f.again, f.cut_short};
        if (still_breaks(judged, c)) {
          if (f.explained_by != judged.explained_by().bits || !header_.ran.which.is_whole())
            c.excuses = excuses_of(judged, c.shows, c.histories.back());
          found = std::move(c);
          break;  // what follows of the claim are its other parts
        }
      }
    }
    return found ? *found : minimise(judged, nobody, b);
  }

  // With the findings in other regions of a claim, which stand in the file of a whole run, behind the claim's first.
  [[nodiscard]] std::vector<counterexample> with_parts(run const& judged, std::vector<counterexample> const& firsts) {
    std::vector<counterexample> all;
    for (auto const& first : firsts) {
      all.push_back(first);
      bool is_first = true;
      for (auto& f : files_.front().findings(system_->shape())) {
        if (!f.region || f.claim != name_of(first.shows) || std::exchange(is_first, false)) continue;
        auto shows = first.shows;
        shows.leads = false;
        all.push_back(
            {shows, judged.explained_by(), std::move(f.histories), std::move(f.excuses), f.how, f.again, f.cut_short});
        if (!still_breaks(judged, all.back())) all.pop_back();
      }
    }
    return all;
  }

  // As the run has looked for it: it asked what no file holds.
  [[nodiscard]] explanations explained() {
    explanations all;
    if (!header_.ran.which.is_whole()) return all;
    auto const& run = whole_->judged();
    plan const planned(system_->shape(), about_.takes, header_.ran.total, header_.seed, run.draws().are_tested());
    all.diagnosis = whole_->diagnosed(planned);
    for (auto const& f : files_.front().findings(system_->shape())) {
      auto const c = std::ranges::find(shown_, f.claim, [&](counterexample const& x) { return name_of(x.shows); });
      if (f.region && c != shown_.end()) all.regions[c->shows.claim].push_back(*f.region);
      if (f.region_cut_short && c != shown_.end()) all.cut_short.insert(c->shows.claim);
    }
    all.fold(run, shown_);
    all.tell_apart(system_->shape(), shown_,
                   [&](auto const& elsewhere) { return whole_->diagnosed(planned, elsewhere); });
    if (auto elsewhere = files_.front().outside(system_->shape())) {
      all.outside = std::move(elsewhere->tried);
      all.outside_cut_short = elsewhere->cut_short;
    }
    return all;
  }

  [[nodiscard]] std::string_view name_of(breach const& b) const { return claim_name(*system_, b.claim); }

  static bool still_breaks(run const& judged, counterexample const& c) {
    if (c.how == how_shown::samples) return false;
    auto const& last = c.histories.back();
    if (c.how != how_shown::together) return breaks_claim(judged, c.shows, last.tried, last.got);
    std::vector<result> results;
    for (auto const& e : c.histories) results.push_back(e.got);
    return still_shown(judged, c, results);
  }

  // Each way of breaking once, as each part has shown it.
  std::vector<broken_port> breakdowns() const {
    std::vector<broken_port> all;
    for (auto const& file : files_) {
      for (auto& b : file.broke()) {
        if (std::ranges::none_of(all, [&](broken_port const& other) { return other.what.what == b.what.what; }))
          all.push_back(std::move(b));
      }
    }
    return all;
  }

  std::vector<results_file> files_;
  results_header header_;  // of the first
  judged_system const* system_;
  capabilities about_;
  run_options options_;
  bool mapping_settled_ = false;  // by the first part that was told
  std::optional<result_feed> whole_;
  std::optional<settled_results> settled_;
  progress* line_;
  std::uint64_t judged_ = 0;  // histories of the whole
  bool asked_two_processes_ = false;
  std::vector<counterexample> shown_;
  std::optional<reports::report> report_;
};

// Files that are parts of one run, together; runs in the order in which they are first named. A whole run is one file.
std::vector<std::vector<results_file>> runs_of(std::vector<results_file> files) {
  auto const of_one_run = [](results_file const& a, results_file const& b) {
    auto const key = [](results_header const& h) {
      auto const& o = h.options;
      return nlohmann::json{h.system,        nlohmann::json::parse(h.port),
                            h.seed,          h.ran.total,
                            h.ran.which.of,  o.claims,
                            o.skips,         o.readings,
                            o.ranges,        o.strict,
                            o.document_only, o.alpha,
                            h.known_failing};
    };
    return !a.header().ran.which.is_whole() && key(a.header()) == key(b.header());
  };
  std::vector<std::vector<results_file>> runs;
  for (auto& file : files) {
    auto const known = std::ranges::find_if(runs, [&](auto const& run) { return of_one_run(run.front(), file); });
    (known == runs.end() ? runs.emplace_back() : *known).push_back(std::move(file));
  }
  return runs;
}

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
    shown.push_back({&r, run.pictures()});
    code = worst(code, r.ends_with);
    end_junit(junit, to_junit(r));
  }
  page.write(to_page(shown));
  page.commit();
  line.end();
  for (auto const& run : shown) {
    auto const& about = run.said->judged->about();
    fmt::print("{} {}: {}\n", about.name, about.version, verdict_text(*run.said));
  }
  for (auto const& run : shown) {
    if (!run.said->unwritten.empty()) throw usage_error(run.said->unwritten);
  }
  return code;
}

}  // namespace

exit_code report_results(std::vector<std::string> const& files, report_options const& options) {
  for (auto const& path : files)
    demand_different(std::array{output_name{"RESULTS", path}, output_name{"--junit", options.junit},
                                output_name{"-o", options.page}, output_name{"--certificate", options.certificate}});
  std::vector<results_file> read;
  for (auto const& path : files) read.emplace_back(path);
  if (!options.page.empty()) return report_page(runs_of(std::move(read)), options);
  demand_one_run(read);
  progress line(!options.quiet);
  replayed_run run(std::move(read), options.policy, line);
  report_files reports(options, run.system());
  auto const& r = run.judged(reports.certificate.has_value());
  run.write(reports);
  line.end();
  show(r, options);
  return r.ends_with;
}

}  // namespace backoff::oracle
