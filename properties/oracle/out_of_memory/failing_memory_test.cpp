#include "oracle/out_of_memory/failing_memory_test.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <sstream>

extern "C" {
void* __libc_malloc(std::size_t size);                     // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, std::size_t size);         // NOLINT(bugprone-reserved-identifier)
}

int backoff_oracle_main(int argc, char** argv);  // main.cpp's

namespace backoff::oracle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view message = "backoff-oracle: error: not enough memory\n";
constexpr unsigned longest_s = 60;       // of a child
constexpr unsigned each_to_the_end = 8;  // of the first calls, one in so many fails with all that follow

enum class how : std::uint8_t { once, from_then_on };

// What a run leaves for the process that has started it.
struct shared {
  std::array<std::atomic<std::uint64_t>, std::size_t{1} << 20U> places;  // seen, as a table of hashes
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> struck;
  std::atomic<std::uint64_t> survived;
  std::atomic<bool> was_reached;  // by a child that runs alone
};

shared& common() {
  static auto* const memory =
      new (::mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) shared;
  return *memory;
}

// Whether nobody has been there; from then on somebody has.
bool is_new(std::uint64_t place) {
  auto& table = common().places;
  for (auto at = place % table.size();; at = (at + 1) % table.size()) {
    std::uint64_t there = 0;
    if (table[at].compare_exchange_strong(there, place)) return true;
    if (there == place) return false;
  }
}

// Of the process that runs the program.
enum class state : std::uint8_t { idle, counting, striking, alone };
std::atomic<state> now{state::idle};
thread_local bool is_of_another = false;
std::atomic<std::uint64_t> calls{0};
std::uint64_t strikes_at = 0;
how strikes_how{};
std::uint64_t stride = 0;
bool threads_are_real = false;
program_run const* asked_for = nullptr;
ended_run const* expected = nullptr;
std::vector<std::uint64_t>* first_of_places = nullptr;  // of a run alone
std::set<std::uint64_t>* told = nullptr;                // places of what was wrong
int tells = -1;                                         // what is wrong, a line each
std::string* scratch = nullptr;

std::string path_of(char const* name) { return *scratch + "/" + name; }

