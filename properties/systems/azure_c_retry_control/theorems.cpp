// Theorems about the waits of the retry control, and about what it does with its clock.
#include "engines/proof/native.hpp"
#include "engines/proof/theorem.hpp"
#include "engines/proof/theorem_registry.hpp"

namespace backoff::systems {
namespace {

namespace system = shipped::azure_c_retry_control;
using native::n32;
using native::n64;
using system::policy;

z3::expr top() { return power_of_two(32) - 1; }

// What the policies share: an instance that has granted retry_count retries, one at least.
struct instance {
  u32 initial, count, percent, r, rand_max;
  z3::expr doubled;  // initial · 2^(count - 1), at least 2^32 where it is not exact

  explicit instance(path& p)
      : initial(p.any<u32>("initial")),
        count(p.any<u32>("retry_count")),
        percent(p.any<u32>("percent")),
        r(p.any<u32>("r")),
        rand_max(p.any<u32>("rand_max")),
        doubled(p.natural("initial * 2^(retry_count - 1)")) {
    p.assume(number(count) >= 1 && number(percent) <= 100);
    p.assume(number(r) <= number(rand_max) && number(rand_max) >= 1);
  }
  // Said after the code has run, which decides by its own means.
  void say_what_doubling_is(path& p) const {
    for (unsigned n = 0; n < 32U; ++n) {
      p.assume(z3::implies(number(count) == static_cast<int>(n + 1U), doubled == number(initial) * power_of_two(n)));
    }
    p.assume(z3::implies(number(count) > 32, doubled >= number(initial) * power_of_two(32)));
    p.assume(z3::implies(number(initial) == 0, doubled == 0));
  }
  [[nodiscard]] system::retry_control control(policy which) const {
    auto made = system::create(which, u32(0U));
    made.initial_wait_time_in_secs = initial;
    made.max_jitter_percent = percent;
    made.retry_count = count;
    return made;
  }
};

struct code {
  static u32 wait(instance const& of, policy which) {
    auto const rand = [&]() noexcept { return system::draw{of.r, of.rand_max}; };
    return system::calculate_next_wait_time(of.control(which), rand);
  }
  static bool elapsed(i64 since, i64 now, u32 seconds) { return system::has_elapsed(since, now, seconds); }
  static u32 counted(u32, u32 after, bool) { return after; }
};
struct fault {
  // linear: the product is cut; exponential: doubles once too often; jittered: the sum is cut; random: divided by one
  // more than the largest draw
  static u32 wait(instance const& of, policy which) {
    if (which == policy::linear_backoff) return u32(u64(of.initial) * u64(of.count));
    if (which == policy::exponential_backoff) return shipped::double_saturating(of.initial, of.count);
    if (which == policy::exponential_backoff_with_jitter) {
      u32 const base = shipped::double_saturating(of.initial, u32(of.count - 1U));
      return u32(base + shipped::jitter_proportional<u64>(base, of.percent, of.r, of.rand_max));
    }
    return u32(u64(of.initial) * u64(of.r) / (u64(of.rand_max) + u64(1U)));
  }
  template <class W>  // wraps
  static W counted(W before, W after, bool granted) {
    return granted ? W(before + 1U) : after;
  }
  template <class Signed, class W>  // compares times without a sign
  static bool elapsed(Signed since, Signed now, W seconds) {
    using Unsigned = std::conditional_t<std::is_same_v<Signed, i64>, u64, n64>;
    return Unsigned(Unsigned(now) - Unsigned(since)) >= seconds;
  }
};

template <class Code>
void interval_and_linear(path& p) {
  instance const of(p);
  p.claim(number(code::wait(of, policy::interval)) == number(of.initial));
  p.claim(number(Code::wait(of, policy::linear_backoff)) == smaller(number(of.initial) * number(of.count), top()));
}

template <class Code>
void exponential(path& p) {
  instance const of(p);
  auto const wait = number(Code::wait(of, policy::exponential_backoff));
  of.say_what_doubling_is(p);
  p.claim(wait == smaller(of.doubled, top()));
}

// wait = floor(initial · r / rand_max), stated without a division.
template <class Code>
void random(path& p) {
  instance const of(p);
  auto const wait = number(Code::wait(of, policy::random));
  auto const exact = number(of.initial) * number(of.r);
  p.claim(wait * number(of.rand_max) <= exact);
  p.claim(exact < (wait + 1) * number(of.rand_max));
}

// At retry_count = 1 the base is the initial wait, which is any number: so the jitter of every base is seen on one
// path. The floor is stated without a division.
template <class Code>
void exponential_with_jitter(path& p) {
  instance const of(p);
  p.assume(number(of.count) == 1);
  auto const base = number(of.initial);
  auto const wait = number(Code::wait(of, policy::exponential_backoff_with_jitter));
  auto const unit = 100 * number(of.rand_max);
  auto const exact = base * number(of.percent) * number(of.r);
  p.claim(wait >= base && wait <= top());
  p.claim((wait - base) * unit <= exact);
  p.claim(wait == top() || exact < (wait - base) * unit + unit);
}

template <class Code>
void elapsed(path& p) {
  auto const since = p.any<i64>("since");
  auto const now = p.any<i64>("now");
  auto const seconds = p.any<u32>("seconds");
  auto const difference = number(now) - number(since);
  p.claim(Code::elapsed(since, now, seconds) ? difference >= number(seconds) : difference < number(seconds));
}

// One call of should_retry, from any state, at any readings of the clock: the count grows by one with a retry that is
// granted and by nothing else, and stands still at the top.
template <class Code>
void counts_its_retries(path& p) {
  for (auto const which : {policy::immediate, policy::interval}) {
    auto control = system::create(which, p.any<u32>("max_retry_time"));
    control.retry_count = p.any<u32>("retry_count");
    control.first_retry_time = p.any<i64>("first_retry_time");
    control.last_retry_time = p.any<i64>("last_retry_time");
    control.current_wait_time_in_secs = p.any<u32>("current_wait");
    auto const at_first = control.retry_count;
    int reading = 0;
    auto const clock = [&]() noexcept { return p.any<i64>("clock " + std::to_string(++reading)); };
    auto const rand = []() noexcept { return system::draw{u32(0U), u32(1U)}; };
    auto const decided = system::should_retry(control, clock, rand);
    bool const granted = decided.decided && decided.action == system::action::retry_now;
    auto const before = number(at_first);
    auto const after = number(Code::counted(at_first, control.retry_count, granted));
    if (granted) p.claim(after == smaller(before + 1, top()));
    if (decided.decided && !granted) p.claim(after == before);
    p.claim(after == before || after == before + 1);
    p.claim(reading <= 3);
  }
}
n64 doubled(inputs const& in) {
  auto const n = in.of<n32>("retry_count") - 1U;
  auto const initial = in.of("initial");
  return n < 32U ? std::min<n64>(initial << n, 0xffff'ffffU) : initial == 0U ? 0U : 0xffff'ffffU;
}
// A name stands for how far a signed number is above the least one.
std::int64_t time_of(inputs const& in, std::string const& name) {
  return static_cast<std::int64_t>(in.of(name) - (n64{1} << 63U));
}

}  // namespace

std::vector<theorem> azure_c_retry_control_theorems() {
  auto const waits = [](inputs const& in, native::wait_policy which) {
    return native::retry_control_wait(which, in.of<n32>("initial"), in.of<n32>("retry_count"), in.of<n32>("percent"),
                                      in.of<n32>("r"), in.of<n32>("rand_max"));
  };
  return {
      {"linear_wait_is_a_multiple_up_to_the_top", [] { return prove(interval_and_linear<code>); },
       [] { return prove(interval_and_linear<fault>, wraps::everywhere); },
       [=](inputs const& in) -> replay {
         auto const exact = in.of("initial") * in.of("retry_count");
         return {
             {std::min<n64>(exact, 0xffff'ffffU)}, {waits(in, native::wait_policy::linear)}, {static_cast<n32>(exact)}};
       }},
      {"exponential_wait_doubles_up_to_the_top", [] { return prove(exponential<code>); },
       [] { return prove(exponential<fault>, wraps::everywhere); },
       [=](inputs const& in) -> replay {
         return {{doubled(in)},
                 {waits(in, native::wait_policy::exponential)},
                 {native::double_saturating(in.of<n32>("initial"), in.of<n32>("retry_count"))}};
       }},
      {"jittered_wait_is_rounded_down_once_up_to_the_top",
       [] { return prove(exponential_with_jitter<code>, wraps::sums); },
       [] {
         return prove(
             [](path& p) {
               p.assume(number(p.any<u32>("percent")) == 100 && number(p.any<u32>("rand_max")) == 1);  // found sooner
               exponential_with_jitter<fault>(p);
             },
             wraps::sums);
       },
       [=](inputs const& in) -> replay {
         auto const jitter =
             native_wide{doubled(in)} * in.of("percent") * in.of("r") / (native_wide{100U} * in.of("rand_max"));
         return {{std::min<n64>(doubled(in) + static_cast<n64>(jitter), 0xffff'ffffU)},
                 {waits(in, native::wait_policy::jittered)},
                 {static_cast<n32>(doubled(in) + static_cast<n64>(jitter))}};
       }},
      {"random_wait_is_rounded_down_once", [] { return prove(random<code>); },
       [] { return prove(random<fault>, wraps::everywhere); },
       [=](inputs const& in) -> replay {
         auto const exact = in.of("initial") * in.of("r");
         return {
             {exact / in.of("rand_max")}, {waits(in, native::wait_policy::random)}, {exact / (in.of("rand_max") + 1U)}};
       }},
      {"elapsed_time_is_signed_and_exact", [] { return prove(elapsed<code>, wraps::everywhere); },
       [] { return prove(elapsed<fault>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const since = time_of(in, "since"), now = time_of(in, "now");
         auto const seconds = in.of<n32>("seconds");
         __extension__ using wide = __int128;
         return {{wide{now} - wide{since} >= wide{seconds}},
                 {native::time_has_elapsed(since, now, seconds)},
                 {fault::elapsed(since, now, n64{seconds})}};
       }},
      {"retry_count_counts_what_is_granted", [] { return prove(counts_its_retries<code>, wraps::everywhere); },
       [] { return prove(counts_its_retries<fault>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const before = in.of<n32>("retry_count");
         return {{std::min<n64>(n64{before} + 1U, 0xffff'ffffU)},
                 {native::retry_count_after(before)},
                 {fault::counted(before, before, true)}};
       }},
  };
}

}  // namespace backoff::systems
