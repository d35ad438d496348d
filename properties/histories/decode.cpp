#include "histories/decode.hpp"

namespace backoff::histories {
namespace {

constexpr std::uint8_t literal = 255;

class byte_reader {
 public:
  explicit byte_reader(std::span<std::uint8_t const> bytes) noexcept : rest_(bytes) {}
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::uint8_t next() {
    if (rest_.empty()) return 0;
    std::uint8_t const byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte;
  }
  [[nodiscard]] std::uint64_t word() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 8) value |= std::uint64_t{next()} << shift;
    return value;
  }

 private:
  std::span<std::uint8_t const> rest_;
};

// The values that one byte can pick.
std::vector<value> short_values(field const& f, range const& r) {
  std::vector<value> values;
  auto const words = static_cast<std::int64_t>(f.words.size());
  bool const set = f.kind == field_kind::set;
  for (std::int64_t mask = 1; set && mask < std::int64_t{1} << words; ++mask) values.push_back(value::words(mask));
  for (std::int64_t word = 0; !set && word < words; ++word) values.push_back(value::word(word));
  for (auto const& special : f.specials) values.push_back(f.number(special.value));
  for (auto const n : {r.low, r.low + 1, r.high - 1, r.high}) values.push_back(f.number(n));
  std::erase_if(values, [&](value const& v) { return !r.admits(v); });
  if (may_be_left_out(f, r)) values.emplace_back();
  return values;
}

value decode_value(field const& f, range const& r, byte_reader& in) {
  std::uint8_t const byte = in.next();
  auto const values = short_values(f, r);
  if (byte != literal || !r.numbers) return values[byte % values.size()];
  auto const size = static_cast<std::uint64_t>(r.high) - static_cast<std::uint64_t>(r.low) + 1;
  auto const offset = size == 0 ? in.word() : in.word() % size;
  return f.number(static_cast<std::int64_t>(static_cast<std::uint64_t>(r.low) + offset));
}

void encode_value(field const& f, range const& r, value const& v, std::vector<std::uint8_t>& out) {
  auto const values = short_values(f, r);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != v) continue;
    out.push_back(static_cast<std::uint8_t>(i));
    return;
  }
  if (v.kind == value_kind::absent) {  // the history has no such value: decoding takes away what byte 0 stands for
    out.push_back(0);
    return;
  }
  out.push_back(literal);
  auto const offset = static_cast<std::uint64_t>(v.n) - static_cast<std::uint64_t>(r.low);
  for (unsigned shift = 0; shift < 64; shift += 8) out.push_back(static_cast<std::uint8_t>(offset >> shift));
}

}  // namespace

history decode(shape const& s, domain const& d, std::span<std::uint8_t const> bytes) {
  byte_reader in(bytes);
  history h;
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (d.takes(s.params[i])) h.params[i] = decode_value(s.params[i], d.params[i], in);
  }
  while (!in.at_end() && h.steps.size() < decoded_steps_max) {
    step next;
    auto const byte = in.next();
    next.op = static_cast<std::uint8_t>(byte % s.operations.size());
    if (!d.answers(next.op)) next.op = 0;
    next.on = static_cast<std::uint8_t>(byte / s.operations.size() % d.instances());
    auto const args = s.operations[next.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!d.takes(args[i])) continue;
      next.args[i] = decode_value(args[i], d.args[next.op][i], in);
      if (args[i].written == field::form::item && next.args[i - 1].kind == value_kind::absent) next.args[i] = {};
    }
    h.steps.push_back(next);
  }
  s.repair(h, d);
  return h;
}

std::vector<std::uint8_t> encode(shape const& s, domain const& d, history const& h) {
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (d.takes(s.params[i])) encode_value(s.params[i], d.params[i], h.params[i], out);
  }
  for (auto const& step : h.steps) {
    out.push_back(static_cast<std::uint8_t>(step.op + step.on * s.operations.size()));
    auto const args = s.operations[step.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (d.takes(args[i])) encode_value(args[i], d.args[step.op][i], step.args[i], out);
    }
  }
  return out;
}

}  // namespace backoff::histories
