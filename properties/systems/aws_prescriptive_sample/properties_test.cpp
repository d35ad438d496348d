// Laws of the sample loop of AWS Prescriptive Guidance that no claim says, as properties. Whole runs are held to the
// exact model. Above a property: the requirements that it shows. engines/rapidcheck/engine_test.cpp has the claims.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <chrono>
#include <cstdint>
#include <ostream>

#include "aws_prescriptive_sample/model.hpp"
#include "backoff/aws_prescriptive_sample.hpp"
#include "backoff/hosted/aws_prescriptive_sample.hpp"
#include "engines/rapidcheck/values.hpp"
#include "tests/model_choices.hpp"

namespace {

namespace core = backoff::aws_prescriptive_sample;
namespace spec = backoff::spec;
namespace model = spec::aws_prescriptive_sample;
using backoff::engines::rapidcheck::values::any;
using backoff::engines::rapidcheck::values::between;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 last_that_fits = 24;  // (2^25 - 1) · 100 is more than 2^31 - 1
constexpr u64 longest_ms = 0x7fff'ffff;

rc::Gen<int> status_to_retry() { return rc::gen::element(429, 504); }

// What the sample knows, numbers next to it, and any other.
rc::Gen<int> statuses() {
  return rc::gen::weightedOneOf<int>({{3, rc::gen::element(429, 504, 200)},
                                      {2, rc::gen::element(428, 430, 503, 505, 500, 199, 201, 404, 0, -429)},
                                      {1, rc::gen::arbitrary<int>()}});
}

// A run that has made this many retries, of at most so many requests.
core::retry_loop after(u32 retries, u32 max_retries) {
  core::retry_loop loop(max_retries);
  for (u32 n = 0; n < retries; ++n) static_cast<void>(loop.retry_after(429));
  return loop;
}

// ---- Laws of the value type ----

// AWS-PS-015.
RC_GTEST_PROP(properties_aws_prescriptive_sample, overflow_fails, ()) {
  auto const n = *any<u32>({last_that_fits}).as("retries");
  RC_ASSERT((core::delay_ms(n) == core::no_delay) == (n >= 25U));
  RC_ASSERT(core::no_delay > longest_ms);  // no wait is told by it
}

// AWS-PS-015.
RC_GTEST_PROP(properties_aws_prescriptive_sample, run_of_every_wait_ends_after_the_25th_request, ()) {
  auto loop = after(last_that_fits, *between<u32>(26, ~0U).as("max_retries"));
  RC_ASSERT(loop.delay_ms() == core::delay_ms(last_that_fits));
  RC_ASSERT(loop.retry_after(*status_to_retry().as("status")));
  RC_ASSERT(loop.delay_ms() == core::no_delay);
  RC_ASSERT(!loop.retry_after(*status_to_retry().as("status")));
  RC_ASSERT(loop.retries() == last_that_fits + 1U);
}

// AWS-PS-017, AWS-PS-018.
RC_GTEST_PROP(properties_aws_prescriptive_sample, only_429_and_504_call_for_a_retry, ()) {
  auto const http_status = *statuses().as("status");
  RC_ASSERT(core::calls_for_retry(http_status) == (http_status == 429 || http_status == 504));
}

// AWS-PS-013.
RC_GTEST_PROP(properties_aws_prescriptive_sample, delay_follows_its_formula, ()) {
  auto const n = *between<u32>(0, last_that_fits).as("retries");
  RC_ASSERT(core::delay_ms(n) == ((u64{1} << n) - 1U) * 100U);
}

// AWS-PS-003.
RC_GTEST_PROP(properties_aws_prescriptive_sample, delay_never_shrinks, ()) {
  auto const n = *any<u32>({last_that_fits}).as("retries");
  RC_ASSERT(core::delay_ms(n) <= core::delay_ms(n == ~0U ? n : n + 1U));
}

// AWS-PS-013, AWS-PS-019.
RC_GTEST_PROP(properties_aws_prescriptive_sample, waits_of_a_run_add_up_to_their_closed_form, ()) {
  auto const max_retries = *between<u32>(1, 25).as("max_retries");
  std::chrono::milliseconds waited{0};
  auto const finished = core::run_with_backoff(
      max_retries, [&](std::chrono::milliseconds delay) { waited += delay; }, [] { return 429; });
  RC_ASSERT(finished.requests == max_retries);
  RC_ASSERT(waited.count() == ((1LL << max_retries) - 1 - max_retries) * 100);
  RC_ASSERT(!finished.failed);
}

// ---- Runs against the exact model ----

struct modelled {
  model::parameters parameters;
  model::state state;
};
using command = rc::state::Command<modelled, core::retry_loop>;

spec::expectation answered(modelled& by, int http_status) {
  auto const& table = model::readings();
  return spec::under(
             table, table.admitting(spec::standing::canonical),
             [&](spec::chooser& readings) { return model::attempt(by.parameters, by.state, http_status, readings); })
      .answer;
}

struct request : command {
  int http_status = *statuses();
  void checkPreconditions(modelled const& now) const override { RC_PRE(!now.state.over); }
  void apply(modelled& now) const override { static_cast<void>(answered(now, http_status)); }
  void run(modelled const& now, core::retry_loop& loop) const override {
    auto after = now;
    auto const expected = answered(after, http_status);
    if (loop.delay_ms() == core::no_delay) {
      RC_ASSERT(expected[model::field_status] == spec::admissible::word(1));
      return;
    }
    RC_ASSERT(expected[model::field_delay].admits(spec::observed::of(loop.delay_ms())));
    bool const more = loop.retry_after(http_status);
    RC_ASSERT(expected[model::field_retry] == spec::admissible::word(more ? 1 : 0));
  }
  void show(std::ostream& out) const override { out << "request answered by " << http_status; }
};

struct throttled_request : request {
  throttled_request() { http_status = *status_to_retry(); }
};

struct next_run : command {
  void apply(modelled& now) const override { now.state = {}; }
  void run(modelled const& now, core::retry_loop& loop) const override {
    loop = core::retry_loop(static_cast<u32>(now.parameters.max_retries));
  }
  void show(std::ostream& out) const override { out << "next run"; }
};

RC_GTEST_PROP(properties_aws_prescriptive_sample, runs_answer_as_the_model_does, ()) {
  auto const max_retries = *between<u32>(0, 0x7fff'ffff, {25}).as("max_retries");
  core::retry_loop loop(max_retries);
  rc::state::check(modelled{{max_retries}, {}}, loop,
                   rc::state::gen::execOneOfWithArgs<throttled_request, throttled_request, request, next_run>());
}

}  // namespace
