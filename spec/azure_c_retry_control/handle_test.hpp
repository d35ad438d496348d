// The library behind the handles of the document, in an environment in which everything is scripted and can fail.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "azure_c_retry_control/model.hpp"
#include "backoff/hosted/azure_c_retry_control_handle.hpp"

namespace backoff::spec::azure_c_retry_control {

namespace core = backoff::azure_c_retry_control;

inline draw drawn(std::uint64_t r, std::uint64_t rand_max) { return {draw_kind::rand, r, rand_max + 1}; }

class scripted_environment {
 public:
  struct options {
    std::vector<std::pair<std::string, std::uint32_t>> all;
  };

  void begin(surroundings const& with) {
    with_ = with;
    reads = 0;
    draws = 0;
  }

  void* allocate(std::size_t bytes) noexcept {
    if (with_.malloc_fails) return nullptr;
    ++live;
    return std::malloc(bytes);
  }
  void release(void* memory) noexcept {
    --live;
    std::free(memory);
  }
  std::int64_t get_time() noexcept { return with_.clock[std::min(reads++, with_.clock.size() - 1)]; }
  core::draw rand() noexcept {
    ++draws;
    return {static_cast<std::uint32_t>(with_.from.value), static_cast<std::uint32_t>(with_.from.size - 1)};
  }
  options* option_create() noexcept {
    if (with_.option_create_fails) return nullptr;
    ++live;
    return new (std::nothrow) options;
  }
  bool option_add(options* to, char const* name, std::uint32_t value) const noexcept {
    bool const fails = with_.option_add_fails && to->all.size() == adds_before_failure;
    if (!fails) to->all.emplace_back(name, value);
    return !fails;
  }
  bool option_feed(options const* from, core::option_sink sink) noexcept {
    core::handle_api api(*this);
    return !with_.option_feed_fails && std::ranges::all_of(from->all, [&](auto const& o) {
      if (hands_options_over) return api.set_option(sink.destination(), o.first.c_str(), &o.second) == 0;
      return sink(o.first.c_str(), o.second);
    });
  }
  void option_destroy(options* of) noexcept {
    --live;
    delete of;
  }

  std::size_t reads = 0;
  integer draws = 0;
  integer live = 0;
  std::size_t adds_before_failure = 0;
  bool hands_options_over = false;  // to the document's function, as an option handler does

 private:
  surroundings with_;
};

// should_retry and is_timeout_reached: an answer, or nothing where they failed; how often they read the clock, how many
// numbers they drew.
template <class Answer>
struct answered {
  std::optional<Answer> what;
  std::size_t reads;
  integer draws;
};

struct options {
  integer initial_wait_time_in_secs;
  integer max_jitter_percent;
  friend bool operator==(options const&, options const&) noexcept = default;
};

class scripted_handle {
 public:
  scripted_handle() = default;
  scripted_handle(scripted_handle const&) = delete;
  scripted_handle& operator=(scripted_handle const&) = delete;
  ~scripted_handle() {
    environment_.begin({});
    api_.destroy(handle_);
    EXPECT_EQ(environment_.live, 0) << "memory is left";
  }

  bool create(policy which, integer max_retry_time, surroundings const& with = {}) {
    environment_.begin(with);
    handle_ = api_.create(static_cast<core::policy>(which), static_cast<std::uint32_t>(max_retry_time));
    return handle_ != nullptr;
  }
  answered<action> should_retry(surroundings const& with) {
    environment_.begin(with);
    auto const untouched = static_cast<core::action>(77);  // NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none
    auto out = untouched;
    int const result = api_.should_retry(handle(with), with.null_out ? nullptr : &out);
    EXPECT_EQ(result, out == untouched ? core::failure : 0);
    return with_costs(result == 0 ? std::optional(static_cast<action>(out)) : std::nullopt);
  }
  void reset(surroundings const& with = {}) {
    environment_.begin(with);
    api_.reset(handle(with));
  }
  bool set_option(char const* name, option_value const& value, bool is_saved, surroundings const& with = {}) {
    environment_.begin(with);
    auto const number = static_cast<std::uint32_t>(value.number);
    scripted_environment::options all;
    auto const add = [&](char const* option, std::optional<integer> n) {
      if (n) all.all.emplace_back(option, static_cast<std::uint32_t>(*n));
    };
    add(core::initial_wait_time_in_secs_option, value.saved.initial_wait_time_in_secs);
    add(core::max_jitter_percent_option, value.saved.max_jitter_percent);
    char const* const named = with.null_name ? nullptr : name;
    int const result = is_saved ? api_.set_option(handle(with), named, with.null_value ? nullptr : &all)
                                : api_.set_option(handle(with), named, with.null_value ? nullptr : &number);
    EXPECT_TRUE(result == 0 || result == core::failure);
    return result == 0;
  }
  bool set_option(option name, option_value const& value, surroundings const& with = {}) {
    char const* const names[]{"initial_wait_time_in_secs", "max_jitter_percent", "retry_control_options", "jitter"};
    return set_option(names[static_cast<std::size_t>(name)], value, name == option::retry_control_options, with);
  }
  std::optional<options> retrieve_options(surroundings const& with = {}) {
    environment_.begin(with);
    auto* const all = api_.retrieve_options(handle(with));
    if (all == nullptr) return std::nullopt;
    EXPECT_EQ(all->all.size(), 2U);
    EXPECT_EQ(all->all[0].first, "initial_wait_time_in_secs");
    EXPECT_EQ(all->all[1].first, "max_jitter_percent");
    options const result{all->all[0].second, all->all[1].second};
    environment_.option_destroy(all);
    return result;
  }
  void destroy(surroundings const& with = {}) {
    environment_.begin(with);
    api_.destroy(handle(with));
    if (!with.null_handle) handle_ = nullptr;
  }
  answered<bool> is_timeout_reached(integer start, std::uint32_t timeout, surroundings const& with) {
    auto const over = [&](bool before) {
      environment_.begin(with);
      bool out = before;
      int const result = api_.is_timeout_reached(start, timeout, with.null_out ? nullptr : &out);
      EXPECT_TRUE(result == 0 || (result == core::failure && out == before)) << "a call that fails touches nothing";
      return with_costs(result == 0 ? std::optional(out) : std::nullopt);
    };
    auto const over_true = over(true);
    EXPECT_EQ(over_true.what, over(false).what) << "the answer is what was there before";
    return over_true;
  }

  [[nodiscard]] integer live() const { return environment_.live; }
  scripted_environment& environment() { return environment_; }

 private:
  core::handle handle(surroundings const& with) { return with.null_handle ? nullptr : handle_; }
  template <class Answer>
  answered<Answer> with_costs(std::optional<Answer> what) {
    return {what, environment_.reads, environment_.draws};
  }

  scripted_environment environment_;
  core::handle_api<scripted_environment> api_{environment_};
  core::handle handle_ = nullptr;
};

}  // namespace backoff::spec::azure_c_retry_control