std::string bytes_of(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::map<std::string, std::string> files_in(std::string const& folder) {
  std::map<std::string, std::string> all;
  for (auto const& entry : fs::directory_iterator(folder))
    all[entry.path().filename().string()] = bytes_of(entry.path().string());
  return all;
}

void must(bool done, char const* what) {
  if (done) return;
  std::perror(what);
  std::abort();
}

void redirect(int descriptor, std::string const& path, std::string_view begins) {
  int const file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
  must(file >= 0 && ::write(file, begins.data(), begins.size()) >= 0 && ::dup2(file, descriptor) >= 0, path.c_str());
  ::close(file);
}

// In a child: what it writes from now on is its own, and begins as what its parent has written.
void part_from_parent() {
  auto const own = path_of("child");
  fs::remove_all(own);
  fs::copy(".", own);
  redirect(STDOUT_FILENO, path_of("child.out"), bytes_of(path_of("run.out")));
  redirect(STDERR_FILENO, path_of("child.err"), bytes_of(path_of("run.err")));
  auto const here = fs::current_path().string() + "/";
  must(::chdir(own.c_str()) == 0, "chdir");
  for (int descriptor = STDERR_FILENO + 1; descriptor < 64; ++descriptor) {
    struct stat is{};
    if (descriptor == tells || ::fstat(descriptor, &is) != 0 || !S_ISREG(is.st_mode)) continue;
    auto const link = "/proc/self/fd/" + std::to_string(descriptor);
    auto path = fs::read_symlink(link).string();
    path = path.starts_with(here) ? path.substr(here.size()) : link;
    int const again = ::open(path.c_str(), (::fcntl(descriptor, F_GETFL) & (O_ACCMODE | O_APPEND)) | O_CLOEXEC);
    must(again >= 0 && ::lseek(again, ::lseek(descriptor, 0, SEEK_CUR), SEEK_SET) >= 0, "reopening");
    must(::dup3(again, descriptor, O_CLOEXEC) >= 0, "dup3");
    ::close(again);
  }
}

bool is_due(std::uint64_t call) { return stride != 0 && call % stride == 0; }

using frames = std::array<void*, 96>;
int outer_frames = 0;  // of the caller of the program

// In this process: the program from its start to its end.
[[noreturn]] void run_program() {
  is_of_another = true;
  std::vector<std::string> words{"backoff-oracle"};
  words.insert(words.end(), asked_for->words.begin(), asked_for->words.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (auto& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  common().calls = 0;
  frames outer{};
  outer_frames = ::backtrace(outer.data(), static_cast<int>(outer.size()));
  is_of_another = false;
  int const code = backoff_oracle_main(static_cast<int>(words.size()), arguments.data());
  now = state::idle;
  std::exit(code);
}

// Processes that it has left.
std::string left_over() {
  for (int n = 0; n < 1000; ++n) {
    pid_t const reaped = ::waitpid(-1, nullptr, WNOHANG);
    if (reaped < 0) return "";
    if (reaped == 0) ::usleep(1000);
  }
  return "it left a process\n";
}

std::string why_wrong(int status) {
  auto const& whole = *expected;
  auto const out = bytes_of(path_of("child.out"));
  auto const err = bytes_of(path_of("child.err"));
  auto const files = files_in(path_of("child"));
  bool const ended_with_message = WIFEXITED(status) && WEXITSTATUS(status) == 2 && err == message;
  bool const ended_whole = status == whole.status && err == whole.err;
  std::string why = left_over();
  if (!ended_with_message && !ended_whole)
    why += (WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                              : "signal " + std::to_string(WTERMSIG(status))) +
           ", standard error: " + err;
  if (asked_for->is_repeatable && !(ended_whole ? out == whole.out : whole.out.starts_with(out)))
    why += "standard output is not that of the run\n";
  for (auto const& [name, text] : files) {
    auto const before = asked_for->before.find(name);
    bool const is_old = before != asked_for->before.end() && before->second == text;
    auto const after = whole.files.find(name);
    bool const is_whole = after != whole.files.end() && (after->second == text || !asked_for->is_repeatable);
    if (ended_whole ? !is_whole : !is_old && !is_whole)
      why += "'" + name + "' is neither what it was nor the whole new one\n";
  }
  for (auto const* const all : {&asked_for->before, ended_whole ? &whole.files : &asked_for->before}) {
    for (auto const& [name, text] : *all) {
      if (!files.contains(name)) why += "'" + name + "' is gone\n";
    }
  }
  if (why.empty() && ended_whole) ++common().survived;
  return why;
}

void look_at(pid_t child, std::uint64_t call, how way, std::span<void* const> stack, std::uint64_t place) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) must(errno == EINTR, "waitpid");
  auto const why = why_wrong(status);
  if (why.empty() || !told->insert(place).second) return;
  std::ostringstream text;
  text << "call " << call << (way == how::once ? ", once" : ", from then on") << ": " << why << "  from";
  Dl_info about{};
  for (auto* const frame : stack) {
    bool const is_ours = ::dladdr(frame, &about) != 0 && ::dladdr(reinterpret_cast<void*>(&look_at), &about) != 0;
    auto const base = reinterpret_cast<std::uintptr_t>(about.dli_fbase);
    if (is_ours) text << " " << std::hex << reinterpret_cast<std::uintptr_t>(frame) - base;
  }
  auto const said = text.str() + std::string(1, '\0');
  must(::write(tells, said.data(), said.size()) > 0, "telling");
}

std::uint64_t place_of(frames& stack, int& depth) {
  depth = ::backtrace(stack.data(), static_cast<int>(stack.size()));
  std::uint64_t hash = 0xcbf29ce484222325U;
  if (depth < static_cast<int>(stack.size())) depth = std::max(1, depth - outer_frames);
  for (int i = 0; i < depth; ++i)
    hash = (hash ^ reinterpret_cast<std::uint64_t>(stack[static_cast<std::size_t>(i)])) * 0x9e3779b97f4a7c15U;
  return hash == 0 ? 1 : hash;
}

// Whether this is a child in which the call fails.
bool forks_here(std::uint64_t call) {
  memory_of_another_process const ours;
  int const error = errno;
  frames stack{};
  int depth = 0;
  auto const place = place_of(stack, depth);
  if (is_new(place) || is_due(call)) {
    ++common().struck;
    for (auto const way : {how::once, how::from_then_on}) {
      if (stride == 0 && way == how::from_then_on && common().struck % each_to_the_end != 0) continue;
      pid_t const child = ::fork();
      must(child >= 0, "fork");
      if (child == 0) {
        part_from_parent();
        ::alarm(longest_s);
        now = state::alone;
        calls = strikes_at = call;
        strikes_how = way;
        errno = error;
        return true;
      }
      look_at(child, call, way, std::span(stack).first(static_cast<std::size_t>(depth)), place);
    }
  }
  errno = error;
  return false;
}

bool fails_now() {
  if (now == state::idle || is_of_another) return false;
  auto const call = ++calls;
  switch (now.load()) {
    case state::striking:
      common().calls = call;
      return forks_here(call);
    case state::alone:
      if (call == strikes_at) common().was_reached = true;
      return call == strikes_at || (call > strikes_at && strikes_how == how::from_then_on);
    default: {
      common().calls = call;
      if (first_of_places == nullptr) return false;
      memory_of_another_process const ours;
      frames stack{};
      int depth = 0;
      if (is_new(place_of(stack, depth)) || is_due(call)) first_of_places->push_back(call);
      return false;
    }
  }
}

// Starts a child for each n. In that child the n-th call from here fails, and the child runs the rest of the program.
void run_alone_from_here() {
  memory_of_another_process const ours;
  threads_are_real = true;
  auto const fork_child = [](auto const& begin) {
    pid_t const child = ::fork();
    must(child >= 0, "fork");
    if (child != 0) return child;
    part_from_parent();
    ::alarm(longest_s);
    begin();
    return child;
  };
  // One that fails nowhere says from which places the calls are.
  int pipe[2];
  must(::pipe2(pipe, O_CLOEXEC) == 0, "pipe");
  static std::vector<std::uint64_t> firsts;
  pid_t const pilot = fork_child([] {
    now = state::counting;
    calls = 0;
    first_of_places = &firsts;
  });
  if (pilot == 0) {
    static int told_here = pipe[1];
    std::atexit([] {
      now = state::idle;
      firsts.push_back(calls);  // how many there were
      for (auto const each : firsts) must(::write(told_here, &each, sizeof each) > 0, "pilot");
    });
    return;
  }
  ::close(pipe[1]);
  std::vector<std::uint64_t> at;
  for (std::uint64_t each = 0; ::read(pipe[0], &each, sizeof each) == sizeof each;) at.push_back(each);
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(pilot, &status, 0);
  if (auto const why = why_wrong(status); !why.empty()) must(false, why.c_str());
  common().survived -= 1;
  at.pop_back();
  for (auto const n : at) {
    for (auto const way : {how::once, how::from_then_on}) {
      common().was_reached = false;
      pid_t const child = fork_child([&] {
        now = state::alone;
        calls = 0;
        strikes_at = n;
        strikes_how = way;
      });
      if (child == 0) return;
      look_at(child, n, way, {}, n);
      if (common().was_reached) ++common().struck;
    }
  }
  std::_Exit(0);
}

// A process that runs the program: how it ended, and what it has told.
ended_run run_in_child(program_run const& asked, ended_run const* whole, std::uint64_t asked_stride,
                       std::string& wrong) {
  std::string folder = testing::TempDir() + "out_of_memory_XXXXXX";
  must(::mkdtemp(folder.data()) != nullptr, folder.c_str());
  scratch = &folder;
  asked_for = &asked;
  expected = whole;
  stride = asked_stride;
  common();
  fs::create_directory(path_of("run"));
  for (auto const& [name, text] : asked.before) std::ofstream(path_of("run") + "/" + name, std::ios::binary) << text;
  int pipe[2];
  must(::pipe2(pipe, O_CLOEXEC) == 0, "pipe");
  std::fflush(nullptr);  // or the child would print it again
  pid_t const child = ::fork();
  must(child >= 0, "fork");
  if (child == 0) {
    tells = ::fcntl(pipe[1], F_DUPFD_CLOEXEC, 100);
    ::close(pipe[1]);
    ::close(pipe[0]);
    std::set<std::uint64_t> places;
    told = &places;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    must(::chdir(path_of("run").c_str()) == 0, "chdir");
    redirect(STDOUT_FILENO, path_of("run.out"), "");
    redirect(STDERR_FILENO, path_of("run.err"), "");
    int const none = ::open("/dev/null", O_RDONLY);
    must(none >= 0, "open");
    ::dup2(none, STDIN_FILENO);
    threads_are_real = whole == nullptr && !asked.is_repeatable;
    now = whole == nullptr ? state::counting : state::striking;
    run_program();
  }
  ::close(pipe[1]);
  std::array<char, 4096> chunk{};
  for (ssize_t n = 0; (n = ::read(pipe[0], chunk.data(), chunk.size())) > 0;)
    wrong.append(chunk.data(), static_cast<std::size_t>(n));
  ::close(pipe[0]);
  ended_run ended;
  ::waitpid(child, &ended.status, 0);
  ended.out = bytes_of(path_of("run.out"));
  ended.err = bytes_of(path_of("run.err"));
  ended.files = files_in(path_of("run"));
  fs::remove_all(folder);
  return ended;
}

}  // namespace

