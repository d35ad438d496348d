/* Lets the oracle drive port.c: port protocol 1, one JSON object a line. No fault is made here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port.h"

/* ---- A scanner for well-formed JSON, without escapes: `at` is the next character of the request. ---- */

static char const* at;

static bool take(char wanted) {
  at += strspn(at, " \t\r\n");
  if (*at != wanted) {
    return false;
  }
  ++at;
  return true;
}

static void refuse(char const* why) {
  fprintf(stderr, "%s before: %.60s\n", why, at);
  exit(2);
}

/* A string, or a number as it stands: at most 31 characters. */
static char const* word(void) {
  static char text[32];
  bool const quoted = take('"');
  size_t const length = strcspn(at, quoted ? "\"" : ",]} \t\r\n");
  if (length >= sizeof text || at[length] == '\0') {
    refuse("no word");
  }
  memcpy(text, at, length);
  text[length] = '\0';
  at += length + (quoted ? 1 : 0);
  return text;
}

static void skip_value(void) {
  int depth = 0;
  do {
    if (take('{') || take('[')) {
      ++depth;
    } else if (take('}') || take(']')) {
      --depth;
    } else if (!take(',') && !take(':')) {
      word();
    }
  } while (depth > 0);
}

/* The next member of an object or NULL at its end; after '{' and after every value. */
static char const* next_key(void) {
  char const* key;
  if (take('}')) {
    return NULL;
  }
  take(',');
  key = word();
  if (!take(':')) {
    refuse("no value");
  }
  return key;
}

static uint32_t number(char const* text) { return (uint32_t)strtoul(text, NULL, 10); }

/* ---- The protocol ---- */

static void expect(char bracket) {
  if (!take(bracket)) {
    refuse("unexpected");
  }
}

static void run_step(struct backoff* self) {
  char const* key;
  bool reset = false;
  uint32_t draw = 0, delay_ms = 0;
  expect('{');
  while ((key = next_key()) != NULL) {
    if (strcmp(key, "op") == 0) {
      reset = strcmp(word(), "reset") == 0;
    } else if (strcmp(key, "draw") == 0) {
      draw = number(word());
    } else {
      skip_value();
    }
  }
  if (reset) {
    backoff_reset(self);
    printf("{\"status\":\"ok\"}");
  } else if (backoff_next(self, draw, &delay_ms) == BACKOFF_RETRY) {
    printf("{\"status\":\"retry\",\"delay_ms\":\"%lu\"}", (unsigned long)delay_ms);
  } else {
    printf("{\"status\":\"exhausted\"}");
  }
}

static void start(struct backoff* self) {
  char const* key;
  uint32_t base_ms = 0, max_ms = 0, max_attempts = 0;
  bool forever = false;
  expect('{');
  while ((key = next_key()) != NULL) {
    if (strcmp(key, "base_ms") == 0) {
      base_ms = number(word());
    } else if (strcmp(key, "max_ms") == 0) {
      max_ms = number(word());
    } else if (strcmp(key, "max_attempts") == 0) {
      char const* limit = word();
      forever = strcmp(limit, "forever") == 0;
      max_attempts = number(limit);
    } else {
      skip_value();
    }
  }
  backoff_init(self, base_ms, max_ms, max_attempts, forever);
}

static void run_case(void) {
  char const* key;
  char const* steps = NULL;
  char const* end;
  struct backoff self = {0};
  bool first = true;
  expect('{');
  while ((key = next_key()) != NULL) {
    if (strcmp(key, "params") == 0) {
      start(&self);
      continue;
    }
    if (strcmp(key, "steps") == 0) {
      steps = at; /* read when the parameters are known */
    }
    skip_value();
  }
  if (steps == NULL) {
    refuse("no steps");
  }
  end = at;
  at = steps;
  expect('[');
  printf("{\"steps\":[");
  while (!take(']')) {
    take(',');
    printf(first ? "" : ",");
    first = false;
    run_step(&self);
  }
  printf("]}");
  at = end;
}

static void run_cases(char const* id, char const* cases) {
  bool first = true;
  printf("{\"id\":%s,\"results\":[", id);
  at = cases;
  expect('[');
  while (!take(']')) {
    take(',');
    printf(first ? "" : ",");
    first = false;
    run_case();
  }
  printf("]}\n");
}

/* False after "stop". */
static bool answer(char const* request) {
  char const* key;
  char const* cases = NULL;
  char id[32] = "0", cmd[32] = "";
  at = request;
  expect('{');
  while ((key = next_key()) != NULL) {
    if (strcmp(key, "cmd") == 0) {
      strcpy(cmd, word());
    } else if (strcmp(key, "id") == 0) {
      strcpy(id, word());
    } else {
      cases = strcmp(key, "cases") == 0 ? at : cases;
      skip_value();
    }
  }
  if (strcmp(cmd, "run") == 0 && cases != NULL) {
    run_cases(id, cases);
  } else if (strcmp(cmd, "start") == 0) {
    printf("{\"protocol\":1,\"port\":{\"name\":\"firmware\",\"version\":\"1\",\"language\":\"C\"},"
           "\"systems\":[\"aws_backoff_algorithm\"],\"max_batch\":256}\n");
  } else if (strcmp(cmd, "stop") != 0) {
    printf("{\"error\":\"unknown cmd\"}\n");
  }
  fflush(stdout);
  return strcmp(cmd, "stop") != 0;
}

int main(void) {
  size_t size = 1 << 16, used = 0;
  char* line = malloc(size);
  while (line != NULL && fgets(line + used, (int)(size - used), stdin) != NULL) {
    used += strlen(line + used);
    if (line[used - 1] == '\n') {
      used = 0;
      if (!answer(line)) {
        break;
      }
    } else if (size - used < 2) {
      size *= 2;
      line = realloc(line, size);
    }
  }
  free(line);
  return 0;
}
