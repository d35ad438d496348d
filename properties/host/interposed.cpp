// The functions of the system that a library under judgement is not to have: a library that is loaded finds those of
// the program before those of libc. Each acts on the surroundings of the call at hand; where there is none, draws are
// 0, the clock stands, sleeps end at once, and memory is the system's.
#include "host/interposed.hpp"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

#include "host/exported.hpp"
#include "host/surroundings.hpp"

// glibc's own, by the names that are left when these are taken.
extern "C" {  // NOLINTBEGIN(bugprone-reserved-identifier): they are glibc's names
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void __libc_free(void* memory);
}  // NOLINTEND(bugprone-reserved-identifier)

namespace backoff::host {
namespace {

constexpr int unknown_value = 0xa5;  // as memory is that nobody has set

int draw() { return around == nullptr ? 0 : static_cast<int>(around->rand()); }
std::optional<moment> time_of_day() noexcept { return around == nullptr ? moment{} : around->time_of_day(); }
std::optional<moment> now(clockid_t clock) noexcept {
  bool const is_of_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  return around == nullptr || is_of_day ? time_of_day() : around->ticks();
}

void slept(std::int64_t seconds, std::int64_t nanoseconds) {
  constexpr std::int64_t longest = std::int64_t{1} << 53;  // of which some may be added
  if (around != nullptr) around->sleep(std::clamp(seconds, -longest, longest), nanoseconds);
}

int slept(timespec const* time) {
  if (time->tv_nsec < 0 || time->tv_nsec >= a_second || time->tv_sec < 0) return EINVAL;
  slept(time->tv_sec, time->tv_nsec);
  return 0;
}

// ---- Memory ----

// The code of libc and of the loader, which allocate for themselves: the buffer of stdout, say.
struct code {
  std::uintptr_t from = 0;
  std::uintptr_t to = 0;
  [[nodiscard]] bool has(std::uintptr_t address) const noexcept { return address >= from && address < to; }
};
code libc;
code loader;

// The blocks that calls have allocated and not yet released. What does not fit is not counted, neither then nor later.
constexpr std::size_t blocks_max = 256;
void* blocks[blocks_max];
std::size_t blocks_used = 0;

// Blocks that were released stay, with no known values, until the history is over: nobody else has them meanwhile, so
// that whoever uses one, or releases it twice, is seen.
constexpr std::size_t a_large_block = 4096;  // which is given back at once
void* released[blocks_max];
std::size_t released_used = 0;

void spoil(void* block) noexcept { std::memset(block, unknown_value, malloc_usable_size(block)); }

bool by_the_library(void const* caller) noexcept {
  auto const address = reinterpret_cast<std::uintptr_t>(caller);
  return around != nullptr && !libc.has(address) && !loader.has(address);
}

void* counted(void* block) noexcept {
  if (block != nullptr && blocks_used < blocks_max) {
    blocks[blocks_used++] = block;
    around->allocated(1);
  }
  return block;
}

// False where it is none of them.
bool forget(void* block) {
  auto* const end = blocks + blocks_used;
  auto* const at = std::find(blocks, end, block);
  if (at == end) return false;
  *at = blocks[--blocks_used];
  around->allocated(-1);
  return true;
}

// Whether the block is not to be given back yet.
bool keep_released(void* block) noexcept {
  auto* const end = released + released_used;
  if (std::find(released, end, block) != end) {
    around->released_twice();
    return true;
  }
  if (!forget(block)) return false;
  spoil(block);
  if (released_used == blocks_max || malloc_usable_size(block) > a_large_block) return false;
  released[released_used++] = block;
  return true;
}

}  // namespace

void find_code_of_system() noexcept {
  auto const note = [](dl_phdr_info* object, std::size_t, void*) {
    code all{UINTPTR_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      auto const& part = object->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      all.from = std::min(all.from, object->dlpi_addr + part.p_vaddr);
      all.to = std::max(all.to, object->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    if (all.has(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_NEXT, "malloc")))) libc = all;
    if (all.has(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "__tls_get_addr")))) loader = all;
    return 0;
  };
  dl_iterate_phdr(note, nullptr);
}

void forget_allocations() noexcept {
  blocks_used = 0;
  while (released_used != 0) __libc_free(released[--released_used]);
}

}  // namespace backoff::host

using namespace backoff::host;

