// The examples of spec/STEM/examples.yaml as tests of the sources in C99.
#include "tests/examples.hpp"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "azure_c_retry_control/calls_test.hpp"
#include "backoff_algorithm.h"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"

// The constants of Retry Utilities, which are compiled in; here variables.
static std::uint32_t initial_s, max_s, max_jitter_s, max_attempts, next_random, slept;
#define INITIAL_RETRY_BACKOFF_SECONDS initial_s
#define MAX_RETRY_BACKOFF_SECONDS max_s
#define MAX_JITTER_VALUE_SECONDS max_jitter_s
#define MAX_RETRY_ATTEMPTS max_attempts
#define RetryUtils_ParamsReset example_ParamsReset
#define RetryUtils_BackoffAndSleep example_BackoffAndSleep
#define backoff_retry_utils_random example_random
#define backoff_retry_utils_sleep example_sleep
#include "aws_retry_utils.c"
extern "C" uint32_t example_random() { return next_random; }
extern "C" void example_sleep(uint32_t seconds) { slept = seconds; }

// What retry control finds around it, RAND_MAX too; its memory is counted.
static struct {
  backoff::spec::azure_c_retry_control::asked const* a;
  std::size_t reads, draws, adds;
  std::string fails;
  int live;
} around;
static void* example_malloc(std::size_t bytes) {
  return around.fails == "malloc" ? nullptr : (++around.live, malloc(bytes));
}
static void example_free(void* memory) { --around.live, free(memory); }
#define malloc example_malloc
#define free example_free
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): it takes the place of a function
#define rand() static_cast<int>(++around.draws, around.a->r)
#undef RAND_MAX
#define RAND_MAX around.a->rand_max
#define get_time example_get_time
#define retry_control_create example_create
#define retry_control_should_retry example_should_retry
#define retry_control_reset example_reset
#define retry_control_set_option example_set_option
#define retry_control_retrieve_options example_retrieve_options
#define retry_control_destroy example_destroy
#define is_timeout_reached example_is_timeout_reached
#define OptionHandler_Create example_handler_create
#define OptionHandler_AddOption example_handler_add
#define OptionHandler_FeedOptions example_handler_feed
#define OptionHandler_Destroy example_handler_destroy
#include "azure_c_retry_control.c"
#undef malloc
#undef free
time_t get_time(time_t*) { return around.a->clock[std::min(around.reads++, around.a->clock.size() - 1)]; }

// The option handler keeps clones, and sets them by the source's own function.
struct handler {
  void* (*clone)(char const*, void const*);
  void (*destroy)(char const*, void const*);
  int (*set)(void*, char const*, void const*);
  std::vector<std::pair<std::string, void*>> values{};
};
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const*, void const*),
                                          void (*destroy)(char const*, void const*),
                                          int (*set)(void*, char const*, void const*)) {
  return around.fails == "option_create" ? nullptr : (++around.live, new handler{clone, destroy, set});
}
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value) {
  auto& h = *static_cast<handler*>(handle);
  if (around.fails == (h.values.empty() ? "option_add" : "second_option_add")) return 5;
  h.values.emplace_back(name, h.clone(name, value));
  return 0;
}
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination) {
  if (around.fails == "option_feed") return -3;
  for (auto const& [name, value] : static_cast<handler*>(handle)->values)
    if (set_option(destination, name.c_str(), value) != 0) return 1;
  return 0;
}
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle) {
  auto* const h = static_cast<handler*>(handle);
  for (auto const& [name, value] : h->values) h->destroy(name.c_str(), value);
  --around.live, delete h;
}

