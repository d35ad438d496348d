// The verb verify: judges what was answered to vectors elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "files/readable_versions.hpp"
#include "files/shallow_json.hpp"
#include "files/vector_answers.hpp"
#include "files/vectors.hpp"
#include "histories/text_parts.hpp"
#include "judge/dependence.hpp"
#include "oracle/report_files.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "session/input_file.hpp"

namespace backoff::oracle {
namespace {

using ordered_json = nlohmann::ordered_json;

// The header of a file of vectors, in either format. Throws usage_error.
vectors_header read_header(std::string const& path) {
  auto const refuse = [&](std::string const& why) { throw usage_error("'" + path + "': " + why); };
  auto in = opened_input(path);
  std::string line;
  if (!in || in.peek() == std::ifstream::traits_type::eof())
    refuse("expected vectors: the file cannot be read or is empty");
  read_line(in, line);
  constexpr std::string_view of_lines = "# ";
  constexpr std::string_view of_json = R"({"header":)";
  std::string_view text = line;
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.starts_with(of_lines)) {
    text.remove_prefix(of_lines.size());
  } else if (text.starts_with(of_json) && text.ends_with(',')) {
    text = text.substr(of_json.size(), text.size() - of_json.size() - 1);
  }
  auto const j = parse_shallow<ordered_json>(text);
  if (!j.is_object() || !j.contains("vectors"))
    refuse("line 1: expected the header of backoff-oracle vectors, found " + text_parts::shown(line));
  try {
    auto const version = j.at("version").get<std::string>();
    if (j.at("vectors") != 1) refuse("expected the form of vectors 1, found " + j.at("vectors").dump());
    if (auto const why = unreadable(version); !why.empty()) refuse(why);
    return {j.at("system").get<std::string>(),      j.at("takes").dump(),
            j.at("seed").get<std::uint64_t>(),      j.at("count").get<std::uint64_t>(),
            j.at("calls_max").get<std::uint64_t>(), version};
  } catch (nlohmann::json::exception const& e) {
    throw usage_error("'" + path + "': line 1: expected the header of vectors: " + e.what());
  }
}

// Throws usage_error at the first place where the file is not what its header makes.
void demand_unedited(std::string const& path, vector_suite const& suite, progress& progressing) {
  progressing.begin("comparing", "vectors", suite.all().size());
  auto in = opened_input(path);
  bool const lines = in.peek() == '#';
  std::uint64_t line = 1;
  std::string found;
  suite.write(lines ? "lines" : "json", [&](std::string_view expected) {
    found.resize(expected.size());
    in.read(found.data(), static_cast<std::streamsize>(found.size()));
    found.resize(static_cast<std::size_t>(in.gcount()));
    ++progressing.done();
    auto const [at, differs] = std::ranges::mismatch(expected, found);
    line += static_cast<std::uint64_t>(std::count(expected.begin(), at, '\n'));
    if (at == expected.end()) return;
    if (differs == found.end()) throw usage_error(fmt::format("'{}', line {}: cut off", path, line));
    if (*differs == '\r')
      throw usage_error(fmt::format("'{}', line {}: expected LF after a line, found CR LF", path, line));
    throw usage_error(fmt::format("'{}', line {}: edited: expected {}, found {}", path, line,
                                  text_parts::shown(std::string_view(at, expected.end())),
                                  text_parts::shown(std::string_view(differs, found.end()))));
  });
  if (in.peek() != std::ifstream::traits_type::eof())
    throw usage_error("'" + path + "': unexpected text after its last line");
}

// Answers as they were recorded. A history that is not a vector was never sent.
class recorded_port final : public subject {
 public:
  recorded_port(vector_suite const& suite, std::vector<result> const& results) : suite_(&suite) {
    for (std::size_t i = 0; i < results.size(); ++i) known_.emplace(token(suite.all()[i].asked), i);
    results_ = &results;
  }
  [[nodiscard]] capabilities const& describes() const noexcept override { return suite_->about(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<result> all;
    for (auto const& h : histories) {
      auto const at = known_.find(token(h));
      all.push_back(at == known_.end() ? result{result_kind::unsent, {}, "no vector"} : (*results_)[at->second]);
    }
    return all;
  }
  // Some of a vector's calls, which are no vector themselves.
  void name_parts(std::span<compared const> all) {
    for (auto const& c : all) {
      if (!c.asked) parts_.emplace(token(c.seen.tried), c.seen.index);
    }
  }
  // The vector whose calls these are.
  [[nodiscard]] named_vector vector_of(history const& h) const {
    for (auto const* all : {&known_, &parts_}) {
      if (auto const at = all->find(token(h)); at != all->end()) return {suite_->all()[at->second].id, all == &known_};
    }
    return {};
  }

 private:
  [[nodiscard]] std::string token(history const& h) const { return to_token({&suite_->system().shape(), {h}}); }

  vector_suite const* suite_;
  std::vector<result> const* results_;
  std::map<std::string, std::size_t> known_;
  std::map<std::string, std::size_t> parts_;
};

// The breach as the shortest vector shows it that does.
breach shortest(run const& judged, vector_suite const& suite, std::vector<result> const& results, breach b) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& h = suite.all()[i].asked;
    if (h.steps.size() < b.first.tried.steps.size() && breaks_claim(judged, b, h, results[i]))
      b.first = {i, h, results[i]};
  }
  return b;
}

}  // namespace

