#include "histories.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "finding.hpp"
#include "histories/decode.hpp"
#include "histories/json.hpp"
#include "histories/mutate.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size)
    __attribute__((weak));

namespace backoff::fuzz {
namespace {

using namespace oracle;

constexpr std::string_view json_begins = R"({"system")";

std::string_view text_of(std::span<std::uint8_t const> bytes) noexcept {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

// As many bytes as there is room for; what is cut off is missing from the end of the history.
std::size_t put(std::vector<std::uint8_t> const& bytes, std::uint8_t* data, std::size_t max_size) noexcept {
  std::size_t const size = std::min(bytes.size(), max_size);
  std::copy_n(bytes.begin(), size, data);
  return size;
}

// The one history of a small input; the mutators leave others to the bytes.
history one_of(target const& of, std::span<std::uint8_t const> bytes) {
  auto all = histories_of(of, bytes);
  return all.empty() ? history{} : std::move(all.front());
}

// A step takes two bytes at least.
std::size_t steps_in(std::size_t bytes) noexcept { return std::min(decoded_steps_max, bytes / 2 + 1); }

// `--finding FILE…` in place of libFuzzer's arguments: files what each input shows, and says whether any does.
[[noreturn]] void file_findings(std::span<char*> paths) {
  bool found = false;
  for (char const* path : paths) {
    auto const text = read_input(path);
    std::span const bytes(reinterpret_cast<std::uint8_t const*>(text.data()), text.size());
    bool const is_one = the_target().file(histories_of(the_target(), bytes));
    if (!is_one) std::fprintf(stderr, "%s: no finding\n", path);
    found = found || is_one;
  }
  std::exit(found ? 1 : 0);
}

}  // namespace

std::vector<history> histories_of(target const& of, std::span<std::uint8_t const> bytes) {
  if (text_of(bytes).starts_with(json_begins)) {
    try {
      auto set = parse_json(text_of(bytes));
      bool const fits = set.system == &of.shape() && std::ranges::all_of(set.cases, [&](history const& h) {
                          return inside(of.shape(), of.takes(), h) && allowed(of.shape(), h);
                        });
      if (fits) return set.cases;
    } catch (text_error const&) {
      return {of.decode(bytes)};  // bytes like any others
    }
  }
  return {of.decode(bytes)};
}

history target::decode(std::span<std::uint8_t const> bytes) const { return histories::decode(shape(), takes(), bytes); }

}  // namespace backoff::fuzz

using namespace backoff;

extern "C" int LLVMFuzzerInitialize(int* argc,  // NOLINT(readability-non-const-parameter): libFuzzer's own
                                    char*** argv) {
  if (*argc > 2 && std::string_view((*argv)[1]) == "--finding")
    fuzz::file_findings(std::span(*argv, static_cast<std::size_t>(*argc)).subspan(2));
  static_cast<void>(fuzz::the_target());  // what cannot begin says so before any input is tried
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto& target = fuzz::the_target();
  target.run(fuzz::histories_of(target, {data, size}));
  return 0;
}

// Half of all changes are made to the history, the others to the bytes: these know what was compared with what.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  histories::random_bits random(seed);
  auto const& target = fuzz::the_target();
  if (!target.has_codec() || random.one_in(2)) return LLVMFuzzerMutate(data, size, max_size);
  auto h = fuzz::one_of(target, {data, size});
  auto const known = target.compared_with();
  if (!known.empty() && random.one_in(2)) {
    histories::put_number(h, target.shape(), target.takes(), random.pick(known), random);
  } else {
    histories::mutate(h, target.shape(), target.takes(), fuzz::steps_in(max_size), random);
  }
  return fuzz::put(histories::encode(target.shape(), target.takes(), h), data, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(std::uint8_t const* one, std::size_t one_size,
                                                 std::uint8_t const* other, std::size_t other_size, std::uint8_t* out,
                                                 std::size_t max_size, unsigned seed) {
  histories::random_bits random(seed);
  auto const& target = fuzz::the_target();
  if (!target.has_codec()) {  // the beginning of one, the end of the other
    std::vector<std::uint8_t> joined(one, one + random() % (one_size + 1));
    joined.insert(joined.end(), other + random() % (other_size + 1), other + other_size);
    return fuzz::put(joined, out, max_size);
  }
  auto const h = histories::crossed(target.shape(), target.takes(), fuzz::one_of(target, {one, one_size}),
                                    fuzz::one_of(target, {other, other_size}), fuzz::steps_in(max_size), random);
  return fuzz::put(histories::encode(target.shape(), target.takes(), h), out, max_size);
}
