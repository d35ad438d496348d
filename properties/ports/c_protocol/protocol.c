#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The scanner ---- */

static void refuse(char const* why, json at) {
  fprintf(stderr, "%s: %.60s\n", why, at);
  exit(2);
}

static json past_blanks(json at) { return at + strspn(at, " \t\r\n"); }

static json past_word(json at) {
  size_t length = 0;
  if (*at == '"') {
    length = strcspn(at + 1, "\"") + 2;
  } else {
    length = strcspn(at, ",:]}[{\" \t\r\n");
  }
  if (length == 0 || memchr(at, '\0', length) != NULL) {
    refuse("no value", at);
  }
  return at + length;
}

static json past_value(json at) {
  int depth = 0;
  do {
    at = past_blanks(at);
    if (*at == '{' || *at == '[') {
      ++depth;
      ++at;
    } else if (depth > 0 && (*at == '}' || *at == ']')) {
      --depth;
      ++at;
    } else if (depth > 0 && (*at == ',' || *at == ':')) {
      ++at;
    } else {
      at = past_word(at);
    }
  } while (depth > 0);
  return past_blanks(at);
}

static json past(char wanted, json at) {
  if (*at != wanted) {
    refuse("not as expected", at);
  }
  return past_blanks(at + 1);
}

json member(json object, char const* name) {
  json at = object;
  if (at == NULL) {
    return NULL;
  }
  for (at = past('{', at); *at != '}';) {
    json const key = at;
    at = past(':', past_value(key));
    if (is(key, name)) {
      return at;
    }
    at = past_value(at);
    if (*at == ',') {
      at = past(',', at);
    }
  }
  return NULL;
}

json first(json array) {
  if (array == NULL) {
    return NULL;
  }
  array = past('[', array);
  return *array == ']' ? NULL : array;
}

json next(json element) {
  element = past_value(element);
  return *element == ',' ? past(',', element) : NULL;
}

/* The text of a word: without quotes. */
static json text(json value) { return *value == '"' ? value + 1 : value; }

bool is(json value, char const* word) {
  size_t const length = strlen(word);
  return value != NULL && strncmp(text(value), word, length) == 0 &&
         strchr("\",:]} \t\r\n", text(value)[length]) != NULL;
}

uint32_t u32(json value) { return value == NULL ? 0 : (uint32_t)strtoull(text(value), NULL, 10); }
int64_t i64(json value) { return value == NULL ? 0 : (int64_t)strtoll(text(value), NULL, 10); }
double real(json value) { return value == NULL ? 0 : strtod(text(value), NULL); }

/* ---- Draws ---- */

static bool is_opaque(void) {
  char const* const draws = getenv("DRAWS");
  return draws != NULL && strcmp(draws, "opaque") == 0;
}

/* Good enough for every test of the oracle (xorshift64*), and the same in every run. */
static uint32_t own_draw(void) {
  static uint64_t state = 0x9e3779b97f4a7c15u;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint32_t)(state * 0x2545f4914f6cdd1du >> 32);
}

uint32_t drawn(json value, uint32_t largest) {
  return !is_opaque() ? u32(value) : (uint32_t)(own_draw() * ((uint64_t)largest + 1) >> 32);
}

/* ---- The protocol ---- */

static void run_case(json given) {
  char const* const refused = port.begin(member(given, "params"));
  bool going_on = true;
  json step;
  if (refused != NULL) {
    printf("{\"rejected\":\"%s\"}", refused);
    return;
  }
  printf("{\"steps\":[");
  for (step = first(member(given, "steps")); step != NULL && going_on;) {
    going_on = port.step(step);
    step = next(step);
    printf("%s", step != NULL && going_on ? "," : "");
  }
  printf("]}");
}

static void run(json request) {
  json const id = member(request, "id");
  json given = first(member(request, "cases"));
  printf("{\"id\":%.*s,\"results\":[", id == NULL ? 0 : (int)(past_word(id) - id), id);
  while (given != NULL) {
    run_case(given);
    given = next(given);
    printf("%s", given != NULL ? "," : "");
  }
  printf("]}\n");
}

static void start(json request) {
  if (is(member(request, "system"), port.system)) {
    printf(
        "{\"protocol\":1,\"port\":{\"name\":\"firmware\",\"version\":\"1\",\"language\":\"C\"},\"systems\":[\"%s\"],"
        "\"max_batch\":256%s%s%s}\n",
        port.system, is_opaque() ? ",\"draws\":\"opaque\"" : "", *port.declares == '\0' ? "" : ",", port.declares);
  } else {
    printf("{\"error\":\"unknown system\"}\n");
  }
}

/* False after "stop". */
static bool answer(json request) {
  json const cmd = member(past_blanks(request), "cmd");
  if (is(cmd, "stop")) {
    return false;
  }
  if (is(cmd, "run")) {
    run(past_blanks(request));
  } else if (is(cmd, "start")) {
    start(past_blanks(request));
  } else {
    printf("{\"error\":\"unknown cmd\"}\n");
  }
  fflush(stdout);
  return true;
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
