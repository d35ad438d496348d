#include "histories/text_parts.hpp"

#include "histories/systems.hpp"

namespace backoff::histories::text_parts {

namespace {

void append_decimal(pieces& out, std::int64_t n, std::uint8_t scale) {
  if (n < 0) out << '-';
  std::string digits = std::to_string(n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n));
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  std::string_view const all = digits;
  auto fraction = all.substr(all.size() - scale);
  fraction.remove_suffix(fraction.size() - (fraction.find_last_not_of('0') + 1));
  out << all.substr(0, all.size() - scale);
  if (!fraction.empty()) out << '.' << fraction;
}

}  // namespace

void append_decimal(std::string& out, std::int64_t n, std::uint8_t scale) {
  pieces to(out);
  append_decimal(to, n, scale);
}

std::optional<std::int64_t> parse_scaled(std::string_view text, std::uint8_t scale) {
  auto const d = spec::parse_decimal(text);
  if (!d || d->inexact || d->exponent < -static_cast<std::int32_t>(scale)) return std::nullopt;
  std::int64_t n = d->mantissa;
  for (std::int32_t i = d->exponent + scale; i > 0; --i) {
    if (__builtin_mul_overflow(n, std::int64_t{10}, &n)) return std::nullopt;
    if (n == 0) break;
  }
  return n;
}

void append_plain(pieces& out, field const& f, value const& v) {
  if (v.kind == value_kind::keyword) {
    out << f.words[static_cast<std::size_t>(v.n)];
  } else if (v.kind == value_kind::set) {
    for (std::size_t i = 0, written = 0; i < f.words.size(); ++i) {
      if (((v.n >> i) & 1) == 0) continue;
      if (written++ != 0) out << '.';
      out << f.words[i];
    }
  } else if (v.kind == value_kind::decimal) {
    append_decimal(out, v.n, v.scale);
  } else {
    out << v.n;
  }
}

void append_plain(std::string& out, field const& f, value const& v) {
  pieces to(out);
  append_plain(to, f, v);
}

std::string shown(std::string_view text, std::size_t length) {
  std::string out = "'";
  for (char const c : text.substr(0, length)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > length ? "…'" : "'");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    auto const at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

shape const& known_system(std::string_view stem) {
  if (auto const* s = find_shape(stem)) return *s;
  throw text_error("unknown system " + shown(stem) + ", expected one of: " + comma_separated(shapes(), &shape::stem));
}

std::uint8_t known_operation(shape const& s, std::string_view name) {
  if (auto const op = s.find_operation(name)) return *op;
  throw text_error("unknown step " + shown(name) +
                   ", expected one of: " + comma_separated(s.operations, &operation::name));
}

void demand_allowed(shape const& s, history const& h) {
  if (!allowed(s, h)) throw text_error("this history is not allowed: " + std::string(s.misuse(h)));
}

void demand_all_params(shape const& s, history const& h) {
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (h.params[i].kind == value_kind::absent && !s.params[i].optional())
      throw text_error("parameter " + shown(s.params[i].name) + " is missing");
  }
}

void complete_args(shape const& s, step& call) {
  auto const& op = s.operations[call.op];
  for (std::size_t i = 0; i < op.args.size(); ++i) {
    auto const& f = op.args[i];
    if (call.args[i].kind != value_kind::absent || f.optional()) continue;
    if (f.has_default()) {
      bool const is_number = f.by_default && f.kind != field_kind::keyword;
      call.args[i] = is_number ? f.number(*f.by_default) : value::word(f.by_default.value_or(0));
      continue;
    }
    throw text_error("step " + shown(op.name) + ": argument " + shown(op.args[i].name) + " is missing");
  }
}

}  // namespace backoff::histories::text_parts