memory_of_another_process::memory_of_another_process() : before_(std::exchange(is_of_another, true)) {}
memory_of_another_process::~memory_of_another_process() { is_of_another = before_; }

ended_run whole_run(program_run const& asked) {
  std::string none;
  return run_in_child(asked, nullptr, 0, none);
}

struck_calls strike_calls(program_run const& asked, ended_run const& whole, std::uint64_t stride_of_calls) {
  common().struck = common().survived = 0;
  std::string wrong;
  auto const ended = run_in_child(asked, &whole, stride_of_calls, wrong);
  struck_calls all{common().calls, common().struck, common().survived, {}};
  for (std::size_t at = 0; at < wrong.size();) {
    auto const end = std::min(wrong.find('\0', at), wrong.size());
    all.wrong.push_back(wrong.substr(at, end - at));
    at = end + 1;
  }
  // The run that forked the children was none of them.
  if (asked.is_repeatable && (ended.status != whole.status || ended.out != whole.out || ended.files != whole.files))
    all.wrong.push_back("the run itself was disturbed: " + ended.err);
  return all;
}

}  // namespace backoff::oracle

// --- in place of the system's ---

extern "C" {

void* malloc(std::size_t size) {
  if (!backoff::oracle::fails_now()) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

void* calloc(std::size_t count, std::size_t size) {
  if (!backoff::oracle::fails_now()) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}

void* realloc(void* old, std::size_t size) {
  if (!backoff::oracle::fails_now()) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
}

// A thread would not be in a forked child: what it does is done at once.
int pthread_create(pthread_t* thread, pthread_attr_t const* how, void* (*begin)(void*), void* with) {
  using namespace backoff::oracle;
  static auto* const real = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (fails_now()) return EAGAIN;
  if (threads_are_real) return real(thread, how, begin, with);
  begin(with);
  *thread = 1;
  return 0;
}

int pthread_join(pthread_t thread, void** result) {
  static auto* const real = reinterpret_cast<decltype(&pthread_join)>(::dlsym(RTLD_NEXT, "pthread_join"));
  return backoff::oracle::threads_are_real ? real(thread, result) : 0;
}

int uv_loop_init(uv_loop_t* loop) {
  using namespace backoff::oracle;
  static auto* const real = reinterpret_cast<decltype(&uv_loop_init)>(::dlsym(RTLD_NEXT, "uv_loop_init"));
  if (now == state::striking) run_alone_from_here();
  return real(loop);
}
}
