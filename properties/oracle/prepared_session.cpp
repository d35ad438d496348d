#include "oracle/prepared_session.hpp"

#include <array>

namespace backoff::oracle {

namespace {

void demand_different_files(judging_options const& options, std::string const& resume) {
  output_name const results{"--results", options.results};
  output_name const junit{"--junit", options.report.junit};
  output_name const failing{"--write-known-failing", options.write_known_failing};
  output_name const certificate{"--certificate", options.report.certificate};
  output_name const known{"--known-failing", options.known_failing};
  output_name const resumed{"--resume", resume};
  demand_different(std::array{results, junit, failing, certificate});
  // The list of known failures may be the file that is written anew. The results may be the file that the run resumes.
  for (auto const& output : {results, junit, certificate}) demand_different(std::array{output, known});
  for (auto const& output : {junit, failing}) demand_different(std::array{resumed, output});
  demand_different(std::array{certificate, resumed});
}

std::optional<results_writer> opened(judging_options const& options, std::string const& resume) {
  demand_different_files(options, resume);
  return options.results.empty() ? std::nullopt : std::optional<results_writer>(std::in_place, options.results);
}

std::optional<resumed_results> read(shape const& s, std::string const& resume) {
  return resume.empty() ? std::nullopt : std::optional<resumed_results>(std::in_place, s, resume);
}

known_failing known_by(judged_system const& system, judging_options const& options, known_failing const* known) {
  if (known != nullptr) return *known;
  return options.known_failing.empty() ? known_failing() : known_failing::read(system, options.known_failing);
}

}  // namespace

prepared_session prepare(judged_system const& system, judging_options const& options, std::string const& resume,
                         known_failing const* known) {
  bool const is_whole = options.whole && options.part.is_whole();
  return {parse_judging(system, options),
          read(system.shape(), resume),
          opened(options, resume),
          report_files(options.report),
          begun_file(options.write_known_failing, known_failing::about),
          known_by(system, options, known),
          is_whole || known != nullptr};
}

}  // namespace backoff::oracle
