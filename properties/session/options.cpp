#include "session/options.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "histories/ranges.hpp"
#include "histories/text.hpp"
#include "histories/text_parts.hpp"
#include "session/breakdown.hpp"
#include "session/exit_codes.hpp"

namespace backoff::session {
namespace {

using text_parts::comma_separated;

claim_mask matching(judged_system const& system, std::string const& glob) {
  claim_mask mask = 0;
  auto const claims = system.claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    std::string const name(claims[i].name);
    if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) mask |= claim_mask{1} << i;
  }
  if (mask == 0)
    throw usage_error("no claim of " + std::string(system.shape().stem) + " matches '" + glob +
                      "', expected one of: " + comma_separated(claims, &claim_text::name));
  return mask;
}

std::pair<unsigned, unsigned> pinned(judged_system const& system, std::string const& text) {
  auto const equals = text.find('=');
  auto const& table = system.readings();
  auto const reading = table.find(text.substr(0, equals));
  if (!reading) {
    throw usage_error("--reading '" + text + "': expected NAME=VALUE with NAME one of: " +
                      comma_separated(table.readings(), &spec::reading::name));
  }
  auto const alternative = equals == std::string::npos ? std::nullopt : table.find(*reading, text.substr(equals + 1));
  if (!alternative) {
    auto const& [name, alternatives] = table.readings()[*reading];
    throw usage_error("--reading '" + text + "': expected " + std::string(name) +
                      "= one of: " + comma_separated(alternatives, &spec::alternative::name));
  }
  return {*reading, *alternative};
}

void narrow_by(judging_options const& options, shape const& s, domain& d) {
  for (auto const& text : options.ranges) {
    try {
      narrow(s, d, text);
    } catch (text_error const& e) {
      throw usage_error("--range '" + text + "': " + e.what());
    }
  }
}

}  // namespace

judged_system const& named_system(std::string_view stem) {
  if (auto const* system = find_judged_system(stem)) return *system;
  auto const names = comma_separated(judged_systems(), [](auto const* s) { return s->shape().stem; });
  throw usage_error("unknown system '" + std::string(stem) + "', expected one of: " + names +
                    "; a policy of the shelf, or a policy file, whose name ends in .yaml, .yml or .json");
}

run_options parse_judging(judged_system const& system, judging_options const& options) {
  run_options parsed;
  parsed.strict = options.strict;
  parsed.document_only = options.document_only;
  parsed.whole = options.whole;
  parsed.alpha = options.alpha;
  if (!options.claims.empty()) parsed.claims = 0;
  for (auto const& glob : options.claims) parsed.claims |= matching(system, glob);
  for (auto const& glob : options.skips) parsed.claims &= ~matching(system, glob);
  claim_mask const all = (claim_mask{1} << system.claims().size()) - 1;
  if ((parsed.claims & all) == 0) throw usage_error("--claim and --skip leave no claim to judge");
  // Refuses ranges that no port could take before a port is started.
  auto documented = documented_domain(system.shape(), {});
  narrow_by(options, system.shape(), documented);
  for (auto const& text : options.readings) parsed.pinned.push_back(pinned(system, text));
  return parsed;
}

std::vector<std::string> words_for_replay(judging_options const& options) {
  std::vector<std::string> words;
  auto const add = [&](char const* name, std::vector<std::string> const& values) {
    for (auto const& value : values) words.insert(words.end(), {name, value});
  };
  if (!options.policy.empty()) add("--policy", {options.policy});
  add("--claim", options.claims);
  add("--skip", options.skips);
  add("--reading", options.readings);
  add("--range", options.ranges);
  if (!options.library.empty()) add("--library", {options.library});
  add("--param", options.constants);
  if (options.strict) words.emplace_back("--strict");
  if (options.document_only) words.emplace_back("--document-only");
  if (options.alpha != judging_options().alpha)
    words.insert(words.end(), {"--alpha", fmt::format("{}", options.alpha)});
  if (options.timeout_s != judging_options().timeout_s)
    words.insert(words.end(), {"--timeout", fmt::format("{}", options.timeout_s)});
  return words;
}

capabilities narrowed(shape const& s, capabilities about, judging_options const& options) {
  narrow_by(options, s, about.takes);
  return about;
}

run make_run(judged_system const& system, capabilities const& about, run_options const& options) {
  auto begun = run::begin(system, about, options);
  if (auto* const judged = std::get_if<run>(&begun)) return std::move(*judged);
  auto const& why = std::get<std::string>(begun);
  if (about.mapping) throw session_failure(why, "");  // the port's own word
  throw usage_error(why);
}

std::size_t tries_of_replay(std::span<history const> cases) {
  constexpr std::size_t histories_max = 10'000;
  constexpr std::size_t calls_max = 400'000;
  std::size_t calls = 0;
  for (auto const& h : cases) calls += h.steps.size() + 1;
  return std::max<std::size_t>(1, std::min(histories_max / cases.size(), calls_max / calls));
}

void demand_takeable(history const& h, shape const& s, domain const& takes) {
  bool complete = true;
  for (auto const& step : h.steps) {
    auto const args = s.operations[step.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      bool const drawn = args[i].kind == field_kind::draw && takes.draws.kind != spec::draw_kind::hidden;
      complete = complete && (!drawn || step.args[i].kind != value_kind::absent);
    }
  }
  auto const token = to_token({&s, {h}});
  if (!complete) throw usage_error("a step has no draw, but the port takes draws: " + token);
  if (!inside(s, takes, h))
    throw usage_error("outside the ranges that the port declares, or that --range gives: " + token);
}

}  // namespace backoff::session
