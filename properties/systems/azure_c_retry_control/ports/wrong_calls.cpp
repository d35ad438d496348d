// NULL, memory, crashes and timeouts.
#include "systems/azure_c_retry_control/ports/wrong.hpp"

namespace backoff::systems::retry_control {
namespace {

struct null_succeeds : reference_port {
  int refused() override { return 0; }
};
struct create_ignores_malloc : reference_port {
  bool without_memory() override {
    exists = true;
    world_->live += 1;
    return true;
  }
};
struct leaks_on_failure : reference_port {
  std::optional<options> retrieve() override {
    if (!is_null() && world_->fails(fail_option_add) && !world_->fails(fail_option_create)) ++world_->live;
    return reference_port::retrieve();
  }
};
struct not_allocated : reference_port {  // instances are variables of the file
  bool create(model::policy which, std::uint32_t limit) {
    bool const made = reference_port::create(which, limit);
    world_->live = 0;
    return made;
  }
  void destroy() override {
    reference_port::destroy();
    world_->live = 0;
  }
};
struct no_instance_for_none : reference_port {  // there is nothing to control
  bool create(model::policy which, std::uint32_t limit) {
    return which != model::policy::none && reference_port::create(which, limit);
  }
};
struct destroy_leaks : reference_port {
  void destroy() override {
    if (!is_null()) ++world_->live;
    reference_port::destroy();
  }
};

struct null_has_options : reference_port {
  std::optional<options> retrieve() override { return is_null() ? options{5, 5} : reference_port::retrieve(); }
};
struct create_leaks_on_failure : reference_port {
  bool without_memory() override {
    world_->live += 1;
    return false;
  }
};
struct null_is_the_last : reference_port {  // destroys whatever there is
  void destroy() override {
    if (is_null() && exists) --world_->live;
    reference_port::destroy();
  }
};
struct null_reset_fails : reference_port {
  void reset() override {
    if (is_null()) throw crash{};
    reference_port::reset();
  }
};
struct null_destroy_fails : reference_port {
  void destroy() override {
    if (is_null()) throw crash{};
    reference_port::destroy();
  }
};
struct throws_on_overflow : reference_port {  // checked arithmetic
  seconds capped(seconds secs) override {
    if (secs > seconds_max) throw crash{};
    return secs;
  }
};
struct reset_of_nothing_fails : reference_port {
  void reset() override {
    if (!is_null() && !has(first)) throw crash{};
    reference_port::reset();
  }
};
struct destroys_twice : reference_port {
  void destroy() override {
    if (!is_null()) throw crash{};
    reference_port::destroy();
  }
};

struct more_than_the_timeout : reference_port {
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) override {
    int const failed = reference_port::timeout(start, secs, out);
    if (failed == 0 && out) out = elapsed(start, now_again(), secs + 1ULL);
    return failed;
  }
  // What was read, without reading it again.
  std::int64_t now_again() {
    --world_->reads;
    return world_->get_time();
  }
};
struct timeout_without_a_clock : reference_port {  // where the clock fails, it is not reached
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) override {
    int const failed = reference_port::timeout(start, secs, out);
    return has(start) && !world_->is_null(null_out) ? 0 : failed;
  }
};
struct start_may_be_missing : reference_port {
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) override {
    if (!has(start) && !world_->is_null(null_out)) {
      out = false;
      return 0;
    }
    return reference_port::timeout(start, secs, out);
  }
};
struct timeout_in_its_result : reference_port {
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) override {
    int const failed = reference_port::timeout(start, secs, out);
    return failed != 0 ? failed : out ? 1 : 0;
  }
};

}  // namespace

std::vector<built_in> wrong_calls() {
  return {
      wrong<null_succeeds>("null-succeeds", "returns 0 for NULL", "null_arguments_are_refused"),
      wrong<null_has_options>("null-has-options", "gives options for NULL", "null_arguments_are_refused"),
      wrong<null_reset_fails>("null-reset-fails", "resets what is behind NULL", "no_call_fails"),
      wrong<null_destroy_fails>("null-destroy-fails", "destroys what is behind NULL", "no_call_fails"),
      wrong<throws_on_overflow>("throws-on-overflow", "a wait beyond 32 bits is an error", "no_call_fails",
                                {"overflow=undefined"}),
      wrong<reset_of_nothing_fails>("reset-of-nothing-fails", "crashes at a reset before the first retry",
                                    "no_call_fails"),
      wrong<destroys_twice>("destroys-twice", "crashes where it frees an instance", "no_call_fails"),
      wrong<no_instance_for_none>("no-instance-for-none", "creates nothing for NONE", "create_gives_an_instance"),
      wrong<not_allocated>("not-allocated", "has its instances in variables of the file", "an_instance_is_allocated"),
      wrong<null_is_the_last>("null-is-the-last", "destroys an instance that it was not given",
                              "other_calls_keep_nothing"),
      wrong<create_leaks_on_failure>("create-leaks-on-failure", "keeps what it could not make an instance of",
                                     "other_calls_keep_nothing"),
      wrong<create_ignores_malloc>("create-ignores-malloc", "creates without memory",
                                   "create_without_memory_gives_null"),
      wrong<leaks_on_failure>("leaks-on-failure", "keeps a set that it could not fill", "other_calls_keep_nothing"),
      wrong<destroy_leaks>("destroy-leaks", "destroys nothing", "destroy_frees_everything"),
      wrong<more_than_the_timeout>("more-than-the-timeout", "a timeout is reached a second too late",
                                   "timeout_is_reached_once_it_has_passed"),
      wrong<timeout_without_a_clock>("timeout-without-a-clock", "a clock that fails has not reached the timeout",
                                     "timeout_needs_a_start_and_a_clock"),
      wrong<start_may_be_missing>("start-may-be-missing", "begins a timeout at no time",
                                  "timeout_needs_a_start_and_a_clock"),
      wrong<timeout_in_its_result>("timeout-in-its-result", "answers by its result", "is_timeout_reached_succeeds"),
  };
}

}  // namespace backoff::systems::retry_control
