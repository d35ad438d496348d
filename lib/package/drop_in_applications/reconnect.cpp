// From C++17 on: a context inside a class of the application, whose delays are durations.
#include <backoff_algorithm.h>

#include <chrono>
#include <optional>
#include <type_traits>

namespace {
class reconnect {
 public:
  explicit reconnect(std::chrono::duration<std::uint16_t, std::milli> base) : base_{base} { reset(); }
  void reset() { BackoffAlgorithm_InitializeParams(&context_, base_.count(), 1000, 2); }
  [[nodiscard]] std::optional<std::chrono::milliseconds> next(std::uint32_t random) {
    std::uint16_t delay{};
    if (BackoffAlgorithm_GetNextBackoff(&context_, random, &delay) != BackoffAlgorithmSuccess) return std::nullopt;
    return std::chrono::milliseconds{delay};
  }

 private:
  std::chrono::duration<std::uint16_t, std::milli> base_;
  BackoffAlgorithmContext context_{};
};
static_assert(std::is_same_v<BackoffAlgorithmContext, BackoffAlgorithmContext_t>);
static_assert(std::is_same_v<BackoffAlgorithmStatus, BackoffAlgorithmStatus_t>);
static_assert(std::is_same_v<decltype(BackoffAlgorithmContext::maxBackoffDelay), std::uint16_t>);
static_assert(std::is_same_v<decltype(BackoffAlgorithmContext::attemptsDone), std::uint32_t>);
static_assert(std::is_same_v<decltype(BackoffAlgorithmContext::nextJitterMax), std::uint16_t>);
static_assert(std::is_same_v<decltype(BackoffAlgorithmContext::maxRetryAttempts), std::uint32_t>);
static_assert(std::is_trivially_copyable_v<BackoffAlgorithmContext_t> &&
              std::is_standard_layout_v<BackoffAlgorithmContext_t>);
}  // namespace

int main() {
  using namespace std::chrono_literals;
  reconnect server{std::chrono::duration<std::uint16_t, std::milli>{100}};
  if (server.next(100) != 100ms || server.next(200) != 200ms || server.next(0)) return 1;
  server.reset();
  return server.next(101) == 0ms ? 0 : 2;
}