exit_code verify(verify_options const& options) {
  progress line(!options.judging.report.quiet);
  auto header = read_header(options.vectors);
  line.begin("planning", "histories", header.count);
  vector_suite suite(std::move(header), &line.done());
  suite.name_the_port(options.results);
  demand_unedited(options.vectors, suite, line);
  line.begin("reading the answers", "");
  auto const results = read_answered(options.results, suite);
  auto const& system = suite.system();
  demand_different(std::array{output_name{"--junit", options.judging.report.junit},
                              output_name{"--certificate", options.judging.report.certificate}});
  report_files reports(options.judging.report);
  auto const& known = options.judging.known_failing;
  result_feed judged(make_run(system, suite.about(), parse_judging(system, options.judging)),
                     known.empty() ? known_failing() : known_failing::read(system, known), options.judging.max_failures,
                     false);
  if (reports.certificate) judged.keep();
  std::vector<history> asked;
  for (auto const& v : suite.all()) asked.push_back(v.asked);
  judged.settle_mapping(std::span(asked).first(suite.probes()), std::span(results).first(suite.probes()));
  std::vector<broken_port> broke;
  bool more = true;
  line.begin("judging", "vectors", asked.size());
  for (std::size_t i = 0; i < asked.size() && more; ++i) {
    auto const sample = suite.all()[i].is_sample ? sample_kind::repeated : sample_kind::none;
    more = judged.take(asked[i], results[i], sample);
    ++line.done();
    constexpr std::size_t shown_max = 5;
    if (results[i].kind != result_kind::broke || broke.size() == shown_max) continue;
    breakdown b;
    b.what = "an answer that the protocol does not allow: " + results[i].why;
    broke.push_back({std::move(b), asked[i]});
  }
  recorded_port port(suite, results);
  auto const settled = judged.settle_blame([&](run& r) {
    auto found = compare_with_itself(r, port);
    confirm_by_the_others(r, found, asked, results);
    return found;
  });
  port.name_parts(settled.compared());
  judged.settle(true);

  line.begin("looking for the shortest vectors", "");
  auto const shown = shown_breaches(settled, [&](breach const& b) {
    return minimise(judged.judged(), port,
                    is_about_draws(system, b) ? b : shortest(judged.judged(), suite, results, b));
  });
  invocation called{options.judging.program,
                    words_for_replay(options.judging),
                    {options.vectors, options.results},
                    suite.header().seed,
                    suite.all().size()};
  called.vector_of = [&](history const& h) { return port.vector_of(h); };
  called.cut_short = !more;
  called.known = judged.known().lines();
  auto r = make_report(judged.judged(), shown, std::move(broke), std::move(called));
  r.not_checked.insert(r.not_checked.begin(),
                       fmt::format("histories of more than {} calls: these vectors have none (vectors --max-calls)",
                                   suite.header().calls_max));
  reports.write(r, shown, judged);
  line.end();
  show(r, options.judging.report);
  return r.ends_with;
}

}  // namespace backoff::oracle
