/* Port protocol 1 for a port in C99. You write one function, which answers one step; see example_port.c. self is the memory of the
   instance, zeroed before the first step. params and step are JSON; natural() and its like read fields exactly as the oracle sent
   them. answer() and its like add fields to the answer: 64-bit integers are exact, and NaN is an answer. rejected() refuses the
   parameters, failed() reports that the port broke. helpers_test.py checks this file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SPACE " \t\r\n"
typedef char const* json; /* where a value begins */
typedef void a_port(void* self, json params, json step);
static char reply[1 << 24], line[1 << 24]; /* 256 cases have less than 1 MB */
static size_t used, result_begins, step_begins, refused, broken;
static inline json end_of(json p) { /* behind the value at p and the space around it; NULL where none is */
  size_t const word = strcspn(p += strspn(p, SPACE), "{[,:]}\"" SPACE);
  char const open = *p;
  if (open == '"') while (*++p != '"') if (*p == '\0' || (*p == '\\' && *++p == '\0')) return NULL;
  if (word && strspn(p, "+-.0123456789eE") != word && strncmp(p, "true", word) && strncmp(p, "false", word) && strncmp(p, "null", word)) return NULL;
  if (open == '{' || open == '[') for (p += strspn(p + 1, SPACE) + 1; *p != open + 2; ) { /* + 2: as ASCII has it */
    if (open == '{' && (*p != '"' || !(p = end_of(p)) || *p++ != ':')) return NULL;
    if (!(p = end_of(p)) || (*p != ',' && *p != open + 2)) return NULL;
    if (*p == ',' && *(p += strspn(p + 1, SPACE) + 1) == open + 2) return NULL;
  } else if (!word && open != '"') return NULL;
  p += word ? word : 1;
  return p + strspn(p, SPACE);
}
static inline json first(json p) { return p && (*(p += strspn(p, SPACE)) == '{' || *p == '[') && *(p += strspn(p + 1, SPACE) + 1) != '}' && *p != ']' ? p : NULL; }
static inline json after(json p) { return *(p = end_of(p)) == ',' ? p + 1 + strspn(p + 1, SPACE) : NULL; } /* next item, or key; NOLINT(clang-analyzer-core.NullDereference): the line was read to its end */
static inline json member(json object, char const* name) { /* NULL where there is none */
  for (json key = first(object), value; key; key = after(value)) {
    value = end_of(key) + 1, value += strspn(value, SPACE);
    if (!strncmp(key + 1, name, strlen(name)) && key[strlen(name) + 1] == '"') return value;
  }
  return NULL;
}
/* Of a word or number, and all behind it; "" where there is none. */
static inline json text(json object, char const* name) { return (object = member(object, name)) ? object + (*object == '"') : ""; }
static inline int is(json object, char const* name, char const* word) { return strlen(word) == strcspn(text(object, name), "\",}" SPACE) && !strncmp(text(object, name), word, strlen(word)); }
static inline uint64_t natural(json object, char const* name) { return strtoull(text(object, name), NULL, 10); }
static inline int64_t integer(json object, char const* name) { return strtoll(text(object, name), NULL, 10); }
static inline double real(json object, char const* name) { return strtod(text(object, name), NULL); }
#define say(...) (used += used < sizeof reply / 2 ? (size_t)snprintf(reply + used, sizeof reply / 2, __VA_ARGS__) : 0)
#define answer(name, ...) (say("%s\"%s\":\"", reply[used - 1] == '{' ? "" : ",", name), say(__VA_ARGS__), say("\"")) /* as printf: a word, a number */
#define answer_json(name, value) say("%s\"%s\":%.*s", reply[used - 1] == '{' ? "" : ",", name, (int)(end_of(value) - (value)), value)
#define answer_real(name, value) ((value) == (value) ? answer(name, "%.17g", value) : answer(name, "NaN")) /* which C spells in its own ways */
#define failed(why) (broken = 1, used = step_begins, say("{\"status\":\"error\",\"why\":\"%s\"", why))
#define rejected(why) (refused = broken = 1, used = result_begins, say("{\"rejected\":\"%s\"", why))
static inline int run(json request, size_t size, a_port* port) { /* whether it could be understood */
  say("{\"id\":%.*s,\"results\":[", (int)strspn(text(request, "id"), "0123456789"), text(request, "id"));
  for (json each = first(member(request, "cases")), step; each; say("%s", (each = after(each)) ? "," : "]}\n")) {
    void* selves[16] = {0}; /* instances; a case has three at most */
    json const params = member(each, "params");
    result_begins = used, refused = broken = 0, say("{\"steps\":[");
    if (!params || !(step = first(member(each, "steps")))) return 0;
    for (; step && !broken; step = after(step)) {
      uint64_t const on = natural(step, "on");
      if (on >= 16 || (!selves[on] && !(selves[on] = calloc(1, size)))) return 0;
      say(reply[used - 1] == '[' ? "" : ","), step_begins = used, say("{");
      port(selves[on], params, step), say("}");
    }
    for (int i = 0; i < 16; i++) free(selves[i]);
    if (!refused) say("]}");
  }
  return reply[used - 1] == '\n' && used < sizeof reply / 2 && strstr(reply, "\"id\":,") != reply + 1;
}
/* Answers until it is told to stop; about is the reply to start. A port that lists no systems takes any. What is no request: exit 2. */
static inline int serve(json about, size_t size, a_port* port) {
  while (used = 0, fgets(line, sizeof line, stdin)) {
    int known = !member(about, "systems"), understood = end_of(line) && !*end_of(line) && member(line, "cmd");
    json const system = understood ? member(line, "system") : NULL;
    if (understood && is(line, "cmd", "stop")) break;
    for (json each = first(member(about, "systems")); system && each; each = after(each)) known |= !strncmp(each, system, strcspn(each + 1, "\"") + 2);
    if (understood && is(line, "cmd", "run")) understood = run(line, size, port);
    else if (!understood || !is(line, "cmd", "start") || !known) say("{\"error\":\"%s\"}\n", understood && is(line, "cmd", "start") ? "this system is not known here" : "unknown cmd");
    else say("{%s%s%s\n", member(about, "protocol") ? "" : "\"protocol\":1,", member(about, "max_batch") ? "" : "\"max_batch\":256,", first(about));
    if (!understood) return fprintf(stderr, "port: not understood: %.200s\n", line), 2;
    fputs(reply, stdout), fflush(stdout);
  }
  return 0;
}
