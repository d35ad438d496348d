// Right ports of the Java SDK's retry policies: in doubles, in integers, one for each open reading, and the document's
// own written as different people would. Each must pass, and its reading be reported.
#include <utility>

#include "backoff/azure_java_retry_policy.hpp"
#include "ports/built_in.hpp"
#include "systems/azure_java_retry_policy/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace reference_policy;

struct truncating : as_documented {
  static double rounded(double delay, asked const&) { return std::trunc(delay); }
};
struct nearest : as_documented {
  static double rounded(double delay, asked const&) { return std::floor(delay + 0.5); }
};
struct nearest_even : as_documented {
  static double rounded(double delay, asked const&) { return std::nearbyint(delay); }
};

// Timers that know whole milliseconds only.
struct rounding_up : as_documented {
  static double rounded(double delay, asked const&) { return std::ceil(delay); }
};

// Whole numbers between ends that are whole too.
template <bool Inclusive, bool Modulo>
struct whole_random : as_documented {
  static double random(asked const& q, double u) {
    double const low = std::floor(q.c * (1 - std::max(q.jd, q.ju)));
    double const high = std::floor(q.c * (1 - std::min(q.jd, q.ju)));
    double const n = std::max(high - low + (Inclusive ? 1 : 0), 1.0);
    if (Modulo) return low + std::fmod(static_cast<double>(q.draw), n);
    return low + std::floor(u * n);
  }
};
struct unit_in_floats : as_documented {  // of 24 bits
  static double unit(asked const& q, memory& m) { return static_cast<float>(as_documented::unit(q, m)); }
};
struct whole_in_floats : whole_random<true, false> {
  static double random(asked const& q, double u) {
    return whole_random<true, false>::random(q, std::min(double{static_cast<float>(u)}, 1 - 0x1p-24));
  }
};
struct divided : as_documented {  // as C textbooks make a number below n of rand()
  static double random(asked const& q, double) {
    double const low = std::floor(q.c * (1 - std::max(q.jd, q.ju)));
    auto const n = static_cast<std::uint64_t>(std::floor(q.c * (1 - std::min(q.jd, q.ju))) - low) + 1;
    // NOLINTNEXTLINE(bugprone-integer-division): as they do
    return low + static_cast<double>(static_cast<std::uint64_t>(q.draw) / (0xffff'ffff / n + 1));
  }
};
struct rejecting : as_documented {
  static bool rejects(history const& h) {
    auto const q = read(h, {});
    return q.policy == exponential && (q.cmin > q.cmax || q.jd < q.ju);
  }
};
struct until_over : as_documented {
  static bool in_time(asked const& q, double, memory const&) { return q.elapsed <= q.total; }
};
// Nothing comes before the first retry: there the factor is 2^-1 - 1.
struct below_the_minimum : as_documented {
  static double factor(asked const& q) { return q.x < 1 ? -0.5 : as_documented::factor(q); }
};
struct rounds_down_below_the_minimum : below_the_minimum {
  static double rounded(double delay, asked const&) { return std::floor(delay); }
};
// What the service refuses is for the user to decide about.
struct leaves_services_alone : as_documented {
  static bool passes(asked const& q) { return q.error == protocol; }
  static bool consults(asked const& q) { return passes(q); }
};
struct leaves_services_to_custom_policies : as_documented {
  static bool passes(asked const& q) { return is_retryable(q) && (q.error != service || q.policy != exponential); }
};
// A throttled service is given twice the time, or all the time that there is.
struct doubles_for_services : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    double const own = as_documented::delay<P>(q, m);
    return q.error == service ? std::min(2 * own, q.cmax) : own;
  }
};
struct longest_for_services : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    return q.error == service ? q.cmax : as_documented::delay<P>(q, m);
  }
};
// The random part is drawn downwards: no listed mapping.
struct downwards : as_documented {
  static double unit(asked const& q, memory& m) { return 1 - as_documented::unit(q, m); }
};
// No policy is asked once the time is over.
struct looks_at_the_clock_first : as_documented {
  static bool consults(asked const& q) { return is_retryable(q) && (!q.limited || q.elapsed <= q.total); }
};
// Asks built-in policies about nothing, as an engine with the filter inside would.
struct asks_custom_policies_alone : as_documented {
  static bool consults(asked const& q) { return is_retryable(q) && q.policy == custom; }
};

// ---- Other ways to write the same ----

