/* From C90 and C++98 on: contexts in structures of the application, as many as it has connections. */
#include "backoff_algorithm.h"

struct connection {
  BackoffAlgorithmContext_t retries;
  int socket;
};
static struct connection connections[2];

static BackoffAlgorithmStatus_t next_of(int which, uint32_t random, uint16_t* delay) {
  return BackoffAlgorithm_GetNextBackoff(&connections[which].retries, random, delay);
}

int main(void) {
  uint16_t delay = 0U;
  BackoffAlgorithm_InitializeParams(&connections[0].retries, 500U, 5000U, 1U);
  BackoffAlgorithm_InitializeParams(&connections[1].retries, 500U, 5000U, BACKOFF_ALGORITHM_RETRY_FOREVER);
  if (next_of(0, 500U, &delay) != BackoffAlgorithmSuccess || delay != 500U) return 1;
  if (next_of(0, 500U, &delay) != BackoffAlgorithmRetriesExhausted) return 2;
  if (next_of(1, 501U, &delay) != BackoffAlgorithmSuccess || delay != 0U) return 3;
  return connections[1].retries.attemptsDone == 1U && connections[1].socket == 0 ? 0 : 4;
}
