// The filter lists what is allowed, so that a system call which nobody has thought of is forbidden. It compares numbers
// and arguments that are integers; what a pointer points to could change after the comparison, and is never looked at.
#include "host/sandbox.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace backoff::host {
namespace {

// ---- What is forbidden, in words ----

struct forbidden {
  long call;
  std::string_view what;  // --sandbox forbids …
};
constexpr forbidden known[] = {
    {SYS_openat, "opening a file for writing (openat)"},
    {SYS_openat2, "opening a file (openat2)"},
    {SYS_unlinkat, "removing a file (unlinkat)"},
    {SYS_renameat2, "renaming a file (renameat2)"},
    {SYS_mkdirat, "making a directory (mkdirat)"},
    {SYS_truncate, "truncating a file (truncate)"},
    {SYS_fchmodat, "changing a file's mode (fchmodat)"},
    {SYS_linkat, "linking a file (linkat)"},
    {SYS_symlinkat, "linking a file (symlinkat)"},
    {SYS_memfd_create, "making a file in memory (memfd_create)"},
    {SYS_socket, "opening a socket (socket)"},
    {SYS_socketpair, "opening a socket (socketpair)"},
    {SYS_connect, "connecting a socket (connect)"},
    {SYS_clone, "starting a process or thread (clone)"},
    {SYS_clone3, "starting a process or thread (clone3)"},
    {SYS_execve, "running a program (execve)"},
    {SYS_execveat, "running a program (execveat)"},
    {SYS_kill, "signalling another process (kill)"},
    {SYS_tkill, "sending a signal (tkill)"},
    {SYS_tgkill, "signalling another process (tgkill)"},
    {SYS_pidfd_send_signal, "sending a signal (pidfd_send_signal)"},
    {SYS_rt_sigaction, "handling its signal, SIGSYS (rt_sigaction)"},
    {SYS_ptrace, "tracing a process (ptrace)"},
    {SYS_process_vm_readv, "reading a process (process_vm_readv)"},
    {SYS_process_vm_writev, "writing to a process (process_vm_writev)"},
    {SYS_prlimit64, "changing a resource limit (prlimit64)"},
    {SYS_io_uring_setup, "queueing system calls (io_uring_setup)"},
#ifdef __x86_64__
    {SYS_open, "opening a file for writing (open)"},
    {SYS_creat, "opening a file for writing (creat)"},
    {SYS_unlink, "removing a file (unlink)"},
    {SYS_rmdir, "removing a directory (rmdir)"},
    {SYS_rename, "renaming a file (rename)"},
    {SYS_mkdir, "making a directory (mkdir)"},
    {SYS_chmod, "changing a file's mode (chmod)"},
    {SYS_link, "linking a file (link)"},
    {SYS_symlink, "linking a file (symlink)"},
    {SYS_fork, "starting a process (fork)"},
    {SYS_vfork, "starting a process (vfork)"},
#endif
};
constexpr std::string_view forbids = "--sandbox forbids ";
// A verdict shows 60 bytes of what a port says.
static_assert(std::ranges::all_of(known, [](auto const& f) { return forbids.size() + f.what.size() <= 60; }));

// ---- What is allowed ----

constexpr long allowed[] = {
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_write,
    SYS_writev,
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_lseek,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_dup,
    SYS_dup3,
    SYS_ppoll,
    SYS_pselect6,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_membarrier,
    SYS_sched_yield,

    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_times,
    SYS_getcpu,
    SYS_sched_getaffinity,
    SYS_getrandom,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
#ifdef __x86_64__
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_dup2,
    SYS_poll,
    SYS_select,
    SYS_time,
    SYS_getrlimit,
#endif
};

// Calls that are allowed where one argument, in its low 32 bits, is a value, or lacks some bits.
struct condition {
  long call;
  unsigned argument;
  enum class kind : std::uint8_t { is, is_not, has_none_of } test;
  std::uint32_t value;
};
constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

std::vector<condition> conditions() {
  using enum condition::kind;
  auto const own = static_cast<std::uint32_t>(getpid());
  std::vector<condition> all{
      {SYS_openat, 2, has_none_of, writing},
      {SYS_kill, 0, is, own},    // as raise and
      {SYS_tgkill, 0, is, own},  // abort do
      {SYS_rt_sigaction, 0, is_not, SIGSYS},
      {SYS_ioctl, 1, is, TCGETS},  // as stdio does to know a terminal
#ifdef __x86_64__
      {SYS_open, 1, has_none_of, writing},
#endif
  };
  for (int const command : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL})
    all.push_back({SYS_fcntl, 1, is, static_cast<std::uint32_t>(command)});
  return all;
}

