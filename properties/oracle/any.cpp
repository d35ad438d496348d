// The verb check with --any: which document's formula a port follows, of the systems, of the shelf and of the policy
// that it was asked by. Checked by: properties/oracle/any_test.py.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "explain/formulas.hpp"
#include "files/policy_file.hpp"
#include "histories/text_parts.hpp"
#include "oracle/started_port.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "protocol/messages.hpp"
#include "transport/live_groups.hpp"
#include "transport/port_session.hpp"

namespace backoff::oracle {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t histories = 500;
constexpr std::size_t shown = 5;  // documents

// All that is known: the systems, then the shelf and what was declared by a file.
std::vector<judged_system const*> all_documents() {
  for (auto const& each : shelf_policies()) static_cast<void>(find_judged_system(each.name));
  std::vector<judged_system const*> all(judged_systems().begin(), judged_systems().end());
  all.insert(all.end(), declared_systems().begin(), declared_systems().end());
  return all;
}

// What the port answered for one system that it knows.
struct spoken {
  judged_system const* system;
  capabilities port;
  std::vector<history> asked;
  std::vector<result> got;
  std::vector<likeness> like;

  [[nodiscard]] std::size_t answered() const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count(got, result_kind::answered, [](result const& r) { return r.kind; }));
  }
};

// The systems that the port says it knows; nothing: it does not say.
std::vector<std::string> systems_of(std::string const& said) {
  std::vector<std::string> all;
  auto const reply = json::parse(said, nullptr, false);
  if (!reply.is_object() || !reply.contains("systems") || !reply["systems"].is_array()) return all;
  for (auto const& name : reply["systems"]) {
    if (name.is_string()) all.push_back(name.get<std::string>());
  }
  return all;
}

// A port knows some systems and refuses the others. Throws the first failure where it knows none.
std::vector<spoken> ask(check_options const& options, std::vector<judged_system const*> const& documents,
                        progress& line) {
  std::vector<spoken> all;
  std::vector<std::string> known;
  std::optional<session_failure> failure;
  for (auto const* system : documents) {
    std::string const name(system->shape().stem);
    if (!options.system.empty() && name != options.system) continue;
    bool const is_known = known.empty() || std::ranges::find(known, name) != known.end();
    if (!is_known) continue;
    line.begin("asking the port for delays of " + name, "histories", histories);
    try {
      port_session port(system->shape(), command_of(*system, options.port, options.judging),
                        seconds(options.judging.timeout_s));
      known = systems_of(port.said());
      auto const about = narrowed(system->shape(), port.describes(), options.judging);
      spoken s{system, about, {}, {}, {}};
      if (tells_delays(system->shape())) {
        s.asked = histories_of_delays(system->shape(), about.takes, histories, options.seed);
        s.got = port.run(s.asked);
      }
      static_cast<void>(port.stop());
      all.push_back(std::move(s));
    } catch (session_failure const& e) {
      if (live_groups::interrupted()) throw;
      if (!failure) failure = e;
    }
  }
  bool const knows_another =
      options.system.empty() && failure && std::string_view(failure->what()).starts_with(protocol::refuses_to_start);
  if (all.empty() && knows_another) {
    auto const what =
        fmt::format("{}; expected SYSTEM too: the one that the port knows, or its policy file", failure->what());
    throw session_failure(what, failure->stderr_tail);
  }
  if (all.empty() && failure) throw session_failure(*failure);
  return all;
}

std::string how(likeness const& l) {
  if (l.how == likeness::kind::exactly) return "exactly";
  return l.how == likeness::kind::spread ? "in range, distributed as documented" : "in range, distributed differently";
}

std::string with(likeness const& l) {
  std::string text;
  for (auto const& [name, is] : l.with) {
    if (name != is) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, is);
  }
  return text;
}

// Its name, and the numbers that were found by search.
std::string name_of(likeness const& l) {
  std::string text(l.document->shape().stem);
  for (auto const& [name, is] : l.with) {
    if (std::ranges::find(l.fitted, name) != l.fitted.end())
      text += fmt::format("{} {} = {}", name == l.fitted.front() ? " with" : " and", name, is);
  }
  return text;
}

