#include "protocol/messages.hpp"

#include <algorithm>
#include <limits>

#include "histories/json.hpp"
#include "histories/printable.hpp"
#include "histories/text_parts.hpp"

namespace backoff::protocol {

using text_parts::pieces;
using text_parts::shown;

namespace {

constexpr std::int64_t batch_max = 256;  // larger ones gain nothing
// Of a reply: each takes far more memory than it has bytes.
constexpr std::size_t values_about_itself = 65'536;
constexpr std::size_t values_a_step = 64;
constexpr std::size_t refusal_max = 300;  // of a port that does not start there is nothing else to say

json_document parse_object(std::string_view line, std::size_t values_max) {
  try {
    json_document document(line, values_max);
    if (document.root().is(json_kind::object)) return document;
  } catch (text_error const& e) {
    throw protocol_error(std::string(e.what()) + " of " + shown(line) + " (one object a line)");
  }
  throw protocol_error("expected a JSON object, found " + shown(line));
}

// What is no object is seldom meant as a reply.
json_document parse_reply(std::string_view line, std::size_t values_max) {
  auto const first = line.find_first_not_of(" \t");
  if (first != std::string_view::npos && line[first] == '{') return parse_object(line, values_max);
  try {
    return parse_object(line, values_max);
  } catch (protocol_error const& e) {
    throw protocol_error(std::string(e.what()) +
                         "; standard output is for replies: print any other text to standard error");
  }
}

std::string string_of(json_value const& object, std::string_view name, std::string fallback) {
  auto const* j = object.find(name);
  if (j == nullptr) return fallback;
  if (!j->is(json_kind::string))
    throw protocol_error("\"" + std::string(name) + "\": expected a string, found " + shown(j->dump()));
  return std::string(j->text);
}

// A JSON number or decimal string as an integer in [low, high].
std::int64_t integer_of(json_value const& j, std::string_view name, std::int64_t low, std::int64_t high) {
  auto const text = j.written();
  auto d = spec::parse_decimal(text);
  if (d && d->exponent > 0)
    d = spec::decimal{
        d->mantissa < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max(), 0,
        false};
  if (!d || !d->integral() || d->mantissa < low || d->mantissa > high) {
    throw protocol_error("\"" + std::string(name) + "\": expected an integer in [" + std::to_string(low) + ", " +
                         std::to_string(high) + "], found " + shown(text));
  }
  return d->mantissa;
}

bool is_integer(json_value const* j, std::uint64_t n) {
  auto const d = j != nullptr && j->is(json_kind::number) ? spec::parse_decimal(j->text) : std::nullopt;
  return d && *d == spec::decimal{static_cast<spec::integer>(n), 0, false};
}

// Whether it is among the strings of the array.
bool lists(json_value const& array, std::string_view name) {
  return std::ranges::any_of(array, [&](json_value const& item) { return item.is(name); });
}

// Of a decimal: in units of 10^-scale, as its field counts.
std::int64_t end_of(json_value const& j, field const& f, std::int64_t low) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (f.kind != field_kind::decimal) return integer_of(j, f.name, low, most);
  auto const text = j.written();
  auto const n = text_parts::parse_scaled(text, f.scale);
  if (n && *n >= low) return *n;
  std::string least;
  text_parts::append_decimal(least, low, f.scale);
  throw protocol_error("\"" + std::string(f.name) + "\": expected a decimal of at most " + std::to_string(f.scale) +
                       " places, not below " + least + ", found " + shown(text));
}

void read_pair(json_value const& j, field const& f, range& r) {
  std::string const name(f.name);
  if (!j.is(json_kind::array) || j.size() != 2)
    throw protocol_error("\"ranges\": \"" + name + "\": expected [LOW, HIGH], found " + shown(j.dump()));
  auto end = j.begin();
  auto const low = end_of(*end, f, std::numeric_limits<std::int64_t>::min());
  auto const high = end_of(*++end, f, low);
  auto const lowest = f.usual_low ? f.low : r.low;
  if (low > r.high || high < lowest)
    throw protocol_error("\"ranges\": \"" + name + "\" leaves nothing of what the document allows: " + shown(j.dump()));
  r.low = std::max(low, lowest);
  r.high = std::min(high, r.high);
}

// ["1","9"] · {"range":["1","9"],"forever":false} · ["word",…]: what the port takes of one field.
void read_range(json_value const& j, field const& f, range& r) {
  std::string const name(f.name);
  r.declared = true;
  bool const words_only = j.is(json_kind::array) && j.size() != 0 && j.begin()->is(json_kind::string) &&
                          !f.words.empty() && !spec::parse_decimal(j.begin()->text);
  if (words_only) {
    r.words = 0;
    r.numbers = false;
    for (auto const& item : j) {
      std::size_t i = 0;
      while (i < f.words.size() && !item.is(f.words[i])) ++i;
      if (i == f.words.size()) throw protocol_error("\"ranges\": \"" + name + "\": unknown word " + shown(item.dump()));
      r.words |= std::uint64_t{1} << i;
    }
    return;
  }
  if (!j.is(json_kind::object)) {
    read_pair(j, f, r);
    r.words = 0;  // a pair is all that it takes
    return;
  }
  auto const* pair = j.find("range");
  r.numbers = pair != nullptr;
  if (r.numbers) read_pair(*pair, f, r);
  for (std::size_t i = 0; i < f.words.size(); ++i) {
    auto const* admitted = j.find(f.words[i]);
    if (admitted == nullptr) continue;
    if (!admitted->is(json_kind::boolean))
      throw protocol_error("\"ranges\": \"" + name + "\": expected true or false, found " + shown(admitted->dump()));
    if (admitted->text == "false") r.words &= ~(std::uint64_t{1} << i);
  }
  if (!r.numbers && r.words == 0) throw protocol_error("\"ranges\": \"" + name + "\" leaves nothing to try");
}

// "op":["next"]: the calls that the port answers.
void read_operations(json_value const& j, shape const& s, domain& d) {
  bool const words =
      j.is(json_kind::array) && std::ranges::all_of(j, [](auto const& item) { return item.is(json_kind::string); });
  if (!words) throw protocol_error("\"ranges\": \"op\": expected a list of operations, found " + shown(j.dump()));
  std::vector<std::string> names;
  for (auto const& item : j) names.emplace_back(item.text);
  auto const why = keep_operations(s, d, names);
  if (!why.empty()) throw protocol_error("\"ranges\": \"op\": " + shown(why));
}

void read_ranges(json_value const& ranges, shape const& s, domain& d) {
  if (!ranges.is(json_kind::object))
    throw protocol_error("\"ranges\": expected an object, found " + shown(ranges.dump()));
  auto const read = [&](field const& f, range& r) {
    if (auto const* j = ranges.find(f.name)) read_range(*j, f, r);
  };
  if (auto const* j = ranges.find("op")) read_operations(*j, s, d);
  for (std::size_t i = 0; i < s.params.size(); ++i) read(s.params[i], d.params[i]);
  for (std::size_t op = 0; op < s.operations.size(); ++op) {
    auto const args = s.operations[op].args;
    for (std::size_t i = 0; i < args.size(); ++i) read(args[i], d.args[op][i]);
  }
}

// What a port says of itself, which is shown in every report.
std::string name_of(json_value const& object, std::string_view name, std::string fallback) {
  auto const text = string_of(object, name, std::move(fallback));
  if (text.size() > name_max)
    throw protocol_error("\"" + std::string(name) + "\": longer than " + std::to_string(name_max) + " bytes");
  return printable(text);
}

// What a port says of one history: there may be many.
std::string why_of(json_value const& object, std::string_view name) {
  return printable(string_of(object, name, ""), why_max);
}

draw_source read_draws(json_value const& j) {
  auto const draws = string_of(j, "draws", "injected");
  if (draws == "opaque") return {spec::draw_kind::hidden, 1};
  if (draws != "injected") throw protocol_error("\"draws\": expected injected or opaque, found " + shown(draws));
  auto const kind = string_of(j, "draw_kind", "u32");
  if (kind == "u32") return {};
  if (kind == "unit") return {spec::draw_kind::unit, std::uint64_t{1} << 32};
  if (kind != "rand") throw protocol_error("\"draw_kind\": expected u32, rand or unit, found " + shown(kind));
  auto const* most = j.find("rand_max");
  if (most == nullptr) throw protocol_error("\"draw_kind\" rand needs \"rand_max\"");
  return {spec::draw_kind::rand, static_cast<std::uint64_t>(integer_of(*most, "rand_max", 1, 0xffff'ffff)) + 1};
}

observed read_number(json_value const& j, std::string_view name, std::size_t which) {
  observed const failed{observed_kind::not_a_number, 0, {}};
  if (j.is(json_kind::null)) return failed;
  bool const readable = j.is(json_kind::number) || j.is(json_kind::string);
  if (auto const d = readable ? spec::parse_decimal(j.text) : std::nullopt) return observed::of(*d);
  for (auto const* word : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"}) {
    if (j.is(word)) return failed;
  }
  throw protocol_error("\"" + std::string(name) + "\": expected a number, found " + shown(j.written()), which);
}

observed read_word(answer_field const& f, json_value const& j, std::size_t which) {
  if (f.written == answer_field::form::boolean) {
    if (j.is(json_kind::boolean)) return observed::word(j.text == "true" ? 1 : 0);
    throw protocol_error("\"" + std::string(f.name) + "\": expected true or false, found " + shown(j.dump()), which);
  }
  for (std::size_t word = 0; word < f.words.size(); ++word) {
    if (j.is(f.words[word])) return observed::word(static_cast<std::uint8_t>(word));
  }
  throw protocol_error("\"" + std::string(f.name) + "\": unknown word " + shown(j.dump()) +
                           ", expected one of: " + text_parts::comma_separated(f.words),
                       which);
}

protocol_error lacks(json_value const& j, std::string_view name, std::size_t which) {
  return protocol_error("an answer has no \"" + std::string(name) + "\": " + shown(j.dump()), which);
}

// The object that the field is a member of, which may be null; the answer itself where it is a member of none.
json_value const& object_of(answer_field const& f, json_value const& j, std::size_t which) {
  if (f.object.empty()) return j;  // NOLINT(bugprone-return-const-ref-from-parameter): the reply outlives it
  auto const* object = j.find(f.object);
  if (object == nullptr) throw lacks(j, f.object, which);
  if (!object->is(json_kind::object) && !object->is(json_kind::null))
    throw protocol_error(
        "\"" + std::string(f.object) + "\": expected an object or null, found " + shown(object->dump()), which);
  return *object;
}

observed read_field(answer_field const& f, json_value const& j, std::size_t which) {
  auto const& object = object_of(f, j, which);
  if (object.is(json_kind::null)) return {};
  auto const* found = object.find(f.name);
  if (found == nullptr) {
    if (f.written == answer_field::form::implied) return observed::word(0);
    if (!f.object.empty()) return {observed_kind::not_a_number, 0, {}};  // an object that lacks what belongs in it
    if (f.optional) return {};
    throw lacks(j, f.name, which);
  }
  if (f.optional && found->is(json_kind::null)) return {};
  return f.words.empty() ? read_number(*found, f.name, which) : read_word(f, *found, which);
}

answer read_answer(shape const& s, feature_mask features, std::uint8_t op, json_value const& j, std::size_t which) {
  if (!j.is(json_kind::object)) throw protocol_error("an answer is " + shown(j.dump()) + ", expected an object", which);
  answer a;
  for (std::size_t i = 0; i < s.answers.size(); ++i) {
    auto const& f = s.answers[i];
    if (i > 0 && a[0] == observed::word(s.error_word)) break;  // a call that failed answers nothing else
    if (!f.belongs_to(a)) continue;
    if (f.needs && (features & bit(*f.needs)) == 0) continue;
    if (f.answers(op) && !f.idle(a)) a[i] = read_field(f, j, which);
  }
  return a;
}

result read_result(shape const& s, feature_mask features, history const& h, json_value const& j, std::size_t which) {
  if (!j.is(json_kind::object)) throw protocol_error("a result is " + shown(j.dump()) + ", expected an object", which);
  if (j.find("error") != nullptr)
    throw protocol_error("the port reports an error: " + shown(string_of(j, "error", "")), which);
  auto const* steps = j.find("steps");
  bool const rejected = j.find("rejected") != nullptr;
  bool const skipped = j.find("skipped") != nullptr;
  if ((steps != nullptr ? 1 : 0) + (rejected ? 1 : 0) + (skipped ? 1 : 0) > 1)
    throw protocol_error("a result is more than one of steps, rejected, skipped: " + shown(j.dump()), which);
  if (rejected) return {result_kind::rejected, s.rejection(h), why_of(j, "rejected")};
  if (skipped) return {result_kind::skipped, {}, why_of(j, "skipped")};
  if (steps == nullptr || !steps->is(json_kind::array)) {
    throw protocol_error("a result has none of steps, rejected, skipped, error: " + shown(j.dump()), which);
  }
  auto const answers = steps->size();
  auto const wrong_number = [&] {
    return protocol_error("expected " + std::to_string(h.steps.size()) + " answers, found " + std::to_string(answers),
                          which);
  };
  if (answers > h.steps.size()) throw wrong_number();
  result r;
  r.answers.reserve(answers);
  for (auto const& item : *steps) {
    r.answers.push_back(read_answer(s, features, h.steps[r.answers.size()].op, item, which));
    if (auto why = why_of(item, "why"); !why.empty()) r.why = std::move(why);
  }
  bool const cut_short = !r.answers.empty() && r.answers.back()[0] == observed::word(s.error_word);
  if (answers < h.steps.size() && !cut_short) throw wrong_number();
  return r;
}

void append_field(pieces& out, answer_field const& f, observed const& o) {
  if (out.last() != '{') out << ',';
  out << '"' << f.name << "\":";
  if (o.kind == observed_kind::keyword) {
    bool const quoted = f.written != answer_field::form::boolean;
    if (quoted) out << '"';
    out << f.words[o.keyword];
    if (quoted) out << '"';
  } else if (o.kind == observed_kind::number) {
    out << '"' << o.value.mantissa;
    if (o.value.exponent != 0) out << 'e' << o.value.exponent;
    out << '"';
  } else {
    out << "null";
  }
}

// The members of the answer, without its brackets.
void append_answer(pieces& out, shape const& s, std::uint8_t op, answer const& a) {
  bool const failed = a[0] == observed::word(s.error_word);
  std::string_view object;  // the one that the last field was a member of
  bool open = false;        // and whether it is there at all
  for (std::size_t i = 0; i < s.answers.size(); ++i) {
    auto const& f = s.answers[i];
    bool const absent = a[i].kind == observed_kind::absent;
    if (!f.object.empty() && (failed || !f.answers(op))) continue;
    if (f.object != object) {
      if (open) out << '}';
      open = !f.object.empty() && !absent;
      if (!f.object.empty()) {
        if (out.last() != '{') out << ',';
        out << '"' << f.object << (open ? std::string_view("\":{") : std::string_view("\":null"));
      }
      object = f.object;
    }
    bool const implied = f.written == answer_field::form::implied && a[i] == observed::word(0);
    if (!absent && !implied) append_field(out, f, a[i]);
  }
  if (open) out << '}';
}

// Whether a port with these features always finds the argument in a call.
bool is_promised(field const& f, feature_mask features) {
  return f.by_default && f.needs && (features & bit(*f.needs)) != 0;
}

// The history with the defaults of those arguments where it leaves them out.
history completed(shape const& s, history h, feature_mask features) {
  for (auto& step : h.steps) {
    auto const args = s.operations[step.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      bool const left_out = step.args[i].kind == value_kind::absent;
      if (left_out && is_promised(args[i], features)) step.args[i] = args[i].number(*args[i].by_default);
    }
  }
  return h;
}

void append_range(std::string& out, field const& f, range const& r) {
  out += quoted_json(f.name) + ":";
  std::string pair = "[\"";
  text_parts::append_plain(pair, f, f.number(r.low));
  pair += "\",\"";
  text_parts::append_plain(pair, f, f.number(r.high));
  pair += "\"]";
  if (f.words.empty()) {
    out += pair;
    return;
  }
  out += r.numbers ? "{\"range\":" + pair : "{";
  for (std::size_t i = 0; i < f.words.size(); ++i) {
    out += (out.back() == '{' ? "" : ",") + quoted_json(f.words[i]) + ":" +
           (((r.words >> i) & 1U) != 0 ? "true" : "false");
  }
  out += "}";
}

}  // namespace

std::string with_numbers_as_text(std::string_view line) {
  constexpr std::string_view number_like = "+-.0123456789eEINfinityNa";
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < line.size();) {
    char const c = line[i];
    if (c == '"') {
      for (++i; i < line.size() && line[i] != '"';) i += line[i] == '\\' ? 2 : 1;
      ++i;
    } else if (c == '-' || c == 'N' || c == 'I' || (c >= '0' && c <= '9')) {
      auto const end = std::min(line.find_first_not_of(number_like, i), line.size());
      auto const token = line.substr(i, end - i);
      bool const plain = token.size() < 18 && token.find_first_not_of("-0123456789") == std::string_view::npos;
      if (!plain) {
        out.append(line, copied, i - copied).append("\"").append(token).append("\"");
        copied = end;
      }
      i = end;
    } else {
      ++i;
    }
  }
  return out.append(line, copied);
}

std::string start_request(shape const& s) {
  return R"({"cmd":"start","protocol":)" + std::to_string(protocol_version) + R"(,"system":")" + std::string(s.stem) +
         "\"}";
}

std::string stop_request() { return R"({"cmd":"stop"})"; }

std::string run_request(shape const& s, draw_source const& draws, std::uint64_t id, std::span<history const> cases,
                        feature_mask features) {
  bool const completes = std::ranges::any_of(s.operations, [&](operation const& op) {
    return std::ranges::any_of(op.args, [&](field const& f) { return is_promised(f, features); });
  });
  std::string out = R"({"cmd":"run","id":)" + std::to_string(id) + R"(,"cases":[)";
  for (auto const& h : cases) {
    if (out.back() != '[') out += ',';
    append_case(out, s, draws, completes ? completed(s, h, features) : h);
  }
  return out + "]}";
}

capabilities parse_start_reply(shape const& s, std::string_view line) {
  auto const document = parse_reply(line, values_about_itself);
  auto const& j = document.root();
  if (j.find("error") != nullptr)
    throw protocol_error(std::string(refuses_to_start) + shown(string_of(j, "error", ""), refusal_max));
  if (!is_integer(j.find("protocol"), protocol_version)) {
    throw protocol_error("expected \"protocol\":" + std::to_string(protocol_version) +
                         " in the reply to start, found " + shown(line));
  }
  auto const* systems = j.find("systems");
  if (systems != nullptr && systems->is(json_kind::array) && !lists(*systems, s.stem))
    throw protocol_error("the port does not list the system " + std::string(s.stem) + ": " + shown(systems->dump()));
  capabilities c;
  auto const draws = read_draws(j);
  if (s.draws_are_hidden && draws.kind != spec::draw_kind::hidden)
    throw protocol_error("a delay of " + std::string(s.stem) +
                         " has several draws, which the port makes itself: expected \"draws\":\"opaque\"");
  static json_value const nothing(json_kind::null, {}, {});
  auto const* port = j.find("port");
  if (port == nullptr) port = &nothing;
  c.name = name_of(*port, "name", "unnamed");
  c.version = name_of(*port, "version", "");
  c.language = name_of(*port, "language", "");
  if (j.find("mapping") != nullptr) c.mapping = name_of(j, "mapping", "");
  c.max_batch = 1;
  if (auto const* most = j.find("max_batch"))
    c.max_batch = static_cast<std::size_t>(
        std::min(batch_max, integer_of(*most, "max_batch", 1, std::numeric_limits<std::int64_t>::max())));
  if (auto const* most = j.find("max_line"))
    c.max_line = static_cast<std::size_t>(integer_of(*most, "max_line", 256, 1LL << 40));
  feature_mask features = 0;
  if (auto const* listed = j.find("features"); listed != nullptr && listed->is(json_kind::array)) {
    for (std::size_t i = 0; i < feature_names.size(); ++i) {
      if (lists(*listed, feature_names[i])) features |= bit(feature{static_cast<std::uint8_t>(i)}) & s.features;
    }
  }
  c.takes = usual_domain(s, draws, features);
  if (auto const* ranges = j.find("ranges")) read_ranges(*ranges, s, c.takes);
  without_missing_words(s, c.takes);
  return c;
}

std::vector<result> parse_run_reply(shape const& s, feature_mask features, std::uint64_t id,
                                    std::span<history const> cases, std::string_view line) {
  std::size_t steps = 0;
  for (auto const& h : cases) steps += h.steps.size();
  auto const document = parse_reply(with_numbers_as_text(line), values_about_itself + values_a_step * steps);
  auto const& j = document.root();
  if (j.find("error") != nullptr)
    throw protocol_error("the port answers run with an error: " + shown(string_of(j, "error", "")));
  if (!is_integer(j.find("id"), id))
    throw protocol_error("expected \"id\":" + std::to_string(id) + ", found " + shown(line));
  auto const* items = j.find("results");
  if (items == nullptr || !items->is(json_kind::array))
    throw protocol_error("expected \"results\", found " + shown(line));
  if (auto const found = items->size(); found != cases.size())
    throw protocol_error("expected " + std::to_string(cases.size()) + " results, found " + std::to_string(found));
  std::vector<result> results;
  results.reserve(cases.size());
  for (auto const& item : *items)
    results.push_back(read_result(s, features, cases[results.size()], item, results.size()));
  return results;
}

request parse_request(std::string_view line, shape const* started) {
  auto const document = parse_object(line, std::string_view::npos);
  auto const& j = document.root();
  request r;
  auto const cmd = string_of(j, "cmd", "");
  if (cmd == "stop") r.kind = request_kind::stop;
  if (cmd == "start") {
    r.kind = request_kind::start;
    r.system = string_of(j, "system", "");
  }
  if (cmd == "run" && started != nullptr) {
    r.kind = request_kind::run;
    if (auto const* id = j.find("id"))
      r.id = static_cast<std::uint64_t>(integer_of(*id, "id", 0, std::int64_t{1} << 53));
    auto const d = documented_domain(*started, {spec::draw_kind::u32, std::uint64_t{1} << 32});
    if (auto const* cases = j.find("cases"); cases != nullptr && cases->is(json_kind::array)) {
      for (auto const& item : *cases) r.cases.push_back(read_case(item, *started, d));
    }
  }
  return r;
}

std::string start_reply(shape const& s, capabilities const& port) {
  auto const& draws = port.takes.draws;
  bool const hidden = draws.kind == spec::draw_kind::hidden;
  std::string out = R"({"protocol":1,"port":{"name":)" + quoted_json(port.name) + R"(,"version":)" +
                    quoted_json(port.version) + R"(,"language":)" + quoted_json(port.language) + R"(},"systems":[)" +
                    quoted_json(s.stem) + R"(],"draws":")" + (hidden ? "opaque" : "injected") + "\"";
  if (draws.kind == spec::draw_kind::unit) out += R"(,"draw_kind":"unit")";
  if (draws.kind == spec::draw_kind::rand)
    out += R"(,"draw_kind":"rand","rand_max":")" + std::to_string(draws.size - 1) + "\"";
  if (port.max_line != 0) out += R"(,"max_line":)" + std::to_string(port.max_line);
  std::string features;
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    if (port.takes.offers(feature{static_cast<std::uint8_t>(i)}))
      features += (features.empty() ? "" : ",") + quoted_json(feature_names[i]);
  }
  if (!features.empty()) out += R"(,"features":[)" + features + "]";
  if (port.mapping) out += R"(,"mapping":)" + quoted_json(*port.mapping);
  out += R"(,"max_batch":)" + std::to_string(port.max_batch) + R"(,"ranges":{)";
  auto const ranges_begin = out.size();
  std::string operations;
  bool all = true;
  for (std::size_t op = 0; op < s.operations.size(); ++op) {
    bool const is_answered = port.takes.answers(static_cast<std::uint8_t>(op));
    all = all && is_answered;
    if (is_answered) operations += (operations.empty() ? "" : ",") + quoted_json(s.operations[op].name);
  }
  if (!all) out += R"("op":[)" + operations + "]";
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (!port.takes.takes(s.params[i])) continue;
    if (out.back() != '{') out += ',';
    append_range(out, s.params[i], port.takes.params[i]);
  }
  for (std::size_t op = 0; op < s.operations.size(); ++op) {
    auto const args = s.operations[op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      auto const& r = port.takes.args[op][i];
      bool const is_said = out.find("\"" + std::string(args[i].name) + "\":", ranges_begin) != std::string::npos;
      if (is_said || (!args[i].usual_low && !r.declared)) continue;
      if (out.back() != '{') out += ',';
      append_range(out, args[i], r);
    }
  }
  return out + "}}";
}

std::string run_reply(shape const& s, std::uint64_t id, std::span<history const> cases,
                      std::span<result const> results) {
  std::string text;
  {
    pieces out(text);
    out << R"({"id":)" << id << R"(,"results":[)";
    for (std::size_t k = 0; k < cases.size(); ++k) {
      if (k != 0) out << ',';
      auto const& r = results[k];
      if (r.kind != result_kind::answered) {
        std::string_view const kind = r.kind == result_kind::rejected ? "rejected" : "skipped";
        out << "{\"" << kind << "\":" << quoted_json(r.why) << '}';
        continue;
      }
      out << R"({"steps":[)";
      for (std::size_t i = 0; i < r.answers.size(); ++i) {
        if (i != 0) out << ',';
        out << '{';
        append_answer(out, s, cases[k].steps[i].op, r.answers[i]);
        if (i + 1 == r.answers.size() && !r.why.empty()) out << ",\"why\":" << quoted_json(r.why);
        out << '}';
      }
      out << "]}";
    }
    out << "]}";
  }
  return text;
}

std::string error_reply(std::string_view why) { return R"({"error":)" + quoted_json(why) + "}"; }

}  // namespace backoff::protocol