namespace backoff::examples {
namespace {

instance of_algorithm(parameters const& p) {
  BackoffAlgorithmContext_t fresh;
  BackoffAlgorithm_InitializeParams(
      &fresh, as<std::uint16_t>(p, "base_ms"), as<std::uint16_t>(p, "max_ms"),
      as<std::uint32_t>(number(p.at("max_attempts")).value_or(BACKOFF_ALGORITHM_RETRY_FOREVER)));
  return [context = fresh, fresh](call const& c) mutable -> std::string {
    if (c.name == "reset") return context = fresh, "ok";
    std::uint16_t delay = 99;
    bool const is_granted =
        BackoffAlgorithm_GetNextBackoff(&context, as<std::uint32_t>(c.with, "draw"), &delay) == BackoffAlgorithmSuccess;
    return is_granted ? std::to_string(delay) : delay == 99 ? "exhausted" : "neither";
  };
}

bool const algorithm = answers("aws_backoff_algorithm", {{"C99", of_algorithm}}) &&
                       are_tests("aws_backoff_algorithm", spec::aws_backoff_algorithm_examples_yaml,
                                 spec::aws_backoff_algorithm_catalogue_json);

instance of_utils(parameters const& p) {
  return [p, context = RetryUtilsParams_t()](call const& c) mutable {
    initial_s = as<std::uint32_t>(p, "initial_backoff_s"), max_s = as<std::uint32_t>(p, "max_backoff_s");
    max_jitter_s = as<std::uint32_t>(p, "max_jitter_s"), max_attempts = as<std::uint32_t>(p, "max_attempts");
    next_random = as<std::uint32_t>(c.with, "draw"), slept = 99;
    std::string said = "ok";
    if (c.name == "reset") {
      RetryUtils_ParamsReset(&context);
    } else if (RetryUtils_BackoffAndSleep(&context) == RetryUtilsSuccess) {
      said = std::to_string(slept);
    } else {
      said = slept == 99 ? "exhausted" : "neither";
    }
    return joined({said, std::to_string(context.attemptsDone), std::to_string(context.nextJitterMax)});
  };
}

bool const utils =
    answers("aws_retry_utils", {{"C99", of_utils}}) &&
    are_tests("aws_retry_utils", spec::aws_retry_utils_examples_yaml, spec::aws_retry_utils_catalogue_json);

using namespace spec::azure_c_retry_control;

std::string set(RETRY_CONTROL_HANDLE handle, asked const& a) {
  auto const name = a.word("name");
  char const* const names[]{RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS, RETRY_CONTROL_OPTION_MAX_JITTER_PERCENT};
  handler saved{clone_option, destroy_option, set_option};
  std::vector<unsigned> values;
  values.reserve(a.options.size());
  for (auto const& v : a.options) values.push_back(as<unsigned>(v.value_or(0)));
  for (std::size_t i = 0; a.is_saved && i < 2; ++i)
    if (a.options[i]) saved.values.emplace_back(names[i], &values[i]);
  void const* const value = a.is_saved ? static_cast<void const*>(&saved) : values.data();
  return retry_control_set_option(handle, a.word("null") == "name" ? nullptr : name.c_str(),
                                  a.word("null") == "value" ? nullptr : value) == 0
             ? "set"
             : "refused";
}

std::string retrieved(RETRY_CONTROL_HANDLE handle) {
  auto* const saved = static_cast<handler*>(retry_control_retrieve_options(handle));
  if (saved == nullptr) return "no_options";
  words found;
  for (auto const& [name, value] : saved->values) found.push_back(std::to_string(*static_cast<unsigned*>(value)));
  OptionHandler_Destroy(saved);
  return joined(found);
}

struct owner {
  RETRY_CONTROL_HANDLE handle = nullptr;
  owner() = default;
  owner(owner const&) = delete;
  ~owner() { retry_control_destroy(handle); }
};

instance of_control(parameters const& given) {
  return [given, created = std::make_shared<owner>()](call const& c) -> std::string {
    asked const a(given, c);
    auto const null = a.word("null");
    around.a = &a, around.fails = a.word("fails"), around.reads = around.draws = 0;
    auto* const handle = null == "handle" ? nullptr : created->handle;
    if (c.name == "create") {
      auto const policy = static_cast<IOTHUB_CLIENT_RETRY_POLICY>(a.policy);
      created->handle = retry_control_create(policy, a.number<unsigned>("max_retry_time_s"));
      return created->handle != nullptr ? "ok" : "no_instance";
    }
    if (c.name == "reset") return retry_control_reset(handle), "ok";
    if (c.name == "set_option") return set(handle, a);
    if (c.name == "retrieve_options") return retrieved(handle);
    if (c.name == "destroy") {
      retry_control_destroy(handle);
      if (handle != nullptr) created->handle = nullptr;
      return memory_word(around.live);
    }
    std::optional<std::string> what;
    if (c.name == "should_retry") {
      auto action = static_cast<RETRY_ACTION>(3);  // NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): none of them
      bool const failed = retry_control_should_retry(handle, null == "action" ? nullptr : &action) != 0;
      if (failed != (action == 3)) return "neither";
      if (!failed) what = action_word(action);
    } else {
      bool over = true;
      bool const failed = is_timeout_reached(a.number<std::int64_t>("start"), a.number<unsigned>("timeout_s"),
                                             null == "out" ? nullptr : &over) != 0;
      if (failed && !over) return "neither";
      if (!failed) what = over ? "true" : "false";
    }
    return decided(what, around.reads, around.draws);
  };
}

bool const control = answers("azure_c_retry_control", {{"C99", of_control}}) &&
                     are_tests("azure_c_retry_control", spec::azure_c_retry_control_examples_yaml,
                               spec::azure_c_retry_control_catalogue_json);

}  // namespace
}  // namespace backoff::examples
