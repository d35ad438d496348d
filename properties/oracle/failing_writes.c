/* A disk that fails: of the calls that write a file below the folder BACKOFF_WRITES_BELOW, the one of number
   BACKOFF_WRITES_STRIKE, from 1, fails or ends the process. To be preloaded. Made and used by: writing_test.py.

   BACKOFF_WRITES_HOW: `full` (the call does nothing, or half, and fails: ENOSPC, or EIO where it flushes or closes) or
   `kill` (half of it is done, then SIGKILL). The descriptor BACKOFF_WRITES_TELL gets the name of the call that was
   struck. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): glibc's */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name of a function */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
enum { tracked_max = 1024 };
static char tracked[tracked_max]; /* descriptors on files that were created there */
static long calls;

static int is_below(char const* path) {
  char const* const folder = getenv("BACKOFF_WRITES_BELOW");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_tracked(int fd) { return fd >= 0 && fd < tracked_max && tracked[fd]; }

/* Whether this call is the one; then it is told. */
static int struck(char const* name) {
  char const* const at = getenv("BACKOFF_WRITES_STRIKE");
  char const* const tell = getenv("BACKOFF_WRITES_TELL");
  if (at == NULL || ++calls != atol(at)) return 0;
  if (tell != NULL) syscall(SYS_write, atoi(tell), name, strlen(name));
  return 1;
}

static int kills(void) {
  char const* const how = getenv("BACKOFF_WRITES_HOW");
  return how != NULL && strcmp(how, "kill") == 0;
}

static int fails(int error) {
  if (kills()) kill(getpid(), SIGKILL);
  errno = error;
  return -1;
}

static int opened(char const* path, int flags, int fd) {
  if (fd >= 0 && fd < tracked_max) tracked[fd] = is_below(path) && (flags & O_CREAT) != 0 ? 1 : 0;
  return fd;
}

static mode_t mode_of(int flags, va_list more) { return (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; }

#define OPENS(name, folder, ...)                                                         \
  int name(__VA_ARGS__ char const* path, int flags, ...) {                               \
    va_list more;                                                                        \
    va_start(more, flags);                                                               \
    mode_t const mode = mode_of(flags, more);                                            \
    va_end(more);                                                                        \
    if (is_below(path) && (flags & O_CREAT) != 0 && struck(#name)) return fails(ENOSPC); \
    return opened(path, flags, (int)syscall(SYS_openat, folder, path, flags, mode));     \
  }
OPENS(open, AT_FDCWD)
OPENS(open64, AT_FDCWD)
OPENS(openat, at, int at, )
OPENS(openat64, at, int at, )

ssize_t write(int fd, void const* bytes, size_t n) {
  if (is_tracked(fd) && struck("write")) {
    syscall(SYS_write, fd, bytes, n / 2);
    return fails(ENOSPC);
  }
  return REAL(write)(fd, bytes, n);
}

size_t fwrite(void const* bytes, size_t size, size_t n, FILE* file) {
  if (is_tracked(fileno(file)) && struck("fwrite")) {
    REAL(fwrite)(bytes, size, n / 2, file);
    REAL(fflush)(file);
    fails(ENOSPC);
    return n / 2;
  }
  return REAL(fwrite)(bytes, size, n, file);
}

int fflush(FILE* file) {
  if (file != NULL && is_tracked(fileno(file)) && struck("fflush")) return fails(ENOSPC);
  return REAL(fflush)(file);
}

int fsync(int fd) { return is_tracked(fd) && struck("fsync") ? fails(EIO) : REAL(fsync)(fd); }
int fdatasync(int fd) { return is_tracked(fd) && struck("fdatasync") ? fails(EIO) : REAL(fdatasync)(fd); }
int ftruncate(int fd, off_t size) {
  return is_tracked(fd) && struck("ftruncate") ? fails(EIO) : REAL(ftruncate)(fd, size);
}
int fchmod(int fd, mode_t mode) { return is_tracked(fd) && struck("fchmod") ? fails(EIO) : REAL(fchmod)(fd, mode); }

/* A descriptor that could not be closed is closed all the same. */
int close(int fd) {
  int const strikes = is_tracked(fd) && struck("close");
  if (fd >= 0 && fd < tracked_max) tracked[fd] = 0;
  if (strikes && kills()) return fails(EIO);
  int const closed = REAL(close)(fd);
  return strikes ? fails(EIO) : closed;
}

int fclose(FILE* file) {
  int const fd = fileno(file);
  int const strikes = is_tracked(fd) && struck("fclose");
  if (fd >= 0 && fd < tracked_max) tracked[fd] = 0;
  if (strikes && kills()) return fails(EIO);
  int const closed = REAL(fclose)(file);
  return strikes ? fails(EIO) : closed;
}

int rename(char const* from, char const* to) {
  return is_below(to) && struck("rename") ? fails(EIO) : REAL(rename)(from, to);
}
