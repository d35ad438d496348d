// The calls of retry control, and which of them a history may have. The parts beside it choose histories.
#include "systems/azure_c_retry_control/history.hpp"

#include <algorithm>
#include <array>

#include "azure_c_retry_control/page.hpp"
#include "histories/systems.hpp"
#include "systems/azure_c_retry_control/history_played.hpp"

namespace backoff::systems {
namespace azure_c_calls {
namespace {

struct words_of_call {
  std::size_t null_at;
  std::int64_t nulls;  // that the call can take
  std::size_t fail_at;
  std::int64_t fails;
};
constexpr std::size_t nowhere = args_max;
constexpr std::array<words_of_call, operations.size()> word_args{{
    {should_retry_args::null, null_handle | null_action, nowhere, 0},
    {nowhere, 0, create_args::fail, fail_malloc},
    {set_option_args::null, null_handle | null_name | null_value, set_option_args::fail, fail_option_feed},
    {retrieve_options_args::null, null_handle, retrieve_options_args::fail, fail_option_create | fail_option_add},
    {is_timeout_reached_args::null, null_out, nowhere, 0},
    {reset_args::null, null_handle, nowhere, 0},
    {destroy_args::null, null_handle, nowhere, 0},
}};

// Words that this call cannot use are taken away.
void keep_words(step& s) noexcept {
  auto const& words = word_args[s.op];
  auto const keep = [&](std::size_t at, std::int64_t mask) {
    if (at == nowhere || !given(s.args[at])) return;
    auto& v = s.args[at];
    v = (v.n & mask) == 0 ? value{} : value::words(v.n & mask);
  };
  keep(words.null_at, words.nulls);
  keep(words.fail_at, words.fails);
}

// An option that is a number has one, saved options have a member at least.
bool keep_option_value(step& s) noexcept {
  if (option_of(s) != model::option::retry_control_options) {
    s.args[saved_wait_at] = s.args[saved_jitter_at] = {};
    return given(s.args[number_at]);
  }
  s.args[number_at] = {};
  return given(s.args[saved_wait_at]) || given(s.args[saved_jitter_at]);
}

enum class stage : std::uint8_t { none, created, not_created, destroyed };

// Asked of all steps in order: why a call cannot stand where it does; where it can, nothing.
class order {
 public:
  std::string_view operator()(step const& s) noexcept {
    auto& at = stages_[s.on];
    bool const null = (nulls_of(s) & null_handle) != 0;
    if (s.op == create) {
      if (at != stage::none) return "an instance is created once";
      at = (fails_of(s) & fail_malloc) != 0 ? stage::not_created : stage::created;
      return "";
    }
    if (at == stage::none) return "an instance begins with create";
    if (at == stage::destroyed) return "nothing follows destroy";
    if (at == stage::not_created && !null && s.op != is_timeout_reached)
      return "an instance that could not be created is NULL";
    if (s.op == destroy && !null) at = stage::destroyed;
    return "";
  }

 private:
  std::array<stage, instances_max> stages_{};
};

std::string_view misuse(history const& h) {
  order asked;
  for (auto const& s : h.steps) {
    step kept = s;
    keep_words(kept);
    if (kept != s) return "NULL or a failure is asked for where the call has none";
    if (s.op == set_option && (!keep_option_value(kept) || kept != s))
      return "set_option needs a number, or saved options, as its name demands";
    if (auto const why = asked(s); !why.empty()) return why;
  }
  return "";
}

}  // namespace

void repair(history& h) {
  order asked;
  std::erase_if(h.steps, [&](step& s) {
    keep_words(s);
    return (s.op == set_option && !keep_option_value(s)) || !asked(s).empty();
  });
}

step with_words(step s, std::int64_t nulls, std::int64_t fails) {
  auto const& words = word_args[s.op];
  if (nulls != 0) s.args[words.null_at] = value::words(nulls);
  if (fails != 0) s.args[words.fail_at] = value::words(fails);
  return s;
}

std::int64_t nulls_of(step const& s) noexcept {
  auto const at = word_args[s.op].null_at;
  return at == nowhere ? 0 : s.args[at].n;
}

std::int64_t fails_of(step const& s) noexcept {
  auto const at = word_args[s.op].fail_at;
  return at == nowhere ? 0 : s.args[at].n;
}

std::span<std::string_view const> option_names() noexcept { return words_of_name; }

model::option option_of(step const& s) noexcept {
  return static_cast<model::option>(std::min(s.args[name_at].n, static_cast<std::int64_t>(model::option::unsupported)));
}

model::outcome take(step const& s, draw_source const& draws, model::state& at, spec::chooser& readings) {
  auto const nulls = nulls_of(s);
  auto const fails = fails_of(s);
  model::surroundings with{};
  with.null_handle = (nulls & null_handle) != 0;
  with.null_out = (nulls & (null_action | null_out)) != 0;
  with.null_name = (nulls & null_name) != 0;
  with.null_value = (nulls & null_value) != 0;
  with.malloc_fails = (fails & fail_malloc) != 0;
  with.option_create_fails = (fails & fail_option_create) != 0;
  with.option_add_fails = (fails & fail_option_add) != 0;
  with.option_feed_fails = (fails & fail_option_feed) != 0;
  std::array<spec::integer, readings_max> clock{};
  auto const read = [&](std::size_t from, std::size_t most) {
    std::size_t n = 0;
    for (; n < most && given(s.args[from + n]); ++n) clock[n] = s.args[from + n].n;
    with.clock = std::span(clock).first(n);
  };
  auto const saved = [&](std::size_t i) -> std::optional<spec::integer> {
    if (!given(s.args[i])) return std::nullopt;
    return s.args[i].n;
  };
  switch (s.op) {
    case should_retry: {
      read(clock_at, readings_max);
      auto const& draw = s.args[draw_at];
      with.from = {draws.kind, static_cast<std::uint64_t>(draw.n), draws.size};
      if (!given(draw)) with.from = {spec::draw_kind::hidden, 0, draws.size};
      return model::should_retry(with, at, readings);
    }
    case create:
      return model::create(static_cast<model::policy>(s.args[policy_at].n), s.args[limit_at].n, with, at);
    case set_option:
      return model::set_option(option_of(s), {s.args[number_at].n, {saved(saved_wait_at), saved(saved_jitter_at)}},
                               with, at);
    case retrieve_options:
      return model::retrieve_options(with, at);
    case is_timeout_reached:
      read(timeout_clock_at, timeout_readings_max);
      return model::is_timeout_reached(s.args[start_at].n, s.args[timeout_at].n, with, at, readings);
    case reset:
      return model::reset(with, at, readings);
    default:
      return model::destroy(with, at);
  }
}

}  // namespace azure_c_calls

shape const azure_c_retry_control_shape{
    pages::azure_c_retry_control::declared,
    {.correlate = azure_c_calls::correlate,
     .corners = azure_c_calls::corners,
     .samples = azure_c_calls::samples,
     .long_samples = azure_c_calls::long_samples,
     .tells_draws = {azure_c_calls::tells_waits,
                     "a clock that fails as a retry is granted, or readings 2^62 seconds from zero"},
     .misuse = azure_c_calls::misuse,
     .repair = [](history& h, domain const&) { azure_c_calls::repair(h); },
     .example = azure_c_calls::example}};

}  // namespace backoff::systems
