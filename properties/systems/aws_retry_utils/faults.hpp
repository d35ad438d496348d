// Faults of the Retry Utilities alone: beside those of every delay drawn from a window that doubles.
#pragma once

#include "faults/full_jitter.hpp"

namespace backoff::systems {

inline std::vector<fault> const& aws_retry_utils_alone() {
  auto const with_base = [](auto f) { return doing{.base = f}; };
  static std::vector<fault> const all{
      row("no-base-jitter", "adds no jitter to the initial back-off",
          with_base([](parts const& p) { return p.initial; }), {"no-base-jitter", at_first, both("base-jitter=none")}),
      row("jitter-alone", "begins with the jitter alone and leaves the initial back-off out",
          with_base([](parts const& p) { return p.jitter; }), {"jitter-alone", at_first, {}, 6, true}),
      row("jitter-multiplies", "multiplies the initial back-off by 1 + jitter",
          with_base([](parts const& p) { return p.initial * (1 + p.jitter); })),
      row("larger-of-both", "begins with the larger of the initial back-off and the jitter",
          with_base([](parts const& p) { return std::max(p.initial, p.jitter); })),
      row("jitter-is-kept", "keeps the jitter of the first reset",
          with_base([](parts const& p) { return p.initial + p.first_jitter; }), {"jitter-drawn-once", after_reset}),
      row("reset-keeps-the-window", "does not forget the window at a reset",
          {.base = [](parts const& p) { return p.initial + p.first_jitter; },
           .grows = [](retry const& p) { return doubled(p.base, p.n_ever); }},
          {"reset-keeps-the-window", after_reset}),
      row("jitter-at-each-doubling", "adds the jitter whenever the window doubles", grows([](retry const& p) {
            auto const jitter = p.base - p.initial;
            return doubled(p.base + jitter, p.n) - jitter;
          }),
          {"jitter-compounds", growing}),
      row("linear", "adds the initial back-off for each retry instead of doubling",
          grows([](retry const& p) { return p.base + p.initial * p.n; })),
      row("draws-from-the-initial", "draws from the initial back-off to the window",
          delay([](retry const& p, double w) {
            return std::min(p.initial + p.drawn(std::max(w - p.initial, 0.0)), p.cap);
          })),
      row("", "integer division leaves nothing of the draw", delay([](retry const&, double) { return 0; }),
          {"always-zero", at_first}),
      row("", "takes the jitter from what was drawn",
          delay([](retry const& p, double w) { return p.drawn(w) - (p.base - p.initial); }),
          {"jitter-subtracted", below_0}),
      row("", "initial back-off and jitter overflow 32 bits",
          with_base([](parts const& p) { return std::fmod(p.initial + p.jitter, 0x1p32); }),
          {"first-window-wraps", at_the_cap}),
      row("", "sleeps beyond 2^31 ms become 1 ms",
          delay([](retry const& p, double w) { return p.drawn(w) * 1'000 > longest_i32 ? 0 : p.drawn(w); }),
          {"timer-wraps", at_the_cap}),
      row("", "sleeps are a thousand times too long",
          delay([](retry const& p, double w) { return p.drawn(w) * 1'000; }),
          {"milliseconds-for-seconds", past_the_cap}),
      row("", "small caps double, large ones are jumped to", window([](retry const& p) {
            if (p.cap < 100) return std::min(doubled(p.base, p.n), p.cap);
            return stepped(p, [&](double w) { return w < in_whole_halves(p.cap) ? 2 * w : p.cap; });
          }),
          {"mixed-growth", growing}),
      row("", "knows no limit", {},
          {.name = "never-exhausted", .caught = too_late, .ended = [](double, double) { return false; }}),
  };
  return all;
}

}  // namespace backoff::systems
