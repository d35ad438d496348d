/* An image without an operating system that answers test vectors over a serial line: a library is judged on the
 * processor that it is for. The boards are QEMU's: microbit (nRF51), mps2, and virt, a RISC-V. For another, replace the
 * serial line.
 * Built and run by: judge. */
#include "firmware.h"

#include <stddef.h>
#include <string.h>

#define REGISTER(address) (*(uint32_t volatile*)(address))

/* ---- The board's serial line ---- */

#if defined BOARD_NRF51
enum { UART = 0x40002000 };
static void serial_begins(void) {
  REGISTER(UART + 0x500) = 4U; /* enable */
  REGISTER(UART + 0x000) = 1U; /* receive */
  REGISTER(UART + 0x008) = 1U; /* transmit */
}
static char get_char(void) {
  while (REGISTER(UART + 0x108) == 0U) continue;
  REGISTER(UART + 0x108) = 0U;
  return (char)REGISTER(UART + 0x518);
}
static void put_char(char c) {
  REGISTER(UART + 0x11c) = 0U;
  REGISTER(UART + 0x51c) = (unsigned char)c;
  while (REGISTER(UART + 0x11c) == 0U) continue;
}
#elif defined BOARD_NS16550 /* virt */
enum { UART = 0x10000000, EMULATOR = 0x00100000 };
#define UART_REGISTER(number) (*(uint8_t volatile*)(UART + (number)))
static void serial_begins(void) {}
static char get_char(void) {
  while ((UART_REGISTER(5) & 1U) == 0U) continue;
  return (char)UART_REGISTER(0);
}
static void put_char(char c) {
  while ((UART_REGISTER(5) & 0x20U) == 0U) continue;
  UART_REGISTER(0) = (uint8_t)c;
}
#else /* mps2 */
enum { UART = 0x40004000 };
static void serial_begins(void) {
  REGISTER(UART + 0x10) = 16U; /* as fast as it goes */
  REGISTER(UART + 0x08) = 3U;  /* transmit and receive */
}
static char get_char(void) {
  while ((REGISTER(UART + 0x04) & 2U) == 0U) continue;
  return (char)REGISTER(UART);
}
static void put_char(char c) {
  while ((REGISTER(UART + 0x04) & 1U) != 0U) continue;
  REGISTER(UART) = (unsigned char)c;
}
#endif

/* The emulator ends; on a board the line is all that is looked at. Instructions of a step are those that a counter of
 * the processor moves by, under `qemu -icount`. */
#if defined __riscv
__asm__(".option arch, +zicsr");
static void leave(void) {
  for (;;) REGISTER(EMULATOR) = 0x5555U;
}
#define TICKS 0xffffffffU
static uint32_t ticks(void) {
  uint32_t count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count));
  return 0U - count; /* down, as that of the others */
}
static void counter_begins(void) {}
static void counter_begins_anew(void) {}
#else
static void leave(void) { /* by semihosting */
  register uint32_t operation __asm__("r0") = 0x18U;
  register uint32_t reason __asm__("r1") = 0x20026U;
  for (;;) __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(reason) : "memory");
}
#define TICKS 0x00ffffffU
static uint32_t ticks(void) { return REGISTER(0xe000e018); }
static void counter_begins(void) {
  REGISTER(0xe000e014) = TICKS;
  REGISTER(0xe000e010) = 5U; /* the processor's own clock */
}
static void counter_begins_anew(void) { REGISTER(0xe000e018) = 0U; } /* at the top */
#endif

/* ---- Instructions of a step ---- */

static uint32_t begun, empty, least = TICKS, most, steps;

void step_begins(void) {
  counter_begins_anew();
  begun = ticks();
}
void step_ends(void) {
  uint32_t const taken = ((begun - ticks()) & TICKS) - empty;
  if (taken < least) least = taken;
  if (taken > most) most = taken;
  steps++;
}
static void counting_begins(void) {
  counter_begins();
  step_begins();
  step_ends();
  empty = most; /* what counting itself takes */
  least = TICKS;
  most = steps = 0U;
}

/* ---- Text ---- */

