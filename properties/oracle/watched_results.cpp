#include "oracle/watched_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "histories/present.hpp"
#include "histories/printable.hpp"
#include "judge/catalogue.hpp"
#include "oracle/terminal.hpp"
#include "reports/junit.hpp"
#include "session/input_file.hpp"

namespace backoff::oracle {
namespace {

bool is_of_watch(std::string const& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  auto in = opened_input(path);
  std::string text(64, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return are_results_of_watch(text.substr(0, static_cast<std::size_t>(in.gcount())));
}

}  // namespace

exit_code show(watched_report const& r, report_options const& options, std::optional<output_file>& junit) {
  end_junit(junit, to_junit(r));
  auto const text = options.format == "json" ? to_json(r)
                    : options.quiet          ? fmt::format("verdict: {}\n", verdict_of(r))
                                             : fitting(to_text(r));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return code_of(r);
}

bool are_of_watch(std::vector<std::string> const& files) {
  auto const of_watch = std::ranges::find_if(files, is_of_watch);
  if (of_watch == files.end()) return false;
  auto const other = std::ranges::find_if_not(files, is_of_watch);
  if (other != files.end())
    throw usage_error(
        fmt::format("'{}' is of `watch`, '{}' is not: expected results of one of them", *of_watch, *other));
  return true;
}

exit_code report_watched(std::vector<std::string> const& files, report_options const& options) {
  if (options.format != "human" && options.format != "json")
    throw usage_error(fmt::format("--format {}: expected human or json for results of `watch`", options.format));
  if (!options.certificate.empty()) throw usage_error("--certificate: results of `watch` have none");
  std::optional<watched_program> all;
  std::map<std::string, std::string> texts;
  for (auto const& path : files) {
    auto text = read_whole_file(path, "a results file");
    auto one = read_results(text, path);
    if (auto const [same, is_new] = texts.emplace(std::move(text), path); !is_new)
      throw usage_error(fmt::format("'{}': the same runs as '{}': expected each once", path, same->second));
    if (all) {
      add_runs(*all, one, path);
    } else {
      all = std::move(one);
    }
  }
  auto seen = histories::present(std::move(all));
  auto const* const document = find_judged_system(seen.system);
  if (document == nullptr)
    throw usage_error(fmt::format("'{}': of the policy '{}': expected --policy FILE with the file that declares it",
                                  files.front(), seen.system));
  if (auto const& here = catalogue_of(seen.system).document_version; here != seen.document)
    throw usage_error(
        fmt::format("'{}': of {} of {}, which is {} here", files.front(), seen.system, seen.document, here));
  for (auto const& path : files)
    demand_different(std::array{output_name{"RESULTS", path}, output_name{"--junit", options.junit},
                                output_name{"-o", options.page}});
  auto junit = begun_file(options.junit, before_junit);
  auto const r = judged(std::move(seen));
  if (options.page.empty()) return show(r, options, junit);
  output_file page(options.page);
  page.write(to_page(r));
  page.commit();
  end_junit(junit, to_junit(r));
  fmt::print("{}: {}\n", histories::printable(r.seen.command.front()), verdict_of(r));
  return code_of(r);
}

}  // namespace backoff::oracle
