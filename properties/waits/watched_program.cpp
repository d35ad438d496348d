#include "waits/watched_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "files/readable_versions.hpp"
#include "histories/printable.hpp"
#include "session/exit_codes.hpp"

namespace backoff::waits {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view head = "{\"watched\":";
constexpr int version = 1;
// Between the times of two records, which may come from two machines: no wait of one ends in a stall of the other.
constexpr std::int64_t apart_ns = 10'000'000'000;

// The counts, by their names in the file.
template <typename Program>
auto counts_of(Program& p) {
  return std::array{
      std::pair{"runs", &p.runs},     std::pair{"attempts", &p.attempts}, std::pair{"overlaps", &p.overlaps},
      std::pair{"silent", &p.silent}, std::pair{"cut", &p.cut},           std::pair{"killed", &p.killed},
      std::pair{"unused", &p.unused},
  };
}

template <typename T>
json or_null(std::optional<T> const& value) {
  return value ? json(*value) : json();
}

template <typename T>
std::optional<T> optional_of(json const& j) {
  return j.is_null() ? std::nullopt : std::optional(j.get<T>());
}

json to_json(failed_cycle const& c) {
  json waits = json::array();
  for (auto const& w : c.waits) waits.push_back({w.ns, w.ended_ns, w.tried_ns});
  json gave_up;
  if (c.gave_up) gave_up = {c.gave_up->status, c.gave_up->after_ns};
  return {
      {"waits", std::move(waits)}, {"gave_up", std::move(gave_up)}, {"open", or_null(c.open_ns)}, {"first", c.first},
      {"method", c.method},        {"last_tried", c.last_tried_ns}, {"begun", c.begun_ns}};
}

// A whole number of [0, 2^62]. Throws invalid_argument.
std::int64_t whole(json const& j) {
  if (!j.is_number_unsigned() || j.get<std::uint64_t>() > std::uint64_t{1} << 62)
    throw std::invalid_argument("'" + j.dump().substr(0, 40) + "': expected a whole number of [0, 2^62]");
  return j.get<std::int64_t>();
}

failed_cycle read_cycle(json const& j) {
  failed_cycle c;
  for (auto const& w : j.at("waits"))
    c.waits.push_back({whole(w.at(0)), whole(w.at(1)), w.size() > 2 ? whole(w[2]) : 0});
  if (auto const& end = j.at("gave_up"); !end.is_null())
    c.gave_up = {static_cast<int>(whole(end.at(0))), whole(end.at(1))};
  if (!j.at("open").is_null()) c.open_ns = whole(j.at("open"));
  // 0.1.0 wrote none of these.
  auto const or_0 = [&](char const* name) { return j.contains(name) ? whole(j[name]) : 0; };
  c.first = static_cast<std::size_t>(or_0("first"));
  c.method = j.value("method", "");
  c.last_tried_ns = or_0("last_tried");
  c.begun_ns = or_0("begun");
  return c;
}

// The first and the last time that it has.
std::pair<std::int64_t, std::int64_t> span_of(watched_program const& p) {
  std::pair<std::int64_t, std::int64_t> ends{INT64_MAX, INT64_MIN};
  auto const take = [&](std::int64_t ns) { ends = {std::min(ends.first, ns), std::max(ends.second, ns)}; };
  for (auto const& s : p.slack) take(s.taken_ns);
  for (auto const& c : p.cycles)
    for (auto const& w : c.waits) take(w.ended_ns);
  return ends;
}

auto asked_for(watched_program const& p) {
  return std::tie(p.system, p.document, p.params, p.command, p.failures, p.retry_after_s, p.faster, p.slack_ms,
                  p.known_failing);
}

}  // namespace

watch::script script_of(watched_program const& p) {
  auto read = watch::read_script(p.failures, p.retry_after_s);
  if (auto const* const wrong = std::get_if<std::string>(&read)) throw session::usage_error("--fail: " + *wrong);
  return std::get<watch::script>(std::move(read));
}