static uint32_t crc = 0xffffffffU;
void put(char const* text) {
  for (; *text != '\0'; text++) {
    put_char(*text);
    crc ^= (unsigned char)*text;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1U) != 0U ? 0xedb88320U : 0U);
  }
}
void put_number(uint64_t of) {
  char digits[21];
  char* at = digits + sizeof digits - 1;
  *at = '\0';
  do *--at = (char)('0' + of % 10U);
  while ((of /= 10U) != 0U);
  put(at);
}
static void put_hexadecimal(uint32_t of) {
  for (int shift = 28; shift >= 0; shift -= 4) put((char[]){"0123456789abcdef"[(of >> shift) & 15U], '\0'});
}
int64_t number(char const* text) {
  bool const negative = *text == '-';
  uint64_t n = 0;
  for (text += negative; *text >= '0' && *text <= '9'; text++) n = 10U * n + (unsigned)(*text - '0');
  return (int64_t)(negative ? 0U - n : n);
}
char const* value_of(char const* parameters, char const* name) {
  char const* const at = strstr(parameters, name);
  return at == NULL ? "" : at + strlen(name) + 1;
}
bool has(char const* words, char const* word) {
  size_t const length = strlen(word);
  for (char const* at = words; (at = strstr(at, word)) != NULL; at++) {
    if ((at == words || at[-1] == '.') && (at[length] == '.' || at[length] == '\0')) return true;
  }
  return false;
}

/* ---- Vectors: ID TAB SYSTEM/PARAMETERS/CALL,CALL, and answers: ID TAB ANSWER ANSWER ---- */

static char const* why_broken;
void broken(char const* why) {
  put("error");
  why_broken = why;
}

static char line[8192];
static void read_line(void) {
  size_t length = 0;
  for (char c = get_char(); c != '\n'; c = get_char()) {
    if (length < sizeof line - 1) line[length++] = c;
  }
  line[length] = '\0';
}

/* Cuts the text off at the separator; what comes behind it, or "". */
static char* cut(char* text, char separator) {
  char* const at = strchr(text, separator);
  if (at == NULL) return text + strlen(text);
  *at = '\0';
  return at + 1;
}

static void answer_vector(void) {
  char* const token = cut(line, '\t');
  char* const parameters = cut(token, '/');
  char* rest = cut(parameters, '/');
  char const* before = "\t";
  put(line);
  why_broken = NULL;
  begin(parameters);
  while (*rest != '\0' && why_broken == NULL) {
    struct call call = {.name = rest, .on = 0};
    char* const next = cut(rest, ',');
    char const* const times_text = cut(rest, '@');
    int64_t const times = *times_text == '\0' ? 1 : number(times_text);
    call.on = (unsigned)number(cut(rest, '~'));
    for (int i = 0; i < ARGS; i++) call.args[i] = rest = cut(rest, ':');
    for (int64_t i = 0; i < times && why_broken == NULL; i++, before = " ") {
      put(before);
      answer(&call);
    }
    rest = next;
  }
  end();
  if (why_broken != NULL) {
    put("\t");
    put(why_broken);
  }
  put("\n");
}

static int run(void) {
  unsigned count = 0;
  serial_begins();
  counting_begins();
  for (read_line(); strncmp(line, "# end", 5) != 0; read_line()) {
    if (line[0] == '#') { /* the header comes first among the answers too */
      put(line);
      put("\n");
    } else {
      answer_vector();
      count++;
    }
  }
  uint32_t const checked = ~crc;
  put("# end ");
  put_number(count);
  put(" ");
  put_hexadecimal(checked);
  put("\n# steps ");
  put_number(steps);
  put(" ticks ");
  put_number(least);
  put(" ");
  put_number(most);
  put("\n");
  leave();
  return 0;
}

/* ---- Where the processor begins ---- */

extern uint32_t image_data[], data_begins[], data_ends[], bss_ends[], stack_top[];
void reset_handler(void);
void reset_handler(void) {
  memcpy(data_begins, image_data, (uintptr_t)data_ends - (uintptr_t)data_begins);
  memset(data_ends, 0, (uintptr_t)bss_ends - (uintptr_t)data_ends);
  run();
}
static void fault(void) {
  put("\n# fault\n");
  leave();
}
#if defined __riscv
__attribute__((aligned(4))) static void trap(void) { fault(); }
__attribute__((section(".vectors"), used, naked)) void first_instruction(void);
void first_instruction(void) { __asm__ volatile("la sp, stack_top\n csrw mtvec, %0\n j reset_handler" : : "r"(trap)); }
#else
/* NOLINTNEXTLINE(cppcoreguidelines-interfaces-global-init): its address alone is taken */
__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {(void (*)(void))stack_top,
                                                                                     reset_handler,
                                                                                     fault,
                                                                                     fault,
                                                                                     fault,
                                                                                     fault,
                                                                                     fault,
                                                                                     [7] = fault,
                                                                                     [11] = fault,
                                                                                     [14] = fault,
                                                                                     [15] = fault};
#endif
