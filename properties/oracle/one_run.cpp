#include "oracle/one_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace backoff::oracle {

namespace {

// What the parts of a run have in common.
std::vector<std::pair<std::string_view, nlohmann::json>> common_of(results_header const& h) {
  auto const& o = h.options;
  return {{"system", h.system},
          {"port", nlohmann::json::parse(h.port)},
          {"seed", h.seed},
          {"number of cases", h.ran.total},
          {"number of shards", h.ran.which.of},
          {"--claim", o.claims},
          {"--skip", o.skips},
          {"--reading", o.readings},
          {"--range", o.ranges},
          {"--strict", o.strict},
          {"--document-only", o.document_only},
          {"--alpha", o.alpha},
          {"--known-failing", h.known_failing}};
}

}  // namespace

void demand_one_run(std::vector<results_file>& files) {
  std::ranges::sort(files, {}, [](results_file const& f) { return f.header().ran.which.number; });
  auto const& first = files.front();
  auto const& h = first.header();
  auto const there = common_of(h);
  for (auto const& file : files) {
    auto const here = common_of(file.header());
    auto const [one, other] = std::ranges::mismatch(there, here);
    if (one == there.end()) continue;
    file.refuse(
        fmt::format("of another run than '{}': its {} is {} there, {} here; -o FILE.html puts several runs on a page",
                    first.path(), one->first, one->second.dump().substr(0, 200), other->second.dump().substr(0, 200)));
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

std::vector<std::vector<results_file>> runs_of(std::vector<results_file> files) {
  std::vector<std::vector<results_file>> runs;
  for (auto& file : files) {
    auto const known = std::ranges::find_if(runs, [&](auto const& run) {
      auto const& first = run.front().header();
      return !first.ran.which.is_whole() && common_of(first) == common_of(file.header());
    });
    (known == runs.end() ? runs.emplace_back() : *known).push_back(std::move(file));
  }
  return runs;
}

}  // namespace backoff::oracle
