#include "files/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "files/readable_versions.hpp"
#include "files/shallow_json.hpp"
#include "histories/printable.hpp"
#include "histories/text_parts.hpp"
#include "judge/catalogue.hpp"
#include "session/exit_codes.hpp"
#include "session/input_file.hpp"

namespace backoff::files {
namespace {

using nlohmann::json;
using text_parts::shown;
using ordered_json = nlohmann::ordered_json;

constexpr int results_version = 1;
constexpr std::string_view digest_key = R"("sha256":")";
constexpr std::string_view endings[] = {"done", "enough", "interrupted", "gave up", "out of time"};
constexpr std::size_t batch_max = 256;  // histories

// In ASCII: what a port says of itself is kept as it is, and must move no cursor where somebody looks at the file.
std::string ascii_of(ordered_json const& j) { return j.dump(-1, ' ', true, ordered_json::error_handler_t::replace); }

// The line that `text` begins, without its end; of the last one too.
std::string head() {
  auto text = ascii_of({{"results", results_version}, {"tool", "backoff-oracle"}, {"version", BACKOFF_VERSION}});
  text.back() = ',';
  return text;
}

template <class Word, std::size_t N>
Word named(std::string_view const (&names)[N], std::string const& name) {
  auto const* const at = std::ranges::find(names, name);
  if (at == std::end(names)) throw text_error("'" + name + "' is not known");
  return static_cast<Word>(at - std::begin(names));
}

ordered_json options_json(judging_options const& o) {
  return {{"claims", o.claims},
          {"skips", o.skips},
          {"library", o.library},
          {"constants", o.constants},
          {"readings", o.readings},
          {"ranges", o.ranges},
          {"strict", o.strict},
          {"alpha", o.alpha},
          {"timeout", o.timeout_s},
          {"max_failures", o.max_failures},
          {"document_only", o.document_only}};
}

judging_options read_options(json const& j) {
  judging_options o;
  j.at("claims").get_to(o.claims);
  j.at("skips").get_to(o.skips);
  j.at("readings").get_to(o.readings);
  j.at("library").get_to(o.library);
  j.at("constants").get_to(o.constants);
  j.at("strict").get_to(o.strict);
  j.at("alpha").get_to(o.alpha);
  j.at("timeout").get_to(o.timeout_s);
  j.at("max_failures").get_to(o.max_failures);
  o.document_only = j.value("document_only", false);  // which older files do not have
  o.ranges = j.value("ranges", std::vector<std::string>());
  return o;
}

history read_token(std::string const& token) { return parse_token(token).cases.front(); }

}  // namespace

ordered_json readings_json(spec::reading_table const& table, spec::cube of, spec::cube c) {
  ordered_json j = ordered_json::object();
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    if (((c.bits ^ of.bits) & table.field(r)) == 0) continue;
    ordered_json left = ordered_json::array();
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      if ((c.bits & table.bit(r, a)) != 0) left.push_back(table.readings()[r].alternatives[a].name);
    }
    j[std::string(table.readings()[r].name)] = std::move(left);
  }
  return j;
}

ordered_json state_of(run const& judged) {
  auto const& counts = judged.counts();
  auto const claims = judged.system().claims();
  auto const& table = judged.system().readings();
  ordered_json j{{"judged", counts.judged},
                 {"rejected", counts.rejected},
                 {"skipped", counts.skipped},
                 {"broke", counts.broke},
                 {"failing", judged.failing_histories()},
                 {"grade", grade_name(judged.grade())},
                 {"at_stake", ordered_json::object()},
                 {"broken", ordered_json::object()},
                 {"survivors", ordered_json::array()}};
  for (unsigned i = 0; i < claims.size(); ++i) {
    if (judged.counts().at_stake[i] != 0) j["at_stake"][std::string(claims[i].name)] = judged.counts().at_stake[i];
  }
  for (auto const& b : judged.breaches()) j["broken"][std::string(claim_name(judged.system(), b.claim))] = b.histories;
  for (auto const c : judged.readings().with_hazards())
    j["survivors"].push_back(readings_json(table, table.admitting(spec::standing::hazard), c));
  if (auto const* samples = judged.samples())
    j["draws"] = {{"tested", samples->bets().draws()}, {"log_e_value", samples->bets().gained()}};
  return j;
}

