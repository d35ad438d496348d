#include "protocol/fast_request.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "histories/text_parts.hpp"
#include "protocol/usual_json.hpp"

namespace backoff::protocol {
namespace {

// The fields of a call or of the parameters, and where their values go.
struct members {
  std::span<field const> fields;
  std::span<range const> ranges;
  std::span<value> values;
  std::size_t expected = 0;  // the field that comes next, where they come in their order

  [[nodiscard]] std::string_view expected_key() const noexcept {
    return expected < fields.size() ? fields[expected].name : std::string_view();
  }
};

// Each member function returns false where something is unusual, and throws text_error where it is refused.
class request_reader {
 public:
  request_reader(shape const& s, std::string_view line) : shape_(&s), domain_(documented_domain(s, {})), in_(line) {}

  bool read(request& to);

 private:
  bool read_one(members const& to, std::size_t i);
  bool read_list(members const& to, std::size_t i);
  bool read_set(members const& to, std::size_t i);
  bool read_member(members& to, std::string_view object, std::string_view key);
  bool read_step(step& to);
  bool read_history(history& h);

  shape const* shape_;
  domain domain_;
  usual_json in_;
  std::vector<step> steps_;  // of the history that is read
  // The step that was read last, which often comes again.
  step last_;
  std::string_view last_text_;
};

bool request_reader::read_one(members const& to, std::size_t i) {
  if (to.values[i].kind != value_kind::absent) return false;
  auto const& f = to.fields[i];
  auto const& r = to.ranges[i];
  if (f.kind == field_kind::integer || f.kind == field_kind::draw) {
    if (auto const n = in_.integer_string()) {
      to.values[i] = f.number(*n);
      return r.numbers && *n >= r.low && *n <= r.high;
    }
  }
  bool const boolean = f.written == field::form::boolean;
  auto const text = boolean ? in_.token() : in_.string();
  if (!text || (boolean && *text != "true" && *text != "false")) return false;
  to.values[i] = parse_value(f, r, *text);
  return true;
}

bool request_reader::read_list(members const& to, std::size_t i) {
  auto const end = list_end(to.fields, i);
  return in_.items([&] { return i != end && read_one(to, i++); });
}

bool request_reader::read_set(members const& to, std::size_t i) {
  std::string words;
  bool const read = to.values[i].kind == value_kind::absent && in_.items([&] {
    auto const word = in_.string();
    if (word) words.append(words.empty() ? "" : ".").append(*word);
    return word.has_value();
  });
  if (!read || words.empty()) return false;
  to.values[i] = parse_value(to.fields[i], to.ranges[i], words);
  return true;
}

bool request_reader::read_member(members& to, std::string_view object, std::string_view key) {
  auto const size = to.fields.size();
  auto i = to.expected;
  bool const is_expected = i < size && key.data() == to.fields[i].name.data() && to.fields[i].object == object;
  if (!is_expected) {
    for (i = 0; i < size && (to.fields[i].name != key || to.fields[i].object != object);) ++i;
  }
  auto const shares = [key](field const& f) { return f.object == key; };
  if (object.empty() && in_.next('{') && std::ranges::any_of(to.fields, shares)) {
    return in_.members([&] { return to.expected_key(); },
                       [&](std::string_view name) { return read_member(to, key, name); });
  }
  if (i == size) return false;
  to.expected = list_end(to.fields, i);
  if (to.fields[i].written == field::form::list) return read_list(to, i);
  return to.fields[i].kind == field_kind::set ? read_set(to, i) : read_one(to, i);
}

// "op" first: the other members are those of the call that it names.
bool request_reader::read_step(step& to) {
  auto const from = in_.rest();
  if (!last_text_.empty() && in_.take_text(last_text_)) {
    to = last_;
    return true;
  }
  members args{};
  bool placed = false;
  auto const expected = [&] { return args.values.empty() ? "op" : args.expected_key(); };
  bool const read = in_.members(expected, [&](std::string_view key) {
    if (args.values.empty()) {
      auto const name = key == "op" ? in_.string() : std::nullopt;
      auto const op = name ? shape_->find_operation(*name) : std::nullopt;
      if (!op) return false;
      to.op = *op;
      args = {shape_->operations[to.op].args, domain_.args[to.op], to.args};
      return true;
    }
    if (key != "on") return read_member(args, "", key);
    auto const text = in_.string();
    bool const one_digit =
        text && text->size() == 1 && text->front() >= '0' && text->front() < '0' + static_cast<int>(instances_max);
    if (one_digit) to.on = static_cast<std::uint8_t>(text->front() - '0');
    return one_digit && !std::exchange(placed, true);
  });
  if (!read || args.values.empty()) return false;
  text_parts::complete_args(*shape_, to);
  last_ = to;
  last_text_ = from.substr(0, from.size() - in_.rest().size());
  return true;
}

bool request_reader::read_history(history& h) {
  bool params_seen = false;
  bool steps_seen = false;
  steps_.clear();
  bool const read = in_.members([&](std::string_view key) {
    if (key == "params" && !std::exchange(params_seen, true)) {
      members params{shape_->params, domain_.params, h.params};
      return in_.members([&] { return params.expected_key(); },
                         [&](std::string_view name) { return read_member(params, "", name); });
    }
    if (key != "steps" || std::exchange(steps_seen, true)) return false;
    return in_.items(
        [&] { return steps_.size() != text_parts::steps_max && in_.next('{') && read_step(steps_.emplace_back()); });
  });
  if (!read || !params_seen || !steps_seen) return false;
  h.steps = steps_;
  text_parts::demand_all_params(*shape_, h);
  text_parts::demand_allowed(*shape_, h);
  return true;
}

bool request_reader::read(request& to) {
  bool id_seen = false;
  bool cases_seen = false;
  bool const read = in_.members([&](std::string_view key) {
    if (key == "cmd" && to.kind == request_kind::unknown) {
      to.kind = request_kind::run;
      return in_.string() == "run";
    }
    if (key == "id" && !std::exchange(id_seen, true)) {
      auto const text = in_.token();
      std::from_chars(text.data(), text.data() + text.size(), to.id);
      return text == std::to_string(to.id) && to.id <= std::uint64_t{1} << 53;
    }
    return key == "cases" && !std::exchange(cases_seen, true) &&
           in_.items([&] { return read_history(to.cases.emplace_back()); });
  });
  return read && to.kind == request_kind::run && id_seen && cases_seen && in_.take_end();
}

}  // namespace

std::optional<request> read_usual_request(shape const& s, std::string_view line) {
  request r;
  try {
    if (request_reader(s, line).read(r)) return r;
  } catch (text_error const&) {  // the long way says it
  }
  return std::nullopt;
}

request parse_request(std::string_view line, shape const* started) {
  if (started != nullptr) {
    if (auto usual = read_usual_request(*started, line)) return std::move(*usual);
  }
  return parse_any_request(line, started);
}

}  // namespace backoff::protocol