std::string verdict_of(spoken const& s) {
  if (s.answered() == 0) return fmt::format("inconclusive: the port answered no delays of {}", s.system->shape().stem);
  std::vector<std::string> names;
  auto least = std::numeric_limits<std::size_t>::max();  // found by search
  for (auto const& l : s.like) {
    if (l.explains()) least = std::min(least, l.fitted.size());
  }
  for (auto const& l : s.like) {
    if (l.explains() && l.fitted.size() == least) names.push_back(name_of(l));
  }
  if (!names.empty()) return fmt::format("the delays are explained by {}", text_parts::comma_separated(names));
  bool const in_range = std::ranges::any_of(
      s.like, [&](likeness const& l) { return l.how == likeness::kind::inside && l.document == s.system; });
  if (in_range && !s.like.front().is_near())
    return fmt::format(
        "no document explains the delays; the nearest is {}: all lie in its range, but are distributed differently",
        s.system->shape().stem);
  if (s.like.empty() || !s.like.front().is_near()) return "no document explains the delays, and none is near";
  auto const& near = s.like.front();
  return fmt::format("no document explains the delays; the nearest is {}: {} of {} histories", name_of(near),
                     near.explained, near.compared);
}

exit_code code_of(spoken const& s) {
  if (s.answered() == 0) return inconclusive;
  return !s.like.empty() && s.like.front().explains() ? conforms : does_not_conform;
}

json to_json(spoken const& s) {
  json all = json::array();
  for (auto const& l : s.like) {
    json bound = json::object();
    for (auto const& [name, is] : l.with) bound[name] = is;
    constexpr std::array words{"exactly", "spread", "inside"};
    all.push_back({{"document", l.document->shape().stem},
                   {"check", word_for_system(l.document->shape().stem)},
                   {"explains", l.explains()},
                   {"explained", l.explained},
                   {"compared", l.compared},
                   {"how", words[static_cast<std::size_t>(l.how)]},
                   {"with", bound},
                   {"fitted", l.fitted}});
  }
  return {{"asked_as", s.system->shape().stem},
          {"port", {{"name", s.port.name}, {"version", s.port.version}, {"language", s.port.language}}},
          {"histories", s.asked.size()},
          {"answered", s.answered()},
          {"documents", all},
          {"verdict", verdict_of(s)},
          {"exit_code", static_cast<int>(code_of(s))}};
}

std::string to_text(spoken const& s) {
  std::string text;
  text += fmt::format("port        {} {} ({})\n", s.port.name, s.port.version, s.port.language);
  text += fmt::format("asked as    {}: {} histories of a few delays each, {} answered\n", s.system->shape().stem,
                      s.asked.size(), s.answered());
  text += "\ndocuments, by how many of the histories each explains\n";
  std::size_t printed = 0;
  for (auto const& l : s.like) {
    if (printed++ >= shown && !l.explains()) break;
    text += fmt::format("  {:>3} of {:<3}  {:<32} {}\n", l.explained, l.compared, l.document->shape().stem, how(l));
    if (auto const words = with(l); !words.empty()) text += fmt::format("              with {}\n", words);
  }
  if (s.like.empty()) text += "  none explains any\n";
  if (s.like.size() > shown) text += fmt::format("  {} more explain fewer\n", s.like.size() - shown);
  text += "\nnot compared\n  how many retries are granted; unusual parameters: `check` a document for these\n\n";
  text += fmt::format("verdict: {}\n", verdict_of(s));
  return text;
}

}  // namespace

exit_code check_any(check_options const& options) {
  live_groups::interrupt_first();
  auto const documents = all_documents();
  progress line(!options.judging.report.quiet);
  auto all = ask(options, documents, line);
  for (auto& s : all) {
    line.begin("comparing the delays with documents", "");
    s.like = likenesses(*s.system, s.port.takes.draws, s.asked, s.got, documents);
  }
  line.end();
  // A port that knows several systems is explained if any of its answers are.
  auto const best = std::ranges::min_element(all, {}, [](spoken const& s) {
    auto const code = code_of(s);
    return code == conforms ? 0 : code == does_not_conform ? 1 : 2;
  });
  bool const as_json = options.judging.report.format == "json";
  json said = json::array();
  for (auto const& s : all) {
    if (as_json) {
      said.push_back(to_json(s));
    } else if (options.judging.report.quiet) {
      fmt::print("verdict: {}\n", verdict_of(s));
    } else {
      fmt::print("{}{}", &s == &all.front() ? "" : "\n", fitting(to_text(s)));
    }
  }
  if (as_json) fmt::print("{}\n", said.dump(2, ' ', false, json::error_handler_t::replace));
  return code_of(*best);
}

}  // namespace backoff::oracle
