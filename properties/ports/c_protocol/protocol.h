/* Port protocol 1 for a C port: what every STEM_main.c shares. It scans well-formed JSON without escapes, as the oracle
 * writes it, straight from the request; on anything else the port says so and exits with 2.
 *
 * A STEM_main.c defines `port`: what the system is called, what the port declares, and how a case and a step are done.
 */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

/* Where a value begins in the request. NULL: there is none; every function below takes that too. */
typedef char const* json;

json member(json object, char const* name);
json first(json array); /* for (json e = first(array); e != NULL; e = next(e)) … */
json next(json element);
bool is(json value, char const* word);
uint32_t u32(json value); /* "7" or 7; 0 where it is no number */
int64_t i64(json value);
double real(json value);
/* The draw in [0, largest] that the oracle gives; where the environment has DRAWS=opaque, one of the port's own. */
uint32_t drawn(json value, uint32_t largest);

struct port {
  char const* system;                /* the stem */
  char const* declares;              /* what the reply to start says besides, such as "\"draw_kind\":\"rand\"", or "" */
  char const* (*begin)(json params); /* a fresh instance; returns why the parameters are refused, or NULL */
  bool (*step)(json step); /* prints the answer, a JSON object; false: it was an error, the last of its case */
};
extern struct port const port;

#endif