struct loops : as_documented {  // 2f + 1 for each retry before
  static double factor(asked const& q) {
    double f = 0;
    for (std::int64_t i = 1; i < q.x && f < 1e60; ++i) f = 2 * f + 1;
    return f;
  }
};
struct powers : as_documented {
  static double factor(asked const& q) {
    return q.x < 1 ? 0 : std::fmin(std::pow(2.0, static_cast<double>(q.x - 1)) - 1, 1e60);
  }
};
struct shifts : as_documented {  // up to 2^127, which times the least random part but 0 is past every maximum
  static double factor(asked const& q) {
    __extension__ using wide = unsigned __int128;
    return q.x < 1 ? 0 : static_cast<double>((wide{1} << std::min<std::int64_t>(q.x - 1, 127)) - 1);
  }
};
struct tabulated : as_documented {
  static double factor(asked const& q) {
    static auto const table = [] {
      std::array<double, 128> all{};
      for (std::size_t i = 2; i < all.size(); ++i) all[i] = all[i - 1] + std::ldexp(1, static_cast<int>(i) - 2);
      return all;
    }();
    return table[static_cast<std::size_t>(std::clamp<std::int64_t>(q.x, 0, table.size() - 1))];
  }
};
struct mixes_the_ends : as_documented {
  static double random(asked const& q, double u) { return (1 - u) * (q.c * (1 - q.jd)) + u * (q.c * (1 - q.ju)); }
};
struct long_doubles : as_documented {
  template <class P>
  static double delay(asked const& q, memory&) {
    using wide = long double;
    wide const u = static_cast<wide>(q.draw) / 4'294'967'296.0L;
    wide const low = q.c * (1 - static_cast<wide>(q.jd));
    wide const high = q.c * (1 - static_cast<wide>(q.ju));
    wide const f = q.x < 1 ? 0 : std::ldexp(wide{1}, static_cast<int>(std::min<std::int64_t>(q.x - 1, 200))) - 1;
    return static_cast<double>(std::fmin(q.cmin + f * (low + u * (high - low)), static_cast<wide>(q.cmax)));
  }
};
struct caps_the_rest : as_documented {  // what may be added to the minimum is capped, not the sum
  template <class P>
  static double delay(asked const& q, memory& m) {
    if (q.cmin >= q.cmax) return q.cmax;
    return q.cmin + std::fmin(P::factor(q) * P::random(q, P::unit(q, m)), q.cmax - q.cmin);
  }
};
struct whole_until_over : whole_random<true, false> {  // two open readings at once
  static bool in_time(asked const& q, double delay, memory const& m) { return until_over::in_time(q, delay, m); }
};

// Milliseconds in 64 bits, as firmware would: tenths of a thousandth, rounded down once.
std::vector<answer> run_in_integers(history const& h) {
  namespace core = backoff::azure_java_retry_policy;
  std::vector<answer> answers;
  for (auto const& s : h.steps) {
    auto const q = read(h, s);
    auto const u32 = [](double d) { return static_cast<std::uint32_t>(d); };
    auto const jittered = core::exponential_backoff_with_jitter::with(
        {u32(q.c), u32(q.cmin), u32(q.cmax), u32(std::round(q.jd * 1'000'000)), u32(std::round(q.ju * 1'000'000))});
    bool const passes = is_retryable(q);
    auto const ns = jittered.value.delay(static_cast<std::uint32_t>(q.x), static_cast<std::uint32_t>(q.draw)).ns;
    auto const ms =
        q.policy == custom ? static_cast<std::int64_t>(q.custom_delay) : static_cast<std::int64_t>(ns / 1'000'000);
    bool const willing = q.policy == custom ? q.custom_retry : q.policy == exponential;
    bool const in_time = !q.limited || static_cast<double>(ms) + q.elapsed <= q.total;
    bool const retry = passes && willing && in_time;
    answers.push_back({observed::word(0), boolean(retry), retry ? observed::of(ms) : observed{}, boolean(passes)});
  }
  return answers;
}

std::vector<answer> run_without_features(history const& h) {
  auto answers = run<as_documented>(h);
  for (auto& a : answers) a[3] = {};  // consulted
  return answers;
}

built_in right(std::string_view name, std::string_view sentence, std::vector<answer> (*run)(history const&),
               std::vector<std::string_view> follows) {
  return {.name = name, .sentence = sentence, .run = run, .follows = std::move(follows)};
}

}  // namespace

