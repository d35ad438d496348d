#include "oracle/judging.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <cstdio>

#include "history/text.hpp"
#include "judge/plan.hpp"

namespace backoff::oracle {
namespace {

using namespace conformance;

claim_mask matching(judged_system const& system, std::string const& glob) {
  claim_mask mask = 0;
  std::string names;
  auto const claims = system.claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    std::string const name(claims[i].name);
    names.append(names.empty() ? "" : ", ").append(name);
    if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) mask |= claim_mask{1} << i;
  }
  if (mask == 0) throw usage_error("no claim of " + std::string(system.shape().stem) + " matches '" + glob + "', expected one of: " + names);
  return mask;
}

std::pair<unsigned, unsigned> pinned(judged_system const& system, std::string const& text) {
  auto const equals = text.find('=');
  auto const& table = system.readings();
  auto const reading = table.find(text.substr(0, equals));
  std::string names;
  if (!reading) {
    for (auto const& r : table.readings()) names.append(names.empty() ? "" : ", ").append(r.name);
    throw usage_error("--reading '" + text + "': expected NAME=VALUE with NAME one of: " + names);
  }
  auto const alternative = equals == std::string::npos ? std::nullopt : table.find(*reading, text.substr(equals + 1));
  if (!alternative) {
    for (auto const& a : table.readings()[*reading].alternatives) names.append(names.empty() ? "" : ", ").append(a.name);
    throw usage_error("--reading '" + text + "': expected " + std::string(table.readings()[*reading].name) + "= one of: " + names);
  }
  return {*reading, *alternative};
}

std::chrono::milliseconds timeout(judging_options const& options) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
}

std::vector<std::string> words_for_replay(judging_options const& options) {
  std::vector<std::string> words;
  auto const add = [&](char const* name, std::vector<std::string> const& values) {
    for (auto const& value : values) words.insert(words.end(), {name, value});
  };
  add("--claim", options.claims);
  add("--skip", options.skips);
  add("--reading", options.readings);
  if (options.strict) words.emplace_back("--strict");
  return words;
}

run make_run(judged_system const& system, capabilities const& about, run_options const& options) {
  try {
    return run(system, about, options);
  } catch (std::invalid_argument const& e) {
    throw usage_error(e.what());
  }
}

}  // namespace

judged_system const& named_system(std::string_view stem) {
  if (auto const* system = find_judged_system(stem)) return *system;
  std::string names;
  for (auto const* s : judged_systems()) names.append(names.empty() ? "" : ", ").append(s->shape().stem);
  throw usage_error("unknown system '" + std::string(stem) + "', expected one of: " + names);
}

run_options parse_judging(judged_system const& system, judging_options const& options) {
  run_options parsed;
  parsed.strict = options.strict;
  if (!options.claims.empty()) parsed.claims = 0;
  for (auto const& glob : options.claims) parsed.claims |= matching(system, glob);
  for (auto const& glob : options.skips) parsed.claims &= ~matching(system, glob);
  claim_mask const all = (claim_mask{1} << system.claims().size()) - 1;
  if ((parsed.claims & all) == 0) throw usage_error("--claim and --skip leave no claim to judge");
  for (auto const& text : options.readings) parsed.pinned.push_back(pinned(system, text));
  return parsed;
}

judging::judging(judged_system const& system, std::vector<std::string> command, judging_options const& options, std::uint64_t seed)
    : system_(&system),
      command_(std::move(command)),
      options_(options),
      seed_(seed),
      parsed_(parse_judging(system, options)),
      port_(system.shape(), command_, timeout(options)),
      run_(make_run(system, port_.describes(), parsed_)) {}

void judging::settle_mapping() {
  auto const probes = mapping_probes(run_, seed_);
  try {
    auto const results = port_.run(probes);
    run_.settle_mapping(probes, results);
  } catch (session_failure const& e) {
    note_breakdown(e);
  }
}

void judging::note_breakdown(session_failure const& e) {
  broke_ = breakdown{e.what(), e.culprit ? to_token({&system_->shape(), {*e.culprit}}) : "", e.stderr_tail};
}

std::uint64_t judging::failures() const {
  std::uint64_t most = 0;
  for (auto const& b : run_.breaches()) most = b.fails ? std::max(most, b.histories) : most;
  return most;
}

bool judging::feed(std::span<history const> histories) {
  if (broke_) return false;
  try {
    auto const results = port_.run(histories);
    for (std::size_t i = 0; i < histories.size(); ++i) {
      run_.absorb(histories[i], results[i]);
      if (options_.max_failures != 0 && failures() >= options_.max_failures) return false;
    }
  } catch (session_failure const& e) {
    note_breakdown(e);
    return false;
  }
  return true;
}

exit_code judging::finish() {
  std::vector<counterexample> shown;
  if (!broke_) {
    auto const breaches = run_.breaches();  // those that fail stand first
    for (auto const& b : breaches) {
      if (b.fails || !breaches.front().fails) shown.push_back(minimise(run_, port_, b));
    }
    port_.stop();
  }
  auto const r = make_report(run_, shown, {options_.program, words_for_replay(options_), command_, seed_}, broke_);
  auto const text = options_.format == "json" ? to_json(r) : to_text(r);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return r.ends_with;
}

}  // namespace backoff::oracle
