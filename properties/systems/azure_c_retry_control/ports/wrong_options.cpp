// Options: defaults, what is taken, fed and saved.
#include "systems/azure_c_retry_control/ports/wrong.hpp"

namespace backoff::systems::retry_control {
namespace {

struct wait_is_an_int : reference_port {
  int set_wait(std::uint32_t value) override { return value > 0x7fff'ffff ? 1 : reference_port::set_wait(value); }
};
struct accepts_no_wait : reference_port {
  int set_wait(std::uint32_t value) override {
    initial = value;
    return 0;
  }
};
struct accepts_all_jitter : reference_port {
  int set_jitter(std::uint32_t value) override {
    jitter = value;
    return 0;
  }
};
struct refuses_all_of_it : reference_port {
  int set_jitter(std::uint32_t value) override { return value == 100 ? 1 : reference_port::set_jitter(value); }
};
struct sets_before_it_checks : reference_port {
  int set_jitter(std::uint32_t value) override {
    jitter = value;
    return value > 100 ? 1 : 0;
  }
};
struct compares_beginnings : reference_port {  // strncmp with the length of what was given
  model::option known(std::int64_t name) override {
    return option_names()[0].starts_with(option_names()[static_cast<std::size_t>(name)])
               ? model::option::initial_wait_time_in_secs
               : reference_port::known(name);
  }
};
struct accepts_any_name : reference_port {
  int unknown() override { return 0; }
};
struct swallows_a_failed_feed : reference_port {
  int feed_failed() override { return 0; }
};
struct saved_options_are_not_known : reference_port {
  int set_saved(std::optional<std::uint32_t>, std::optional<std::uint32_t>) override { return 1; }
};
struct feeds_the_wait_alone : reference_port {
  int set_saved(std::optional<std::uint32_t> new_wait, std::optional<std::uint32_t> new_jitter) override {
    auto const kept = jitter;
    int const failed = reference_port::set_saved(new_wait, new_jitter);
    jitter = kept;
    return failed;
  }
};
template <std::uint32_t Secs>
struct waits_first : reference_port {
  void set_defaults() override {
    reference_port::set_defaults();
    initial = Secs;
  }
};
struct no_jitter_by_default : reference_port {
  void set_defaults() override {
    reference_port::set_defaults();
    jitter = 0;
  }
};
// Saved options lack one.
template <std::size_t Missing>
std::vector<answer> run_without_option(history const& h) {
  auto answers = run<reference_port>(h);
  for (auto& a : answers) {
    if (a[Missing].kind == observed_kind::number) a[Missing] = {observed_kind::not_a_number, 0, {}};
  }
  return answers;
}
struct retrieves_defaults : reference_port {
  std::optional<options> retrieve() override {
    auto const all = reference_port::retrieve();
    return all ? std::optional(options{all->initial_wait, 5}) : all;
  }
};
struct saves_what_it_can : reference_port {
  std::optional<options> retrieve() override {
    if (is_null() || world_->fails(fail_option_create)) return std::nullopt;
    return options{initial, jitter};
  }
};

}  // namespace

std::vector<built_in> wrong_options() {
  return {
      wrong<accepts_no_wait>("accepts-no-wait", "takes an initial wait of 0", "bad_option_values_are_refused"),
      wrong<accepts_all_jitter>("accepts-all-jitter", "takes more than 100 percent", "bad_option_values_are_refused"),
      wrong<wait_is_an_int>("wait-is-an-int", "refuses an initial wait beyond an int", "options_can_be_set"),
      wrong<refuses_all_of_it>("refuses-all-of-it", "refuses 100 percent", "options_can_be_set"),
      wrong<sets_before_it_checks>("sets-before-it-checks", "keeps a value that it refuses",
                                   "options_are_as_they_were_set"),
      wrong<compares_beginnings>("compares-beginnings", "takes the beginning of a name for it",
                                 "unknown_options_are_refused"),
      wrong<accepts_any_name>("accepts-any-name", "takes every name", "unknown_options_are_refused"),
      wrong<swallows_a_failed_feed>("swallows-a-failed-feed", "does not report a feed that failed",
                                    "failed_feed_is_reported"),
      wrong<saved_options_are_not_known>("saved-options-are-not-known", "takes no saved options",
                                         "saved_options_can_be_fed"),
      wrong<feeds_the_wait_alone>("feeds-the-wait-alone", "forgets the jitter of saved options",
                                  "options_are_as_they_were_set"),
      wrong<waits_first<1>>("waits-one-second-first", "has one default for all policies",
                            "options_have_the_documented_defaults"),
      wrong<waits_first<5>>("waits-five-seconds-first",
                            "has the default of the others for the exponential policies too",
                            "options_have_the_documented_defaults"),
      wrong<no_jitter_by_default>("no-jitter-by-default", "adds no jitter unless it is set",
                                  "options_have_the_documented_defaults"),
      wrong("saves-no-wait", "leaves the initial wait out of saved options",
            run_without_option<model::field_initial_wait>, "options_have_the_documented_defaults"),
      wrong("saves-no-jitter", "leaves the jitter out of saved options", run_without_option<model::field_max_jitter>,
            "options_have_the_documented_defaults"),
      wrong<retrieves_defaults>("retrieves-defaults", "retrieves the default jitter", "options_are_as_they_were_set"),
      wrong<saves_what_it_can>("saves-what-it-can", "gives a set that lacks an option",
                               "options_that_cannot_be_saved_are_null"),
  };
}

}  // namespace backoff::systems::retry_control
