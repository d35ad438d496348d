// Everything that has to meet the requirements of iothub_client_retry_control, behind one face: the library, through
// the handles of the document and an environment in which everything can be scripted and can fail; and the model under
// its canonical readings.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "azure_c_retry_control/model.hpp"
#include "backoff/hosted/azure_c_retry_control_handle.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::azure_c_retry_control {

namespace core = backoff::azure_c_retry_control;

// ---- What is asked ----

inline draw drawn(std::uint64_t r, std::uint64_t rand_max) { return {draw::kind::rand, r, rand_max + 1}; }
inline draw const undrawn = drawn(0, 1);

// A clock of these readings, for the expression that it stands in.
inline surroundings at(std::initializer_list<integer> readings, draw from = undrawn) {
  return {.clock = {readings.begin(), readings.size()}, .from = from};
}
inline surroundings where(bool surroundings::* what, surroundings with = {}) {
  with.*what = true;
  return with;
}

inline constexpr policy policies[]{
    policy::none,           policy::immediate,           policy::interval,
    policy::linear_backoff, policy::exponential_backoff, policy::exponential_backoff_with_jitter,
    policy::random};

// ---- What is answered ----

// should_retry: an action, or nothing where it failed; how often it read the clock, how many numbers it drew.
struct retried {
  std::optional<action> what;
  integer reads;
  integer draws;
  friend bool operator==(retried const&, retried const&) noexcept = default;
};
constexpr retried now(integer reads, integer draws = 0) { return {action::retry_now, reads, draws}; }
constexpr retried later(integer reads) { return {action::retry_later, reads, 0}; }
constexpr retried stop(integer reads) { return {action::stop_retrying, reads, 0}; }
constexpr retried failed(integer reads) { return {std::nullopt, reads, 0}; }

inline void PrintTo(retried const& r, std::ostream* out) {
  constexpr std::string_view names[]{"now", "later", "stop"};
  *out << (r.what ? names[static_cast<std::size_t>(*r.what)] : "failed") << '(' << r.reads << ", " << r.draws << ')';
}

// is_timeout_reached: the answer, or nothing where it failed.
struct timed {
  std::optional<bool> out;
  integer reads;
  friend bool operator==(timed const&, timed const&) noexcept = default;
};
inline void PrintTo(timed const& t, std::ostream* out) {
  *out << (t.out ? *t.out ? "true" : "false" : "failed") << '(' << t.reads << ')';
}

struct options {
  integer initial_wait_time_in_secs;
  integer max_jitter_percent;
  friend bool operator==(options const&, options const&) noexcept = default;
};
inline void PrintTo(options const& o, std::ostream* out) {
  *out << o.initial_wait_time_in_secs << " s, " << o.max_jitter_percent << " %";
}

inline saved_options saved(options const& o) { return {o.initial_wait_time_in_secs, o.max_jitter_percent}; }

class subject {
 public:
  subject() = default;
  subject(subject const&) = delete;
  subject& operator=(subject const&) = delete;
  virtual ~subject() = default;
  virtual bool create(policy which, integer max_retry_time, surroundings const& with = {}) = 0;
  virtual retried should_retry(surroundings const& with) = 0;
  virtual void reset(surroundings const& with = {}) = 0;
  virtual bool set_option(option name, option_value const& value, surroundings const& with = {}) = 0;
  virtual std::optional<options> retrieve_options(surroundings const& with = {}) = 0;
  virtual void destroy(surroundings const& with = {}) = 0;
  virtual timed is_timeout_reached(integer start, integer timeout, surroundings const& with) = 0;
  virtual integer live() = 0;

  bool set(option name, integer number) { return set_option(name, {number, {}}); }
  bool feed(saved_options const& all, surroundings const& with = {}) {
    return set_option(option::retry_control_options, {0, all}, with);
  }
};