// ---- The filter ----

#ifdef __x86_64__
constexpr std::uint32_t this_machine = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t this_machine = AUDIT_ARCH_AARCH64;
#endif

constexpr std::uint32_t argument_at(unsigned n) {  // its low half: both machines are little-endian
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + n * sizeof(std::uint64_t));
}

std::vector<sock_filter> filter() {
  std::vector<sock_filter> program;
  auto const load = [&](std::size_t offset) {
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  };
  auto const jump = [&](unsigned test, std::uint32_t value, unsigned if_true, unsigned if_false) {
    program.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value,
                               static_cast<std::uint8_t>(if_true), static_cast<std::uint8_t>(if_false)));
  };
  auto const give = [&](std::uint32_t action) { program.push_back(BPF_STMT(BPF_RET | BPF_K, action)); };

  load(offsetof(seccomp_data, arch));  // other machines' calls have other numbers
  jump(BPF_JEQ, this_machine, 1, 0);
  give(SECCOMP_RET_TRAP);
  load(offsetof(seccomp_data, nr));
  for (long const call : allowed) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    give(SECCOMP_RET_ALLOW);
  }
  for (auto const& c : conditions()) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(c.call), 0, 4);
    load(argument_at(c.argument));
    bool const wanted = c.test == condition::kind::is;
    jump(c.test == condition::kind::has_none_of ? BPF_JSET : BPF_JEQ, c.value, wanted ? 0 : 1, wanted ? 1 : 0);
    give(SECCOMP_RET_ALLOW);
    load(offsetof(seccomp_data, nr));
  }
  // A limit may be asked for where none is set: the pointer to the new one is null.
  jump(BPF_JEQ, SYS_prlimit64, 0, 5);
  load(argument_at(2));
  jump(BPF_JEQ, 0, 0, 3);
  load(argument_at(2) + sizeof(std::uint32_t));
  jump(BPF_JEQ, 0, 0, 1);
  give(SECCOMP_RET_ALLOW);
  give(SECCOMP_RET_TRAP);
  return program;
}

// ---- What happens then ----

int replies_to = -1;

class message {  // in place: a handler may run while memory is being allocated
 public:
  void add(std::string_view text) noexcept {
    auto const count = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), count);
    size_ += count;
  }
  void add(unsigned long number) noexcept {
    std::array<char, 20> digits{};
    auto at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    add(std::string_view(digits.data() + at, digits.size() - at));
  }
  void write_to(int descriptor) const noexcept { static_cast<void>(::write(descriptor, text_, size_)); }

 private:
  char text_[256];
  std::size_t size_ = 0;
};

void add_words(message& m, siginfo_t const& info) noexcept {
  m.add(forbids);
  if (info.si_arch != this_machine) return m.add("system calls of another machine");
  for (auto const& f : known) {
    if (f.call == info.si_syscall) return m.add(f.what);
  }
  m.add("system call ");
  m.add(static_cast<unsigned long>(info.si_syscall));
}

