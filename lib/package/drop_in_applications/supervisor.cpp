// From C++17 on: all three in one source, a handle in a unique_ptr, and parameters by their tag as a template's
// argument.
#include <backoff_algorithm.h>
#include <iothub_client_retry_control.h>
#include <retry_utils.h>

#include <map>
#include <memory>
#include <string_view>
#include <tuple>

extern "C" {
std::uint32_t backoff_retry_utils_random() { return 0; }
void backoff_retry_utils_sleep(std::uint32_t) {}
}

namespace {
struct destroyed {
  void operator()(RETRY_CONTROL_INSTANCE* control) const { retry_control_destroy(control); }
};
using control = std::unique_ptr<RETRY_CONTROL_INSTANCE_TAG, destroyed>;
}  // namespace

int main() {
  static constexpr std::string_view wait{RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS};
  static_assert(wait == "initial_wait_time_in_secs" && BACKOFF_ALGORITHM_RETRY_FOREVER == UINT32_MAX);
  std::map<std::string_view, control> controls;
  controls.emplace("hub", retry_control_create(IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF, 0));
  RETRY_ACTION_TAG action{RETRY_ACTION_STOP_RETRYING};
  if (retry_control_should_retry(controls["hub"].get(), &action) != 0 || action != RETRY_ACTION_RETRY_NOW) return 1;
  std::tuple<RetryUtilsParams, BackoffAlgorithmContext> others{};
  RetryUtils_ParamsReset(&std::get<RetryUtilsParams>(others));
  if (RetryUtils_BackoffAndSleep(&std::get<RetryUtilsParams_t>(others)) != RetryUtilsSuccess) return 2;
  std::uint16_t delay{1};
  BackoffAlgorithm_InitializeParams(&std::get<BackoffAlgorithmContext_t>(others), 1, 1, 1);
  return BackoffAlgorithm_GetNextBackoff(&std::get<1>(others), 2, &delay) == BackoffAlgorithmSuccess && delay == 0 ? 0
                                                                                                                   : 3;
}
