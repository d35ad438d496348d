// Where the calls and their arguments stand in histories of retry control, for whoever takes them apart.
#pragma once

#include "azure_c_retry_control/model.hpp"
#include "azure_c_retry_control/page.hpp"
#include "histories/shape.hpp"

namespace backoff::systems::azure_c_calls {

using namespace pages::azure_c_retry_control;
using namespace pages::azure_c_retry_control::call;

// Of should_retry; the readings that follow the first may be left out, here and below.
inline constexpr std::size_t clock_at = should_retry_args::clock;
inline constexpr std::size_t readings_max = 3;
inline constexpr std::size_t draw_at = should_retry_args::draws;
// Of create.
inline constexpr std::size_t policy_at = create_args::policy;
inline constexpr std::size_t limit_at = create_args::max_retry_time_s;
// Of set_option; the last two are saved options, in place of a number.
inline constexpr std::size_t name_at = set_option_args::name;
inline constexpr std::size_t number_at = set_option_args::value;
inline constexpr std::size_t saved_wait_at = set_option_args::initial_wait_time_in_secs;
inline constexpr std::size_t saved_jitter_at = set_option_args::max_jitter_percent;
// Of is_timeout_reached.
inline constexpr std::size_t start_at = is_timeout_reached_args::start;
inline constexpr std::size_t timeout_at = is_timeout_reached_args::timeout_s;
inline constexpr std::size_t timeout_clock_at = is_timeout_reached_args::clock;
inline constexpr std::size_t timeout_readings_max = 2;

// In how many cells samples divide the range of a drawn wait, where it is wide enough.
inline constexpr std::int64_t sampled_cells = 16;

// Bits of `null` and of `fail`.
enum null_bit : std::int64_t {
  null_handle = 1 << null_word::handle,
  null_action = 1 << null_word::action,
  null_out = 1 << null_word::out,
  null_name = 1 << null_word::name,
  null_value = 1 << null_word::value,
};
enum fail_bit : std::int64_t {
  fail_malloc = 1 << fail_word::malloc,
  fail_option_create = 1 << fail_word::option_create,
  fail_option_add = 1 << fail_word::option_add,
  fail_option_feed = 1 << fail_word::option_feed,
};

// The words of that argument, none where the call has no such argument or it is left out.
[[nodiscard]] std::int64_t nulls_of(step const& s) noexcept;
[[nodiscard]] std::int64_t fails_of(step const& s) noexcept;

// The names that set_option can be given; of these the first three are options.
[[nodiscard]] std::span<std::string_view const> option_names() noexcept;
// Which option a name of set_option is; all that are none count as one.
[[nodiscard]] spec::azure_c_retry_control::option option_of(step const& s) noexcept;

// The call as the model takes it.
[[nodiscard]] spec::azure_c_retry_control::outcome take(step const& s, draw_source const& draws,
                                                        spec::azure_c_retry_control::state& at,
                                                        spec::chooser& readings);

}  // namespace backoff::systems::azure_c_calls
