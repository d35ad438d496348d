/* What a test library does once besides answering: in its first call, AT_LOAD or AT_UNLOAD. Where the file MARKER
 * is there afterwards, it could.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void mark(void) {
  int const file = open(MARKER, O_WRONLY | O_CREAT, 0600);
  if (file >= 0) close(file);
}
static void* mark_in_thread(void* nothing) {
  mark();
  return nothing;
}
static void run_once(void) {
  static int has_run;
  if (has_run++) return;
#if defined WRITES
  mark();
#elif defined WRITES_BY_STDIO
  FILE* const file = fopen(MARKER, "w");
  if (file != NULL) fclose(file);
#elif defined WRITES_BY_CREAT
  close(creat(MARKER, 0600));
#elif defined WRITES_BY_OPENAT2
  unsigned long long const how[3] = {O_WRONLY | O_CREAT, 0600, 0};
  syscall(SYS_openat2, AT_FDCWD, MARKER, how, sizeof how);
#elif defined TRUNCATES
  mark();
  truncate(MARKER, 1);
#elif defined MAKES_FOLDER
  mkdir(MARKER, 0700);
#elif defined OPENS_SOCKET
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0) mark();
#elif defined OPENS_PAIR
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) mark();
#elif defined FORKS
  if (fork() == 0) {
    mark();
    _exit(0);
  }
  usleep(0);
#elif defined SPAWNS
  char* const words[] = {"touch", MARKER, NULL};
  char* const none[] = {NULL};
  pid_t child;
  posix_spawn(&child, "/usr/bin/touch", NULL, NULL, words, none);
#elif defined EXECUTES
  execl("/usr/bin/touch", "touch", MARKER, (char*)NULL);
#elif defined THREADS
  pthread_t thread;
  if (pthread_create(&thread, NULL, mark_in_thread, NULL) == 0) pthread_join(thread, NULL);
#elif defined KILLS
  if (kill(getppid(), 0) == 0) mark();
#elif defined KILLS_GROUP
  if (kill(0, 0) == 0) mark();
#elif defined TRACES
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) mark();
#elif defined HANDLES_SIGSYS
  signal(SIGSYS, SIG_IGN);
  mark();
#elif defined BLOCKS_SIGSYS
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  mark();
#elif defined ALLOCATES
  if (mmap(NULL, (size_t)2 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) mark();
#elif defined WRITES_INHERITED
  if (fcntl(INHERITED, F_GETFD) >= 0) mark();
#elif defined IN_OTHER_MODE
  long number = 8; /* creat of the 32-bit machine, which takes an address that fits it */
  char* const low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  snprintf(low, 4096, "%s", MARKER);
  __asm__ volatile("int $0x80" : "+a"(number) : "b"(low), "c"(0600L) : "memory", "r8", "r9", "r10", "r11");
#elif defined LIMITS
  struct rlimit const limit = {64, 64};
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) mark();
#elif defined ABORTS
  abort();
#elif defined IS_HARMLESS
  char text[256];
  FILE* const file = fopen("/proc/self/status", "r");
  if (file == NULL || fgets(text, sizeof text, file) == NULL) abort();
  fclose(file);
  if (isatty(1) < 0 || getcwd(text, sizeof text) == NULL || sysconf(_SC_NPROCESSORS_ONLN) < 1) abort();
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) abort();
  free(realloc(malloc(1u << 20), 1u << 23));
#endif
}
#ifdef AT_LOAD
__attribute__((constructor)) static void at_load(void) { run_once(); }
#elif defined AT_UNLOAD
__attribute__((destructor)) static void at_unload(void) { run_once(); }
#endif