std::span<built_in const> azure_java_retry_policy_right_ports() {
  static std::vector<built_in> const ports{
      right("plain", "the formula in doubles", run<as_documented>,
            {"exponent=less-one", "below-minimum=held", "rand-kind=real", "delay-rounding=exact",
             "inverted-bounds=taken", "total-time=would-be-exceeded", "draw-mapping=real",
             "error-shapes-delay=count-alone", "service-filter=passes"}),
      right("truncating", "cuts off fractions of a millisecond", run<truncating>,
            {"rand-kind=real", "delay-rounding=truncate"}),
      right("nearest", "waits the nearest millisecond", run<nearest>, {"rand-kind=real", "delay-rounding=nearest"}),
      right("nearest-even", "waits the nearest millisecond, halves to the even one", run<nearest_even>,
            {"rand-kind=real", "delay-rounding=nearest"}),
      right("rounding-up", "waits the next whole millisecond", run<rounding_up>,
            {"rand-kind=real", "delay-rounding=ceil"}),
      right("whole-inclusive", "draws whole milliseconds, the last one too", run<whole_random<true, false>>,
            {"rand-kind=integer-inclusive", "draw-mapping=scaled"}),
      right("whole-exclusive", "draws whole milliseconds, but for the last one", run<whole_random<false, false>>,
            {"rand-kind=integer-exclusive", "draw-mapping=scaled"}),
      right("modulo-inclusive", "draws whole milliseconds by a modulo", run<whole_random<true, true>>,
            {"rand-kind=integer-inclusive", "draw-mapping=modulo"}),
      right("modulo-exclusive", "draws whole milliseconds by a modulo, but for the last one",
            run<whole_random<false, true>>, {"rand-kind=integer-exclusive", "draw-mapping=modulo"}),
      right("unit-in-floats", "draws real numbers of 24 bits", run<unit_in_floats>,
            {"rand-kind=real", "draw-mapping=near"}),
      right("whole-in-floats", "draws whole milliseconds by real numbers of 24 bits", run<whole_in_floats>,
            {"draw-mapping=near"}),
      right("divided", "divides its draws by the number of draws for each millisecond", run<divided>,
            {"rand-kind=integer-inclusive", "draw-mapping=divided"}),
      right("rejecting", "refuses inverted bounds", run<rejecting>, {"inverted-bounds=rejected"}),
      right("until-over", "retries as long as time is not over", run<until_over>, {"total-time=has-been-exceeded"}),
      right("below-the-minimum", "computes what comes before the first retry", run<below_the_minimum>,
            {"below-minimum=as-computed"}),
      right("rounds-down-below-the-minimum", "computes what comes before the first retry, and rounds it down",
            run<rounds_down_below_the_minimum>, {"below-minimum=as-computed", "delay-rounding=truncate"}),
      right("leaves-services-alone", "retries nothing that the service refused", run<leaves_services_alone>,
            {"service-filter=stops"}),
      right("leaves-services-to-custom-policies", "retries by itself nothing that the service refused",
            run<leaves_services_to_custom_policies>, {"error-shapes-delay=ends", "service-filter=passes"}),
      right("doubles-for-services", "waits twice as long for a service that refused", run<doubles_for_services>,
            {"error-shapes-delay=doubled"}),
      right("longest-for-services", "waits the maximum for a service that refused", run<longest_for_services>,
            {"error-shapes-delay=longest"}),
      right("downwards", "maps draws in its own way", run<downwards>, {"draw-mapping=other"}),
      right("looks-at-the-clock-first", "asks no policy once the time is over", run<looks_at_the_clock_first>,
            {"total-time=would-be-exceeded"}),
      right("asks-custom-policies-alone", "asks custom policies alone", run<asks_custom_policies_alone>,
            {"draw-mapping=real"}),
      right("integers", "the library, cut to whole milliseconds", run_in_integers,
            {"rand-kind=real", "delay-rounding=truncate"}),
      right("loops", "doubles the factor and adds one", run<loops>, {"exponent=less-one", "draw-mapping=real"}),
      right("powers", "takes a power for each delay", run<powers>, {"exponent=less-one", "draw-mapping=real"}),
      right("shifts", "shifts 128 bits", run<shifts>, {"exponent=less-one", "draw-mapping=real"}),
      right("tabulated", "looks the factor up", run<tabulated>, {"exponent=less-one", "draw-mapping=real"}),
      right("mixes-the-ends", "mixes the ends of the random part", run<mixes_the_ends>, {"rand-kind=real"}),
      right("long-doubles", "computes in long doubles", run<long_doubles>, {"rand-kind=real", "delay-rounding=exact"}),
      right("caps-the-rest", "caps what it adds to the minimum", run<caps_the_rest>, {"inverted-bounds=taken"}),
      right("whole-until-over", "draws whole milliseconds, and retries as long as time is not over",
            run<whole_until_over>, {"rand-kind=integer-inclusive", "total-time=has-been-exceeded"}),
      built_in{.name = "no-features",
               .sentence = "knows no times, no kinds of error and no custom policies",
               .run = run_without_features,
               .follows = {"rand-kind=real"},
               .lacks = ~feature_mask{0}},
  };
  return ports;
}

}  // namespace backoff::systems