// ---- The library ----

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
    return new options;
  }
  bool option_add(options* to, char const* name, std::uint32_t value) noexcept {
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

class library_subject final : public subject {
 public:
  ~library_subject() override {
    environment_.begin({});
    api_.destroy(handle_);
    EXPECT_EQ(environment_.live, 0) << "memory is left";
  }

  bool create(policy which, integer max_retry_time, surroundings const& with) override {
    environment_.begin(with);
    handle_ = api_.create(static_cast<core::policy>(which), static_cast<std::uint32_t>(max_retry_time));
    return handle_ != nullptr;
  }
  retried should_retry(surroundings const& with) override {
    environment_.begin(with);
    auto const untouched = static_cast<core::action>(77);
    auto out = untouched;
    int const result = api_.should_retry(handle(with), with.null_out ? nullptr : &out);
    auto const reads = static_cast<integer>(environment_.reads);
    EXPECT_EQ(result, out == untouched ? core::failure : 0);
    if (result != 0) return {std::nullopt, reads, environment_.draws};
    return {static_cast<action>(out), reads, environment_.draws};
  }
  void reset(surroundings const& with) override {
    environment_.begin(with);
    api_.reset(handle(with));
  }
  bool set_option(option name, option_value const& value, surroundings const& with) override {
    environment_.begin(with);
    char const* const names[]{"initial_wait_time_in_secs", "max_jitter_percent", "retry_control_options", "jitter"};
    char const* const named = with.null_name ? nullptr : names[static_cast<std::size_t>(name)];
    int result = 0;
    if (name == option::retry_control_options) {
      scripted_environment::options all;
      auto const add = [&](std::size_t which, std::optional<integer> n) {
        if (n) all.all.emplace_back(names[which], static_cast<std::uint32_t>(*n));
      };
      add(0, value.saved.initial_wait_time_in_secs);
      add(1, value.saved.max_jitter_percent);
      result = api_.set_option(handle(with), named, with.null_value ? nullptr : &all);
    } else {
      auto const number = static_cast<std::uint32_t>(value.number);
      result = api_.set_option(handle(with), named, with.null_value ? nullptr : &number);
    }
    EXPECT_TRUE(result == 0 || result == core::failure);
    return result == 0;
  }
  std::optional<options> retrieve_options(surroundings const& with) override {
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
  void destroy(surroundings const& with) override {
    environment_.begin(with);
    api_.destroy(handle(with));
    if (!with.null_handle) handle_ = nullptr;
  }
  timed is_timeout_reached(integer start, integer timeout, surroundings const& with) override {
    auto const answered = [&](bool before) -> timed {
      environment_.begin(with);
      bool out = before;
      auto const secs = static_cast<std::uint32_t>(timeout);
      int const result = api_.is_timeout_reached(start, secs, with.null_out ? nullptr : &out);
      auto const reads = static_cast<integer>(environment_.reads);
      if (result == 0) return {out, reads};
      EXPECT_EQ(result, core::failure);
      EXPECT_EQ(out, before) << "a call that fails touches nothing";
      return {std::nullopt, reads};
    };
    timed const over_true = answered(true);
    EXPECT_EQ(over_true, answered(false)) << "the answer is what stood there before";
    return over_true;
  }
  integer live() override { return environment_.live; }

  scripted_environment& environment() { return environment_; }

 private:
  core::handle handle(surroundings const& with) { return with.null_handle ? nullptr : handle_; }

  scripted_environment environment_;
  core::handle_api<scripted_environment> api_{environment_};
  core::handle handle_ = nullptr;
};

// ---- The model, in the readings that the library follows ----

// The one value that is admitted; of the results that mean failure, 1.
inline observed only(admissible const& a) {
  using kind = admissible::kind;
  if (a.is() == kind::not_zero) return observed::of(1);
  if (a.is() == kind::lattice) {
    EXPECT_EQ(a.count(), 1) << "from " << a.first();
    return observed::of(a.first());
  }
  if (a.is() == kind::keyword) {
    EXPECT_EQ(a.words() & (a.words() - 1), 0U) << "words " << a.words();
    return observed::word(a.word());
  }
  return {};
}

class model_subject final : public subject {
 public:
  bool create(policy which, integer max_retry_time, surroundings const& with) override {
    auto const a = step([&](chooser&) { return azure_c_retry_control::create(which, max_retry_time, with, state_); });
    bool const made = a[field_status] == word_of(status::ok);
    EXPECT_EQ(a[field_status], word_of(made ? status::ok : status::null));
    return made;
  }
  retried should_retry(surroundings const& with) override {
    auto const a = step([&](chooser& choices) { return azure_c_retry_control::should_retry(with, state_, choices); });
    EXPECT_EQ(a[field_status], word_of(status::answered));
    auto const reads = a[field_clock_reads].value.mantissa;
    auto const draws = a[field_draws_used].value.mantissa;
    if (a[field_result] == observed::of(0)) return {static_cast<action>(a[field_action].keyword), reads, draws};
    EXPECT_EQ(a[field_action], observed{});
    return {std::nullopt, reads, draws};
  }
  void reset(surroundings const& with) override {
    auto const a = step([&](chooser& choices) { return azure_c_retry_control::reset(with, state_, choices); });
    EXPECT_EQ(a[field_status], word_of(status::ok));
  }
  bool set_option(option name, option_value const& value, surroundings const& with) override {
    auto const a = step([&](chooser&) { return azure_c_retry_control::set_option(name, value, with, state_); });
    EXPECT_EQ(a[field_status], word_of(status::answered));
    return a[field_result] == observed::of(0);
  }
  std::optional<options> retrieve_options(surroundings const& with) override {
    auto const a = step([&](chooser&) { return azure_c_retry_control::retrieve_options(with, state_); });
    EXPECT_EQ(a[field_status], word_of(status::answered));
    if (a[field_initial_wait] == observed{} && a[field_max_jitter] == observed{}) return std::nullopt;
    return options{a[field_initial_wait].value.mantissa, a[field_max_jitter].value.mantissa};
  }
  void destroy(surroundings const& with) override {
    auto const a = step([&](chooser&) { return azure_c_retry_control::destroy(with, state_); });
    EXPECT_EQ(a[field_status], word_of(status::ok));
  }
  timed is_timeout_reached(integer start, integer timeout, surroundings const& with) override {
    auto const a = step([&](chooser& choices) {
      return azure_c_retry_control::is_timeout_reached(start, timeout, with, state_, choices);
    });
    auto const reads = a[field_clock_reads].value.mantissa;
    if (a[field_result] != observed::of(0)) return {std::nullopt, reads};
    return {a[field_timed_out] == observed::word(1), reads};
  }
  integer live() override { return live_; }

 private:
  static observed word_of(status s) { return observed::word(static_cast<std::uint8_t>(s)); }

  template <class Model>
  answer step(Model const& model) {
    auto const outcome = under(readings(), pinned(readings(), {{"difference-overflow", "exact"}}), model);
    answer a;
    for (std::size_t k = 0; k < a.size(); ++k) {
      // How many allocations an instance is made of, nobody says: one, as in C. Nor whether a call that fails has
      // drawn.
      bool const any = (k == field_live || k == field_draws_used) && outcome.answer[k].count() > 1;
      a[k] = any ? observed::of(outcome.answer[k].first()) : only(outcome.answer[k]);
      EXPECT_TRUE(outcome.answer[k].admits(a[k]));
    }
    live_ = a[field_live].value.mantissa;
    observe(state_, a);
    return a;
  }

  state state_;
  integer live_ = 0;
};

using fresh_subject = std::function<std::unique_ptr<subject>()>;

// Calls `demand` with a maker of fresh subjects, none of them created yet.
inline void each_subject(std::function<void(fresh_subject const&)> const& demand) {
  {
    SCOPED_TRACE("library");
    demand([] { return std::make_unique<library_subject>(); });
  }
  SCOPED_TRACE("model");
  demand([] { return std::make_unique<model_subject>(); });
}

// The same, each created with that policy and limit.
inline void each_control(policy which, integer max_retry_time,
                         std::function<void(fresh_subject const&)> const& demand) {
  each_subject([&](fresh_subject const& fresh) {
    demand([&] {
      auto made = fresh();
      EXPECT_TRUE(made->create(which, max_retry_time));
      return made;
    });
  });
}

}  // namespace backoff::spec::azure_c_retry_control
