// Where the calls and their arguments stand in histories of retry control, for whoever takes them apart.
#pragma once

#include "azure_c_retry_control/model.hpp"
#include "history/shape.hpp"

namespace backoff::conformance::azure_c_retry_control {

enum call : std::uint8_t { should_retry, create, set_option, retrieve_options, is_timeout_reached, reset, destroy };

// Of should_retry; the readings that follow the first may be left out, here and below.
inline constexpr std::size_t clock_at = 0;
inline constexpr std::size_t readings_max = 3;
inline constexpr std::size_t draw_at = 3;
// Of create.
inline constexpr std::size_t policy_at = 0;
inline constexpr std::size_t limit_at = 1;
// Of set_option; the last two are saved options, in place of a number.
inline constexpr std::size_t name_at = 0;
inline constexpr std::size_t number_at = 1;
inline constexpr std::size_t saved_wait_at = 2;
inline constexpr std::size_t saved_jitter_at = 3;
// Of is_timeout_reached.
inline constexpr std::size_t start_at = 0;
inline constexpr std::size_t timeout_at = 1;
inline constexpr std::size_t timeout_clock_at = 2;
inline constexpr std::size_t timeout_readings_max = 2;

// In how many cells samples divide the range of a drawn wait, where it is wide enough.
inline constexpr std::int64_t sampled_cells = 16;

// Bits of `null` and of `fail`.
enum null_word : std::int64_t { null_handle = 1, null_action = 2, null_out = 4, null_name = 8, null_value = 16 };
enum fail_word : std::int64_t { fail_malloc = 1, fail_option_create = 2, fail_option_add = 4, fail_option_feed = 8 };

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
                                                        spec::chooser& readings) noexcept;

}  // namespace backoff::conformance::azure_c_retry_control