// rt_sigprocmask, but SIGSYS is never blocked: glibc blocks all signals where it starts a process or a thread, and the
// kernel would end this process there without a word.
void change_mask(ucontext_t& at) noexcept {
#ifdef __x86_64__
  auto& result = at.uc_mcontext.gregs[REG_RAX];
  std::array const args{at.uc_mcontext.gregs[REG_RDI], at.uc_mcontext.gregs[REG_RSI], at.uc_mcontext.gregs[REG_RDX]};
#else
  auto& result = at.uc_mcontext.regs[0];
  std::array const args{at.uc_mcontext.regs[0], at.uc_mcontext.regs[1], at.uc_mcontext.regs[2]};
#endif
  std::uint64_t mask = 0;  // a bit for each signal, from 1
  std::memcpy(&mask, &at.uc_sigmask, sizeof mask);
  auto const before = mask;
  if (args[1] != 0) {
    std::uint64_t set = 0;
    std::memcpy(&set, reinterpret_cast<void const*>(args[1]), sizeof set);
    auto const how = static_cast<int>(args[0]);
    mask = how == SIG_BLOCK ? mask | set : how == SIG_UNBLOCK ? mask & ~set : set;
    mask &= ~(std::uint64_t{1} << (SIGSYS - 1U));
    std::memcpy(&at.uc_sigmask, &mask, sizeof mask);  // it is this one's on return
  }
  if (args[2] != 0) std::memcpy(reinterpret_cast<void*>(args[2]), &before, sizeof before);
  result = 0;
}

extern "C" void on_caught_call(int, siginfo_t* info, void* context) {
  if (info->si_arch == this_machine && info->si_syscall == SYS_rt_sigprocmask)
    return change_mask(*static_cast<ucontext_t*>(context));
  message m;
  if (replies_to == -1) {
    m.add("backoff-host: ");
    add_words(m, *info);
    m.add("\n");
    m.write_to(STDERR_FILENO);
  } else {
    m.add(R"({"error":")");
    add_words(m, *info);
    m.add("\"}\n");
    m.write_to(replies_to);
  }
  _exit(1);
}

[[noreturn]] void refuse(std::string const& what) {
  throw std::runtime_error("no sandbox: " + what + ": " + std::strerror(errno));
}

// ---- Limits ----

constexpr rlim_t bytes_max = rlim_t{1} << 30U;
constexpr rlim_t processor_seconds_max = 3600;  // should this program outlive the oracle
constexpr rlim_t descriptors_max = 64;

void limit(int resource, rlim_t bound) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) refuse("a resource limit");
  rlim_t const least = std::min(bound, now.rlim_max);
  rlimit const then{least, least};
  if (setrlimit(resource, &then) != 0) refuse("a resource limit");
}

}  // namespace

char const* why_no_sandbox() noexcept {
  // Where filters are known, this one is at no address; no filter is set.
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr) == -1 && errno == EFAULT) return nullptr;
  return "it has no seccomp filters";
}

void close_inherited() {
  if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) != 0) refuse("close_range");
}

void enter_sandbox(int replies) {
  replies_to = replies;
  limit(RLIMIT_AS, bytes_max);
  limit(RLIMIT_CPU, processor_seconds_max);
  limit(RLIMIT_NOFILE, descriptors_max);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NPROC, 0);
  struct sigaction action{};
  action.sa_sigaction = on_caught_call;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &action, nullptr) != 0) refuse("SIGSYS");
  auto program = filter();
  sock_fprog const given{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("no_new_privs");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &given) != 0) refuse("seccomp");
}

void expect_no_reply() noexcept { replies_to = -1; }

}  // namespace backoff::host

#else

#include <stdexcept>
#include <string>

namespace backoff::host {

char const* why_no_sandbox() noexcept { return "it is made of seccomp filters, of Linux on x86-64 and arm64"; }
void close_inherited() {}
void expect_no_reply() noexcept {}
void enter_sandbox(int) { throw std::runtime_error(std::string("no sandbox: ") + why_no_sandbox()); }

}  // namespace backoff::host

#endif
