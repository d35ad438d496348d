#include "protocol/fast_reply.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "protocol/messages.hpp"
#include "protocol/usual_json.hpp"

namespace backoff::protocol {
namespace {

// The fields of an answer that a line holds: a bit each, of those in an object that is null too.
struct fields_given {
  answer& to;
  std::uint32_t null = 0;
  std::size_t after = 0;  // how many fields stand up to the one that was read last
};

// Each member function returns false where something is unusual.
class reply_reader {
 public:
  reply_reader(shape const& s, feature_mask features, std::string_view line) noexcept
      : shape_(&s), features_(features), in_(line) {}

  bool read(std::uint64_t id, std::span<history const> cases, std::vector<result>& results);

 private:
  bool read_value(answer_field const& f, observed& to);
  bool read_member(std::string_view object, std::string_view key, fields_given& given);
  [[nodiscard]] bool is_complete(std::uint8_t op, fields_given const& given) const;
  bool read_answers(history const& h, std::vector<answer>& answers);
  bool read_result(history const& h, result& r);
  bool read_results(std::span<history const> cases, std::vector<result>& results);

  [[nodiscard]] std::string_view expected(fields_given const& given) const noexcept {
    auto const i = follows_[given.after];
    return i < shape_->answers.size() ? shape_->answers[i].name : std::string_view();
  }

  shape const* shape_;
  feature_mask features_;
  usual_json in_;
  std::array<std::size_t, spec::answer_fields_max + 1> follows_{};  // the field that came last behind so many
  // The answer that was read last, which often comes again.
  answer const* last_ = nullptr;
  std::string_view last_text_;
  std::uint8_t last_op_ = 0;
};

bool reply_reader::read_value(answer_field const& f, observed& to) {
  if (f.written == answer_field::form::boolean) {
    auto const text = in_.token();
    to = observed::word(text == "true" ? 1 : 0);
    return text == "true" || text == "false";
  }
  if (!f.words.empty()) {
    std::size_t i = 0;
    while (i < f.words.size() && !in_.take_string(f.words[i])) ++i;
    to = observed::word(static_cast<std::uint8_t>(i));
    return i < f.words.size();
  }
  if (auto const n = in_.integer_string()) {
    to = observed::of(*n);
    return true;
  }
  auto const text = in_.next('"') ? in_.string() : in_.token();
  auto const d = text ? spec::parse_decimal(*text) : std::nullopt;
  if (d) to = observed::of(*d);
  return d.has_value();
}

// A member of an object of an answer; of the answer itself where the object has no name.
bool reply_reader::read_member(std::string_view object, std::string_view key, fields_given& given) {
  auto const& fields = shape_->answers;
  auto& i = follows_[given.after];
  bool const is_expected = i < fields.size() && key.data() == fields[i].name.data() && fields[i].object == object;
  if (!is_expected) {
    for (i = 0; i < fields.size() && (fields[i].name != key || fields[i].object != object);) ++i;
  }
  if (i < fields.size()) {
    given.after = i + 1;
    return given.to[i].kind == observed_kind::absent && read_value(fields[i], given.to[i]);
  }
  if (!object.empty()) return false;
  std::uint32_t members = 0;
  for (std::size_t k = 0; k < fields.size(); ++k) members |= fields[k].object == key ? 1U << k : 0U;
  if (members == 0 || (given.null & members) != 0) return false;
  if (in_.next('{')) {
    return in_.members([&] { return expected(given); },
                       [&](std::string_view name) { return read_member(key, name, given); });
  }
  given.null |= members;
  return in_.token() == "null";
}

// Whether the answer has the fields that its words demand and no other.
bool reply_reader::is_complete(std::uint8_t op, fields_given const& given) const {
  answer& a = given.to;
  auto const& fields = shape_->answers;
  if (a[0] == observed::word(shape_->error_word)) {
    auto const is_absent = [](observed const& o) { return o.kind == observed_kind::absent; };
    return given.null == 0 && std::all_of(a.begin() + 1, a.end(), is_absent);
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto const& f = fields[i];
    if (f.idle(a)) a[i] = {};
    bool const unused =
        f.idle(a) || !f.answers(op) || !f.belongs_to(a) || (f.needs && (features_ & bit(*f.needs)) == 0);
    bool const there = a[i].kind != observed_kind::absent;
    bool const is_null = ((given.null >> i) & 1U) != 0;
    if ((unused && (there || is_null)) || (there && is_null)) return false;
    if (unused || there || is_null || f.optional) continue;
    if (f.written != answer_field::form::implied) return false;
    a[i] = observed::word(0);
  }
  return true;
}

// An answer to each step, or up to one that says that the call failed.
bool reply_reader::read_answers(history const& h, std::vector<answer>& answers) {
  answers.reserve(h.steps.size());
  bool const read = in_.items([&] {
    if (answers.size() == h.steps.size() || !in_.next('{')) return false;
    auto const op = h.steps[answers.size()].op;
    auto const from = in_.rest();
    if (last_ != nullptr && op == last_op_ && in_.take_text(last_text_)) {
      answers.push_back(*last_);
      return true;
    }
    fields_given given{answers.emplace_back()};
    bool const complete = in_.members([&] { return expected(given); },
                                      [&](std::string_view key) { return read_member("", key, given); }) &&
                          is_complete(op, given);
    last_ = &answers.back();
    last_text_ = from.substr(0, from.size() - in_.rest().size());
    last_op_ = op;
    return complete;
  });
  if (!read) return false;
  return answers.size() == h.steps.size() ||
         (!answers.empty() && answers.back()[0] == observed::word(shape_->error_word));
}

bool reply_reader::read_result(history const& h, result& r) {
  bool seen = false;
  return in_.members([&](std::string_view key) {
    bool const expected = !std::exchange(seen, true) && key == "steps";
    return expected && read_answers(h, r.answers);
  }) && seen;
}

bool reply_reader::read_results(std::span<history const> cases, std::vector<result>& results) {
  results.reserve(cases.size());
  return in_.items([&] {
    if (results.size() == cases.size()) return false;
    auto const& h = cases[results.size()];
    return read_result(h, results.emplace_back());
  }) && results.size() == cases.size();
}

bool reply_reader::read(std::uint64_t id, std::span<history const> cases, std::vector<result>& results) {
  bool id_seen = false;
  bool results_seen = false;
  bool const read = in_.members([&](std::string_view key) {
    if (key == "id" && !id_seen) return id_seen = in_.token() == std::to_string(id);
    return key == "results" && !std::exchange(results_seen, true) && read_results(cases, results);
  });
  return read && id_seen && results_seen && in_.take_end();
}

}  // namespace

std::optional<std::vector<result>> read_usual_reply(shape const& s, feature_mask features, std::uint64_t id,
                                                    std::span<history const> cases, std::string_view line) {
  std::vector<result> results;
  if (!reply_reader(s, features, line).read(id, cases, results)) return std::nullopt;
  return results;
}

std::vector<result> parse_run_reply(shape const& s, feature_mask features, std::uint64_t id,
                                    std::span<history const> cases, std::string_view line) {
  if (auto usual = read_usual_reply(s, features, id, cases, line)) return std::move(*usual);
  return parse_any_run_reply(s, features, id, cases, line);
}

}  // namespace backoff::protocol
