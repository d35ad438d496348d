// The verb plan: what a formula does to one client and to many, before anything runs.
// Checked by: properties/oracle/plan_test.py.
#include <fmt/format.h>

#include <cstdio>

#include "explain/delay_cycles.hpp"
#include "files/output_file.hpp"
#include "histories/present.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "plans/plan_report.hpp"
#include "policies/declare.hpp"
#include "reports/history_table.hpp"
#include "session/parameters.hpp"

namespace backoff::oracle {
namespace {

planned_formula planned_as(plan_options::formula const& asked, plan_options const& options,
                           std::optional<herd_plan> const& plan) {
  auto const& document = named_system(asked.system);
  auto const& s = document.shape();
  if (!tells_delays(s)) throw usage_error(fmt::format("{} answers no delays: there is nothing to plan", s.stem));
  auto params = options.params;
  params.insert(params.end(), asked.params.begin(), asked.params.end());
  auto const with = parameters_of(s, params, if_missing::forever);
  auto const exact = followed_exactly(document);
  delay_law law(exact ? *exact : document, with, options.seed);
  planned_formula f;
  f.system = s.stem;
  f.parameters = parameters_text(s, with);
  f.limit = law.limit();
  f.one = scheduled(law, options.retries, options.within_s);
  auto const add_herd = [&](char const* name, waiting const& clients) {
    auto seen = run_herd(present(plan), clients);
    auto const error = error_of(present(plan), seen, clients);
    f.herds.push_back({name, std::move(seen), error});
  };
  if (plan) add_herd("as documented", as_documented(law));
  f.warnings = warnings_of(law, f, plan);
  if (!options.compare) return f;
  add_herd("without jitter", otherwise_jittered(law, other_jitter::none));
  add_herd("equal jitter", otherwise_jittered(law, other_jitter::equal));
  add_herd("decorrelated jitter", otherwise_jittered(law, other_jitter::decorrelated));
  return f;
}

}  // namespace

exit_code plan_formulas(plan_options const& options) {
  plan_report r;
  if (options.outage_s > 0 && options.ramp_s > options.outage_s)
    throw usage_error(fmt::format("--ramp {} is longer than --outage {}: the first request of each client fails",
                                  time_text(options.ramp_s), time_text(options.outage_s)));
  if (options.clients > 0)
    r.herd = herd_plan{.clients = options.clients,
                       .ramp_s = options.ramp_s,
                       .outage_s = options.outage_s,
                       .capacity = options.capacity,
                       .seed = options.seed};
  std::optional<output_file> file;
  if (!options.output.empty()) file.emplace(options.output);
  progress line(!options.quiet);
  line.begin("planning", "formulas", options.formulas.size());
  for (auto const& each : options.formulas) {
    r.formulas.push_back(planned_as(each, options, r.herd));
    ++line.done();
  }
  line.end();
  if (file) {
    file->write(to_page(r));
    file->commit();
    return conforms;
  }
  auto const text = options.format == "json"       ? to_json(r)
                    : options.format == "csv"      ? to_csv(r)
                    : options.format == "markdown" ? to_markdown(r)
                    : options.format == "svg"      ? to_svg(r)
                                                   : fitting(to_text(r));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return conforms;
}

}  // namespace backoff::oracle
