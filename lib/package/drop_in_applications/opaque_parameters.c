/* From C90 and C++98 on: parameters by their tag, which is declared first, and the header by its path below the
 * installed one. */
struct RetryUtilsParams;
struct session {
  struct RetryUtilsParams* retries;
};
static unsigned int attempts_of(struct session const* session);

#include <backoff/drop_in/retry_utils.h>

uint32_t backoff_retry_utils_random(void) { return 1U; }
void backoff_retry_utils_sleep(uint32_t seconds) { (void)seconds; }

static unsigned int attempts_of(struct session const* session) { return (unsigned int)session->retries->attemptsDone; }

int main(void) {
  struct RetryUtilsParams params;
  struct session session;
  session.retries = &params;
  RetryUtils_ParamsReset(session.retries);
  if (RetryUtils_BackoffAndSleep(session.retries) != RetryUtilsSuccess) return 1;
  return attempts_of(&session) == 1U ? 0 : 2;
}
