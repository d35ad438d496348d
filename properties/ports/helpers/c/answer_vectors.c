/* Answers test vectors where nothing can be driven: on a microcontroller, over a serial line, without JSON.
     backoff-oracle vectors aws_backoff_algorithm --format lines > vectors.txt
     cc answer_vectors.c -o answer && ./answer < vectors.txt > answers.txt
     backoff-oracle verify vectors.txt answers.txt
   Put your own port in place of `next`, which is 0 where the retries are used up. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long base_ms, max_ms, max_attempts, attempts[8]; /* of each instance */

static int next(int on, uint32_t draw, uint32_t* delay_ms) {
  uint64_t window = base_ms;
  if (attempts[on] >= max_attempts) return 0;
  for (unsigned long i = 0; i < attempts[on] && window < max_ms; i++) window *= 2;
  if (window > max_ms) window = max_ms;
  *delay_ms = (uint32_t)(draw % (window + 1));
  attempts[on]++;
  return 1;
}

static uint32_t crc = 0xffffffff;
static void put(char const* text) {
  fputs(text, stdout);
  for (; *text; text++) {
    crc ^= (unsigned char)*text;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
}

static void answer(char const* call) { /* next:DRAW or reset; ~N behind it names another instance than 0 */
  char text[32] = "exhausted";
  uint32_t delay_ms = 0;
  int const resets = strncmp(call, "reset", 5) == 0, on = strchr(call, '~') ? atoi(strchr(call, '~') + 1) & 7 : 0;
  if (resets) attempts[on] = 0;
  if (!resets && next(on, (uint32_t)strtoul(call + 5, NULL, 10), &delay_ms)) sprintf(text, "retry,%lu", delay_ms + 0UL);
  put(resets ? "ok" : text);
}

int main(void) {
  static char line[8192];
  unsigned count = 0;
  while (fgets(line, sizeof line, stdin) && strncmp(line, "# end", 5) != 0) {
    char *const id_ends = strchr(line, '\t'), *const calls = strrchr(line, '/'); /* ID TAB SYSTEM/PARAMETERS/CALLS */
    if (line[0] == '#') put(line); /* the header comes first among the answers too */
    if (line[0] == '#') continue;
    memset(attempts, 0, sizeof attempts);
    max_attempts = (unsigned long)-1; /* where it is `forever` */
    sscanf(strchr(line, '/'), "/base_ms=%lu,max_ms=%lu,max_attempts=%lu", &base_ms, &max_ms, &max_attempts);
    *id_ends = '\0';
    put(line);
    for (char *call = strtok(calls + 1, ",\n"), *before = "\t"; call; call = strtok(NULL, ",\n")) {
      long times = strchr(call, '@') ? atol(strchr(call, '@') + 1) : 1; /* CALL@N is N times the same */
      for (; times > 0; times--, before = " ") put(before), answer(call);
    }
    put("\n");
    count++;
  }
  printf("# end %u %08lx\n", count, (unsigned long)(uint32_t)~crc);
}
