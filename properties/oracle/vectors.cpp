#include "files/vectors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "files/shallow_json.hpp"
#include "histories/text_parts.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "session/input_file.hpp"

namespace backoff::oracle {
namespace {

using nlohmann::ordered_json;

// A port that knows several systems may say more than one of them asks; a description is of one.
void demand_known_ranges(shape const& s, ordered_json const& takes, std::string const& path) {
  if (!takes.contains("ranges") || !takes["ranges"].is_object()) return;
  std::vector<std::string_view> known;
  for (auto const& f : s.params) known.push_back(f.name);
  for (auto const& op : s.operations) {
    for (auto const& f : op.args) known.push_back(f.name);
  }
  for (auto const& [name, range] : takes["ranges"].items()) {
    if (std::ranges::find(known, name) == known.end())
      throw usage_error(fmt::format("'{}': \"ranges\": {} has no '{}', expected some of: {}, or arguments of its calls",
                                    path, s.stem, name, text_parts::comma_separated(s.params, &field::name)));
  }
}

}  // namespace

exit_code vectors(vectors_options const& options) {
  vectors_header header{options.system, "", options.seed, options.count, options.calls_max};
  if (!options.describe.empty()) {
    auto const text = read_whole_file(options.describe, "a start reply of the port protocol");
    auto const j = parse_shallow<ordered_json>(text);
    if (!j.is_object())
      throw usage_error("'" + options.describe + "': expected a start reply of the port protocol, a JSON object");
    demand_known_ranges(named_system(options.system).shape(), j, options.describe);
    header.takes = j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  progress line(isatty(STDOUT_FILENO) == 0);  // there the vectors come
  line.begin("planning", "histories", header.count);
  vector_suite const suite(std::move(header), &line.done());
  line.begin("writing", "vectors", suite.all().size());
  suite.write(options.format, [&](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    ++line.done();
  });
  return conforms;
}

}  // namespace backoff::oracle
