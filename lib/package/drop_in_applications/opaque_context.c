/* From C90 and C++98 on: the header of a module names the context and the status by their tags, and includes no header
 * of the library. */
#include <stdlib.h>

struct BackoffAlgorithmContext;
struct connection {
  struct BackoffAlgorithmContext* retries;
};
static int opened(struct connection* connection);

#include <backoff_algorithm.h>

static enum BackoffAlgorithmStatus retried(struct BackoffAlgorithmContext* retries) {
  uint16_t delay = 0U;
  enum BackoffAlgorithmStatus const status = BackoffAlgorithm_GetNextBackoff(retries, 7U, &delay);
  return delay == 7U ? status : BackoffAlgorithmRetriesExhausted;
}

static int opened(struct connection* connection) {
  connection->retries = (struct BackoffAlgorithmContext*)malloc(sizeof(struct BackoffAlgorithmContext));
  if (connection->retries == NULL) return 0;
  BackoffAlgorithm_InitializeParams(connection->retries, 10U, 100U, 3U);
  return 1;
}

int main(void) {
  struct connection connection = {NULL};
  enum BackoffAlgorithmStatus status = BackoffAlgorithmSuccess;
  if (!opened(&connection)) return 1;
  status = retried(connection.retries);
  free(connection.retries);
  return status == BackoffAlgorithmSuccess ? 0 : 2;
}