std::string to_results(watched_program const& seen) {
  json cycles = json::array();
  for (auto const& c : seen.cycles) cycles.push_back(to_json(c));
  json slack = json::array();
  for (auto const& s : seen.slack) slack.push_back({s.taken_ns, s.slack_ns});
  json all{{"watched", version},
           {"tool", "backoff-oracle"},
           {"version", BACKOFF_VERSION},
           {"system", seen.system},
           {"document", seen.document},
           {"parameters", seen.params},
           {"command", seen.command},
           {"failures", seen.failures},
           {"retry_after_s", or_null(seen.retry_after_s)},
           {"faster", seen.faster},
           {"slack_ms", or_null(seen.slack_ms)},
           {"known_failing", {{"file", seen.known_failing_name}, {"lines", seen.known_failing}}}};
  for (auto const& [name, count] : counts_of(seen)) all[name] = *count;
  all["hung"] = seen.hung;
  all["interrupted"] = seen.interrupted;
  all["cycles"] = std::move(cycles);
  all["slack"] = std::move(slack);
  return histories::printable_json(all.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

bool are_results_of_watch(std::string_view text) { return text.starts_with(head); }

watched_program read_results(std::string const& text, std::string const& path) {
  try {
    auto const j = json::parse(text);
    if (j.at("watched") != version)
      throw std::invalid_argument(fmt::format("expected the form {}, found {}", version, j.at("watched").dump()));
    if (auto const why = files::unreadable(j.at("version").get<std::string>()); !why.empty())
      throw std::invalid_argument(why);
    watched_program p;
    j.at("system").get_to(p.system);
    j.at("document").get_to(p.document);
    j.at("parameters").get_to(p.params);
    j.at("command").get_to(p.command);
    j.at("failures").get_to(p.failures);
    p.retry_after_s = optional_of<std::uint32_t>(j.at("retry_after_s"));
    j.at("faster").get_to(p.faster);
    p.slack_ms = optional_of<double>(j.at("slack_ms"));
    j.at("known_failing").at("file").get_to(p.known_failing_name);
    j.at("known_failing").at("lines").get_to(p.known_failing);
    for (auto const& [name, count] : counts_of(p)) *count = static_cast<std::uint64_t>(whole(j.at(name)));
    j.at("hung").get_to(p.hung);
    j.at("interrupted").get_to(p.interrupted);
    for (auto const& c : j.at("cycles")) p.cycles.push_back(read_cycle(c));
    for (auto const& s : j.at("slack")) p.slack.push_back({whole(s.at(0)), whole(s.at(1))});
    return p;
  } catch (std::invalid_argument const& e) {
    throw session::usage_error(fmt::format("'{}': expected a file of `watch --results`: {}", path, e.what()));
  } catch (json::exception const& e) {
    std::string_view const why = e.what();
    throw session::usage_error(fmt::format("'{}': expected a file of `watch --results`: {}", path,
                                           why.substr(why.find("] ") + 2)));  // without the exception's number
  }
}

void add_runs(watched_program& to, watched_program const& more, std::string const& path) {
  if (asked_for(to) != asked_for(more)) {
    throw session::usage_error(
        fmt::format("'{}': of another program, document or setting: expected runs like those of the first file", path));
  }
  auto const later = span_of(to).second + apart_ns - span_of(more).first;
  for (auto c : more.cycles) {
    for (auto& w : c.waits) w.ended_ns += later;
    to.cycles.push_back(std::move(c));
  }
  for (auto const& s : more.slack) to.slack.push_back({s.taken_ns + later, s.slack_ns});
  auto const from = counts_of(more);
  auto const into = counts_of(to);
  for (std::size_t i = 0; i < from.size(); ++i) *into[i].second += *from[i].second;
  to.hung |= more.hung;
  to.interrupted |= more.interrupted;
}

}  // namespace backoff::waits