// ---- Draws: a seed is noted, and changes none ----

BACKOFF_EXPORTED int rand() { return draw(); }
BACKOFF_EXPORTED long random() { return draw(); }
BACKOFF_EXPORTED void srand(unsigned seed) noexcept {
  if (around != nullptr) around->seeded(seed);
}
BACKOFF_EXPORTED void srandom(unsigned seed) noexcept { srand(seed); }
BACKOFF_EXPORTED int rand_r(unsigned* seed) noexcept {
  srand(*seed);
  *seed = *seed * 1'103'515'245U + 12'345U;  // that of the next draw is another
  return draw();
}

// ---- The clock ----

BACKOFF_EXPORTED time_t time(time_t* to) noexcept {
  auto const t = time_of_day();
  auto const seconds = t ? t->seconds : -1;
  if (to != nullptr) *to = seconds;
  return seconds;
}
// What the processor has worked, as if it did nothing else.
BACKOFF_EXPORTED clock_t clock() noexcept {
  auto const t = now(CLOCK_PROCESS_CPUTIME_ID);
  if (!t) return -1;
  auto const whole = static_cast<std::uint64_t>(t->seconds) * CLOCKS_PER_SEC;
  return static_cast<clock_t>(whole + static_cast<std::uint64_t>(t->nanoseconds / (a_second / CLOCKS_PER_SEC)));
}
BACKOFF_EXPORTED int gettimeofday(timeval* to, void*) noexcept {
  constexpr std::int64_t a_microsecond = 1'000;
  auto const t = time_of_day();
  if (!t) return -1;
  *to = {t->seconds, t->nanoseconds / a_microsecond};
  return 0;
}
BACKOFF_EXPORTED int clock_gettime(clockid_t clock, timespec* to) noexcept {
  auto const t = now(clock);
  if (!t) return -1;
  *to = {t->seconds, t->nanoseconds};
  return 0;
}
BACKOFF_EXPORTED int timespec_get(timespec* to, int base) noexcept {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, to) == 0 ? base : 0;
}

// ---- Sleeps ----

BACKOFF_EXPORTED unsigned sleep(unsigned seconds) {
  slept(seconds, 0);
  return 0;
}
BACKOFF_EXPORTED int usleep(useconds_t microseconds) {
  constexpr std::int64_t a_microsecond = 1'000;
  slept(0, microseconds * a_microsecond);
  return 0;
}
BACKOFF_EXPORTED int nanosleep(timespec const* time, timespec*) {
  errno = slept(time);
  return errno == 0 ? 0 : -1;
}
BACKOFF_EXPORTED int clock_nanosleep(clockid_t clock, int flags, timespec const* time, timespec*) {
  if ((flags & TIMER_ABSTIME) == 0) return slept(time);
  auto const from = now(clock).value_or(moment{});
  bool const borrows = time->tv_nsec < from.nanoseconds;
  timespec const rest{time->tv_sec - from.seconds - (borrows ? 1 : 0),
                      time->tv_nsec - from.nanoseconds + (borrows ? a_second : 0)};
  return rest.tv_sec < 0 ? 0 : slept(&rest);
}

// ---- Memory: what the library asks for is counted, and refused where the history says so ----

BACKOFF_EXPORTED void* malloc(std::size_t size) noexcept {
  if (!by_the_library(__builtin_return_address(0))) return __libc_malloc(size);
  if (around->malloc_fails()) return nullptr;
  auto* const block = counted(__libc_malloc(size));
  if (block != nullptr) spoil(block);
  return block;
}
BACKOFF_EXPORTED void* calloc(std::size_t count, std::size_t size) noexcept {
  if (!by_the_library(__builtin_return_address(0))) return __libc_calloc(count, size);
  return around->malloc_fails() ? nullptr : counted(__libc_calloc(count, size));
}
BACKOFF_EXPORTED void* realloc(void* memory, std::size_t size) noexcept {
  if (!by_the_library(__builtin_return_address(0))) return __libc_realloc(memory, size);
  if (around->malloc_fails()) return nullptr;
  auto* const block = __libc_realloc(memory, size);
  if (block != nullptr || size == 0) forget(memory);
  return counted(block);
}
BACKOFF_EXPORTED void free(void* memory) noexcept {
  if (around == nullptr || memory == nullptr || !keep_released(memory)) __libc_free(memory);
}
