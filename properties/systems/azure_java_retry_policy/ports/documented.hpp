// Retry policies of the Java SDK in plain steps and doubles, every step replaceable: what the right and the wrong ports
// are made of. Shares nothing with the library or the model.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "histories/history.hpp"

namespace backoff::systems::reference_policy {

// As the words of the fields stand.
enum policy : std::int64_t { exponential, no_retry, custom };
enum error : std::int64_t { protocol, service, terminal, unknown, final };

// One failure to decide about, with the constants of its history.
struct asked {
  std::int64_t policy;
  double c, cmin, cmax, jd, ju;
  bool limited;
  double total;
  std::int64_t x;
  std::int64_t error;
  std::uint64_t draw;
  double elapsed;
  bool custom_retry;
  double custom_delay;
};

// What an instance remembers, for ports that remember what they should not.
struct memory {
  std::int64_t calls = 0;
  double first_u = -1;  // the first random number
  double last_delay = 0;
  double slept = 0;
};

inline double or_default(value const& v, double by_default, double unit = 1) {
  return v.kind == value_kind::absent ? by_default : static_cast<double>(v.n) / unit;
}

inline asked read(history const& h, step const& s) {
  auto const& p = h.params;
  auto const& a = s.args;
  bool const named = a[3].kind != value_kind::absent;
  std::int64_t const plain_error = a[1].n != 0 ? protocol : final;
  return {p[0].n,
          or_default(p[1], 100),
          or_default(p[2], 100),
          or_default(p[3], 10'000),
          or_default(p[4], 0.5, 1'000),
          or_default(p[5], 0.25, 1'000),
          p[6].kind != value_kind::absent,
          static_cast<double>(p[6].n),
          a[0].n,
          named ? a[3].n : plain_error,
          static_cast<std::uint64_t>(a[2].n),
          static_cast<double>(a[4].n),
          a[5].n != 0,
          static_cast<double>(a[6].n)};
}

// As a program prints a double; NaN and infinities as such.
inline observed number(double d) {
  if (!std::isfinite(d)) return {observed_kind::not_a_number, 0, {}};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", d);
  return observed::of(*spec::parse_decimal(text.data()));
}

inline bool is_retryable(asked const& q) { return q.error == protocol || q.error == service; }

// As documented; a port replaces what it does differently. Draws are of 32 bits.
struct as_documented {
  static bool rejects(history const&) { return false; }
  static bool fails(asked const&) { return false; }
  static bool passes(asked const& q) { return is_retryable(q); }
  static double unit(asked const& q, memory&) { return static_cast<double>(q.draw) / 4'294'967'296.0; }
  static double random(asked const& q, double u) {
    double const low = q.c * (1 - q.jd);
    return low + u * (q.c * (1 - q.ju) - low);
  }
  // Cut where it is past every maximum but 0 times.
  static double factor(asked const& q) {
    return q.x < 1 ? 0 : std::ldexp(1, static_cast<int>(std::min<std::int64_t>(q.x - 1, 200))) - 1;
  }
  template <class P>
  static double delay(asked const& q, memory& m) {
    return std::min(q.cmin + P::factor(q) * P::random(q, P::unit(q, m)), q.cmax);
  }
  static bool custom_retries(asked const& q) { return q.custom_retry; }
  static double custom_delay(asked const& q) { return q.custom_delay; }
  static bool disabled(asked const& q) { return q.policy == no_retry; }
  static double rounded(double delay, asked const&) { return delay; }
  static bool in_time(asked const& q, double delay, memory const&) {
    return q.elapsed <= q.total && q.elapsed + delay <= q.total;  // a delay may be negative, in ports that are wrong
  }
  static bool consults(asked const& q) { return is_retryable(q); }
  static memory& instance(std::array<memory, instances_max>& all, std::uint8_t on) { return all[on]; }
};

inline observed boolean(bool b) { return observed::word(b ? 1 : 0); }

template <class P>
answer decide(asked const& q, memory& m) {
  auto const no = [&] { return answer{observed::word(0), boolean(false), observed{}, boolean(P::consults(q))}; };
  ++m.calls;
  if (!P::passes(q) || P::disabled(q)) return no();
  if (q.policy == custom && !P::custom_retries(q)) return no();
  double const delay = P::rounded(q.policy == custom ? P::custom_delay(q) : P::template delay<P>(q, m), q);
  if (q.limited && !P::in_time(q, delay, m)) return no();
  m.last_delay = delay;
  m.slept += delay;
  return {observed::word(0), boolean(true), number(delay), boolean(P::consults(q))};
}

template <class P>
std::vector<answer> run(history const& h) {
  std::array<memory, instances_max> instances;
  std::vector<answer> answers;
  if (P::rejects(h)) {
    answers.push_back({observed::word(2)});
    return answers;
  }
  for (auto const& s : h.steps) {
    auto const q = read(h, s);
    if (P::fails(q)) {
      answers.push_back({observed::word(1)});
      return answers;
    }
    answers.push_back(decide<P>(q, P::instance(instances, s.on)));
  }
  return answers;
}

}  // namespace backoff::systems::reference_policy