void plan_digest::add(std::span<history const> histories) {
  auto const mix = [this](std::uint64_t n) { state_ = (state_ ^ n) * 0x0000'0100'0000'01b3; };
  auto const mix_value = [&](value const& v) {
    mix(static_cast<std::uint64_t>(v.n) * 8 + static_cast<std::uint64_t>(v.kind));
  };
  for (auto const& h : histories) {
    for (auto const& v : h.params) mix_value(v);
    for (auto const& step : h.steps) {
      mix(step.op * 8U + step.on);
      for (auto const& v : step.args) mix_value(v);
    }
    mix(h.steps.size());
  }
}

std::string plan_digest::text() const { return fmt::format("{:016x}", state_); }

// --- writing ---

results_writer::results_writer(std::string const& path) : file_(path) {
  auto const text = head();
  file_.write(text);
  file_.flush();  // a disk that is full already is found before the port is driven
  digest_.add(text);
}

void results_writer::line(std::string const& text) {
  digest_.add(text);
  digest_.add("\n");
  file_.write(text);
  file_.write("\n");
}

namespace {

ordered_json header_json(results_header const& header) {
  ordered_json j{{"system", header.system},
                 {"document", catalogue_of(header.system).document_version},
                 {"port", ordered_json::parse(header.port)},
                 {"program", header.program},
                 {"command", header.command},
                 {"seed", header.seed},
                 {"cases", header.ran.total},
                 {"shard", {header.ran.which.number, header.ran.which.of}},
                 {"options", options_json(header.options)}};
  if (!header.known_failing.empty())
    j["known_failing"] = {{"file", header.known_failing_name}, {"lines", header.known_failing}};
  return j;
}

}  // namespace

void results_writer::begin(results_header const& header) {
  line(ascii_of(header_json(header)).substr(1));
  file_.flush();
}

void results_writer::probes(std::span<result const> results) {
  ordered_json all = ordered_json::array();
  for (auto const& r : results) all.push_back(to_json(r));
  line(ascii_of({{"probes", std::move(all)}}));
}

void results_writer::answers(std::uint64_t from, std::span<history const> histories, std::span<result const> results) {
  plan_.add(histories);
  histories_ += histories.size();
  while (!results.empty()) {
    auto const now = results.first(std::min(results.size(), batch_max));
    ordered_json all = ordered_json::array();
    for (auto const& r : now) all.push_back(to_json(r));
    line(ascii_of({{"from", from}, {"answers", std::move(all)}}));
    from += now.size();
    results = results.subspan(now.size());
  }
}

void results_writer::twice(std::span<result const> one, std::span<result const> other) {
  ordered_json j{{"one", ordered_json::array()}, {"other", ordered_json::array()}};
  for (auto const& r : one) j["one"].push_back(to_json(r));
  for (auto const& r : other) j["other"].push_back(to_json(r));
  line(ascii_of({{"two_processes", std::move(j)}}));
}

namespace {

ordered_json to_json(run const& judged, evidence const& e) {
  return {{"index", e.index},
          {"history", to_token({&judged.system().shape(), {e.tried}})},
          {"answers", files::to_json(e.got)}};
}

evidence read_evidence(shape const& s, json const& j) {
  return {j.at("index").get<std::uint64_t>(), read_token(j.at("history").get<std::string>()),
          parse_result(s, j.at("answers"))};
}

ordered_json to_json(shape const& s, std::vector<constraint> const& where) {
  ordered_json all = ordered_json::array();
  for (auto const& part : where) all.push_back(explain::to_text(s, part));
  return all;
}

std::vector<constraint> read_constraints(shape const& s, json const& j) {
  std::vector<constraint> where;
  for (auto const& part : j) where.push_back(parse_constraint(s, part.get<std::string>()));
  return where;
}

tested_region read_region(shape const& s, json const& j) {
  auto const count = [&](char const* name) { return j.at(name).get<std::uint64_t>(); };
  tested_region const r{read_constraints(s, j.at("where")),
                        count("inside"),
                        count("broke"),
                        count("elsewhere"),
                        count("held"),
                        j.at("with_some_draws")};
  if (r.broke > r.inside || r.held > r.elsewhere) throw text_error("a region with more failures than histories");
  return r;
}

}  // namespace

void results_writer::compared_with_itself(run const& judged, std::span<compared const> all) {
  ordered_json j = ordered_json::array();
  for (auto const& c : all)
    j.push_back({{"claim", claim_name(judged.system(), c.claim)}, {"same", c.same}, {"seen", to_json(judged, c.seen)}});
  line(ascii_of({{"compared", std::move(j)}}));
}

void results_writer::shown(run const& judged, counterexample const& c, tested_region const* region,
                           bool region_cut_short) {
  ordered_json histories = ordered_json::array();
  for (auto const& e : c.histories) histories.push_back(to_json(judged, e));
  ordered_json j{{"claim", claim_name(judged.system(), c.shows.claim)},
                 {"how", how_shown_names[static_cast<std::size_t>(c.how)]},
                 {"explained_by", fmt::format("{:016x}", c.explained_by.bits)},
                 {"histories", std::move(histories)},
                 {"excuses", c.excuses}};
  if (c.again.asked != 0) j["again"] = {{"tries", c.again.asked}, {"broke", c.again.broke}};
  if (c.cut_short) j["cut_short"] = true;
  if (region_cut_short) j["region_cut_short"] = true;
  if (region != nullptr) {
    j["region"] = {{"where", to_json(judged.system().shape(), region->where)},
                   {"inside", region->inside},
                   {"broke", region->broke},
                   {"elsewhere", region->elsewhere},
                   {"held", region->held},
                   {"with_some_draws", region->with_some_draws}};
  }
  line(ascii_of({{"finding", std::move(j)}}));
}

void results_writer::outside(shape const& s, explain::outside const& tried, bool cut_short) {
  ordered_json regions = ordered_json::array();
  for (auto const& region : tried.regions) regions.push_back(to_json(s, region));
  ordered_json j{{"regions", std::move(regions)}, {"tried", tried.tried}, {"held", tried.held}};
  if (cut_short) j["cut_short"] = true;
  line(ascii_of({{"outside", std::move(j)}}));
}

void results_writer::broke(run const& judged, broken_port const& b) {
  ordered_json j{{"what", b.what.what}, {"stderr", b.what.stderr_tail}};
  if (b.what.index) j["index"] = *b.what.index;
  if (!b.what.where.empty()) j["where"] = b.what.where;
  if (b.smallest) j["history"] = to_token({&judged.system().shape(), {*b.smallest}});
  if (b.cut_short) j["cut_short"] = true;
  line(ascii_of({{"broke", std::move(j)}}));
}

void results_writer::end(run const& judged, how_ended how) {
  auto text = ascii_of({{"ended", endings[static_cast<std::size_t>(how)]},
                        {"histories", histories_},
                        {"plan", plan_.text()},
                        {"state", state_of(judged)}});
  text.back() = ',';
  text += digest_key;
  digest_.add(text);
  file_.write(text + digest_.digest() + "\"}\n");
  file_.commit();
}

// --- reading ---

void results_file::refuse(std::string const& why) const { throw usage_error("'" + path_ + "': " + why); }

results_file::results_file(std::string path) : path_(std::move(path)) {
  auto in = opened_input(path_);
  if (!in || in.peek() == std::ifstream::traits_type::eof())
    refuse("expected a results file: it cannot be read or is empty");
  std::optional<kept_lines> kept;
  if (!std::filesystem::is_regular_file(path_)) kept.emplace(path_);
  sha256 digest;
  std::string line;
  std::uint64_t number = 0;
  try {
    while (read_line(in, line)) {
      ++number;
      if (line.size() > input_bytes_max) throw text_error("longer than 64 MiB");
      if (in.eof()) refuse("truncated: line " + std::to_string(number) + " has no end");
      if (number == 1) {
        read_header(line);
      } else if (line.starts_with(R"({"ended":)")) {
        auto const at = line.rfind(digest_key);
        auto const body = line.substr(0, at == std::string::npos ? 0 : at + digest_key.size());
        digest.add(body);
        if (line != body + digest.digest() + "\"}") refuse("edited or damaged: it does not match its digest");
        read_footer(line);
        if (in.peek() != std::ifstream::traits_type::eof()) refuse("edited: unexpected text after its last line");
        answers_ = kept ? kept->read() : std::move(in);
        begin_again();
        return;
      } else if (!line.starts_with(R"({"from":)")) {
        auto j = parse_any(line);
        if (j.contains("probes")) probes_ = std::move(j["probes"]);
        if (j.contains("two_processes")) twice_ = std::move(j["two_processes"]);
        if (j.contains("compared")) compared_ = std::move(j["compared"]);
        if (j.contains("finding")) findings_.push_back(std::move(j["finding"]));
        if (j.contains("outside")) outside_ = std::move(j["outside"]);
        if (j.contains("broke")) broke_.push_back(std::move(j["broke"]));
      }
      digest.add(line);
      digest.add("\n");
      if (kept) kept->add(line);
    }
  } catch (usage_error const&) {
    throw;
  } catch (std::exception const& e) {
    refuse("line " + std::to_string(number) + ": " + e.what());
  }
  refuse("truncated: it has no last line with a digest");
}

void results_file::read_header(std::string_view line) {
  auto const j = parse_shallow(line);
  if (j.is_discarded() || !j.is_object() || !j.contains("results"))
    refuse("expected a results file of backoff-oracle check");
  if (j.at("results") != results_version) refuse("expected the form of results 1, found " + j.at("results").dump());
  if (auto const why = unreadable(j.at("version").get<std::string>()); !why.empty()) refuse(why);
  header_line_ = j;
  j.at("system").get_to(header_.system);
  j.at("document").get_to(header_.document);
  header_.port = j.at("port").dump();
  j.at("program").get_to(header_.program);
  j.at("command").get_to(header_.command);
  j.at("seed").get_to(header_.seed);
  j.at("cases").get_to(header_.ran.total);
  auto const number = j.at("shard").at(0).get<std::int64_t>();
  auto const of = j.at("shard").at(1).get<std::int64_t>();
  if (!shard::is_valid(number, of))
    refuse("expected a shard [I,N] with 1 <= I <= N <= 1000, found " + j.at("shard").dump());
  header_.ran.which = {static_cast<unsigned>(number), static_cast<unsigned>(of)};
  header_.options = read_options(j.at("options"));
  if (!j.contains("known_failing")) return;
  j.at("known_failing").at("file").get_to(header_.known_failing_name);
  j.at("known_failing").at("lines").get_to(header_.known_failing);
}

void results_file::demand_resumable(results_header const& header) const {
  auto wanted = json::parse(ascii_of(header_json(header)));
  wanted.update(wanted["options"]);
  auto found = header_line_;
  found.update(found["options"]);
  for (auto const* const name : {"options", "program", "results", "sandbox", "tool", "version"}) {  // sandbox: of 0.1.0
    wanted.erase(name);
    found.erase(name);
  }
  for (auto const* const all : {&wanted, &found}) {
    for (auto const& item : all->items()) {
      auto const text = [&](json const& j) {
        return shown(j.contains(item.key()) ? j[item.key()].dump() : "none", 200);
      };
      if (wanted.value(item.key(), json()) == found.value(item.key(), json())) continue;
      refuse("of another run: its " + item.key() + " is " + text(found) + ", here it is " + text(wanted));
    }
  }
  if (ended_ != how_ended::interrupted && ended_ != how_ended::out_of_time)
    refuse("nothing to resume: its run was not cut off by a signal or by --max-time");
}

void results_file::read_footer(std::string_view line) {
  demand_shallow(line);
  auto const j = ordered_json::parse(line);
  ended_ = named<how_ended>(endings, j.at("ended").get<std::string>());
  j.at("histories").get_to(histories_);
  j.at("plan").get_to(plan_);
  state_ = j.at("state");
}

namespace {

// What a part of the file holds; refused where it is not what this tool writes.
template <class Read>
auto part_of(results_file const& file, char const* name, Read read) {
  try {
    return read();
  } catch (usage_error const&) {
    throw;
  } catch (std::exception const& e) {
    file.refuse(std::string(name) + ": " + e.what());
  }
}

}  // namespace

std::vector<result> results_file::probes(shape const& s) const {
  return part_of(*this, "probes", [&] {
    std::vector<result> all;
    for (auto const& j : probes_) all.push_back(parse_result(s, j));
    return all;
  });
}

results_file::two_processes results_file::twice(shape const& s) const {
  return part_of(*this, "two_processes", [&] {
    two_processes both;
    if (twice_.is_null()) return both;
    for (auto const& j : twice_.at("one")) both.one.push_back(parse_result(s, j));
    for (auto const& j : twice_.at("other")) both.other.push_back(parse_result(s, j));
    if (both.one.size() != both.other.size()) refuse("two processes answered differently many samples");
    return both;
  });
}

std::vector<compared> results_file::compared_with_itself(judged_system const& system) const {
  return part_of(*this, "compared", [&] {
    std::vector<compared> all;
    for (auto const& j : compared_) {
      auto const claim = std::ranges::find(system.claims(), j.at("claim").get<std::string>(), &claim_text::name);
      if (claim == system.claims().end() || !claim->compares) refuse("compared: no claim of dependence");
      all.push_back({static_cast<unsigned>(claim - system.claims().begin()), j.at("same").get<bool>(),
                     read_evidence(system.shape(), j.at("seen"))});
    }
    return all;
  });
}

void results_file::begin_again() {
  answers_.clear();
  answers_.seekg(0);
}

std::vector<result> results_file::next(shape const& s) {
  for (std::string line; read_line(answers_, line);) {
    if (!line.starts_with(R"({"from":)")) continue;
    try {
      std::vector<result> all;
      auto const j = parse_any(line);
      for (auto const& one : j.at("answers")) all.push_back(parse_result(s, one));
      return all;
    } catch (std::exception const& e) {
      refuse(e.what());
    }
  }
  return {};
}

std::vector<broken_port> results_file::broke() const {
  return part_of(*this, "broke", [&] {
    std::vector<broken_port> all;
    for (auto const& j : broke_) {
      auto const text = [&j](char const* name) { return j.at(name).get<std::string>(); };
      broken_port b{{printable(text("what")), {}, {}, false, printable_lines(text("stderr"))}, {}};
      if (j.contains("index")) b.what.index = j.at("index").get<std::uint64_t>();
      if (j.contains("where")) b.what.where = printable(text("where"));
      if (j.contains("history")) b.smallest = read_token(j.at("history").get<std::string>());
      b.cut_short = j.value("cut_short", false);
      all.push_back(std::move(b));
    }
    return all;
  });
}

std::vector<results_file::finding> results_file::findings(shape const& s) const {
  return part_of(*this, "finding", [&] {
    std::vector<finding> all;
    for (auto const& j : findings_) {
      finding f{j.at("claim").get<std::string>(),
                named<how_shown>(how_shown_names, j.at("how").get<std::string>()),
                std::stoull(j.at("explained_by").get<std::string>(), nullptr, 16),
                {},
                j.at("excuses").get<std::vector<std::string>>()};
      for (auto const& h : j.at("histories")) f.histories.push_back(read_evidence(s, h));
      if (j.contains("again")) {
        auto const& again = j.at("again");
        f.again = {again.at("tries").get<std::size_t>(), again.at("broke").get<std::size_t>()};
        if (f.again.broke > f.again.asked) refuse("a finding that broke more often than it was tried");
      }
      f.cut_short = j.value("cut_short", false);
      f.region_cut_short = j.value("region_cut_short", false);
      if (j.contains("region")) f.region = read_region(s, j.at("region"));
      if (f.histories.empty()) refuse("a finding without a history");
      all.push_back(std::move(f));
    }
    return all;
  });
}

std::optional<results_file::elsewhere> results_file::outside(shape const& s) const {
  if (outside_.is_null()) return {};
  return part_of(*this, "outside", [&] {
    auto const count = [&](char const* name) { return outside_.at(name).get<std::uint64_t>(); };
    explain::outside tried{{}, count("tried"), count("held")};
    bool const cut_short = outside_.value("cut_short", false);
    for (auto const& region : outside_.at("regions")) tried.regions.push_back(read_constraints(s, region));
    if (tried.held > tried.tried) throw text_error("more histories held than were tried");
    return elsewhere{std::move(tried), cut_short};
  });
}

}  // namespace backoff::files
