/* What the parts of an image share: firmware.c, which knows the board, the serial line and the form of test vectors,
 * and one port a system, SYSTEM.c, which knows its calls. */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

enum { ARGS = 6, INSTANCES = 3 };

/* One call of a history, CALL:ARG:ARG~INSTANCE; an argument that is left out is "". */
struct call {
  char const* name;
  char const* args[ARGS];
  unsigned on;
};

/* ---- The port's ---- */

/* A history begins, with fresh instances and these parameters, NAME=VALUE,NAME=VALUE. */
void begin(char const* parameters);
/* Makes the call and puts the answer. */
void answer(struct call const* call);
/* The history is over. */
void end(void);

/* ---- For the port ---- */

void put(char const* text);
void put_number(uint64_t number);
/* The answer is that the interface was broken; it is the last of its history. */
void broken(char const* why);
/* The number at the beginning of a text, which may be negative. */
int64_t number(char const* text);
/* The text behind NAME= among parameters. */
char const* value_of(char const* parameters, char const* name);
/* Whether a list of words with dots between them has the word. */
bool has(char const* words, char const* word);
/* Around the library's function whose instructions are counted. */
void step_begins(void);
void step_ends(void);

#endif
