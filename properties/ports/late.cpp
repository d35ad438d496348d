#include "ports/late.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "systems/azure_c_retry_control/ports/documented.hpp"

namespace backoff::ports {
namespace {

constexpr std::int64_t u16_max = 0xffff;
constexpr std::int64_t u32_max = 0xffff'ffff;
constexpr std::int64_t i32_max = 0x7fff'ffff;

bool everywhere(history const&) { return true; }
template <std::size_t I>
bool is_wide(history const& h) {
  return h.params[I].n > u16_max;
}
// The cap is no multiple of the first window, or below it.
bool has_odd_cap(history const& h) { return h.params[0].n != 0 && h.params[1].n % h.params[0].n != 0; }
bool is_capped_at_once(history const& h) { return h.params[0].n > h.params[1].n; }

// The last option that was set before anything was asked: where a policy waits by a number of the caller's.
std::int64_t option_set(history const& h, std::int64_t name) {
  std::int64_t found = 0;
  for (auto const& s : h.steps) {
    if (s.op == systems::azure_c_calls::set_option && s.args[systems::azure_c_calls::name_at].n == name)
      found = s.args[systems::azure_c_calls::number_at].n;
  }
  return found;
}

late_region const whole{"", "everywhere", everywhere};
constexpr std::size_t backoff_rate = 1;

std::vector<late_region> const& system_of(std::string_view stem) {
  static std::map<std::string_view, std::vector<late_region>> const all{
      {"aws_backoff_algorithm",
       {whole,
        {"wide-base", "a base beyond 16 bits", is_wide<0>},
        {"odd-cap", "a cap that is no multiple of the base", has_odd_cap},
        {"base-above-cap", "a base above the cap", is_capped_at_once}}},
      {"aws_retry_utils",
       {whole,
        {"wide-base", "an initial back-off beyond 16 bits", is_wide<0>},
        {"odd-cap", "a cap that is no multiple of the initial back-off", has_odd_cap},
        {"no-jitter", "no jitter of the reset", [](history const& h) { return h.params[2].n == 0; }}}},
      {"aws_step_functions",
       {whole,
        {"wide-interval", "an interval beyond 16 bits", is_wide<0>},
        {"three-decimals", "a rate of three decimals",
         [](history const& h) { return h.params[backoff_rate].n % 10 != 0; }},
        {"slow-rate", "a rate of no more than 1.1",
         [](history const& h) { return h.params[backoff_rate].n <= 1'100; }}}},
      {"aws_prescriptive_sample",
       {whole,
        {"few", "a limit of no more than 40", [](history const& h) { return h.params[0].n <= 40; }},
        {"wide-limit", "a limit beyond 16 bits", is_wide<0>}}},
      {"azure_c_retry_control",
       {whole,
        {"wide-wait", "an initial wait beyond 16 bits", [](history const& h) { return option_set(h, 0) > u16_max; }},
        {"odd-percent", "a jitter of other than whole tenths",
         [](history const& h) { return option_set(h, 1) % 10 != 0; }}}},
      {"azure_java_retry_policy",
       {whole,
        {"wide-interval", "an interval beyond 16 bits", is_wide<1>},
        {"low-cap", "a maximum below the documented minimum",
         [](history const& h) { return h.params[3].kind != value_kind::absent && h.params[3].n < 100; }}}},
  };
  return all.at(stem);
}

observed half_of(observed const& delay) {
  constexpr spec::integer digits_left = 1'000'000'000'000'000'000;  // far from the end of what a mantissa holds
  auto half = delay.value;
  bool const is_short = half.mantissa < digits_left;
  half.mantissa = is_short ? half.mantissa * 5 : half.mantissa / 2;
  half.exponent -= is_short ? 1 : 0;
  return observed::of(half);
}
observed whole_half_of(observed const& delay) { return observed::of(delay.value.mantissa / 2); }

// The library; a port that goes on where the library does not: the sample's fails once a wait does not fit 31 bits,
// that of Step Functions takes 43 attempts.
built_in const* right_for(std::string_view stem) {
  bool const ends_early = stem == "aws_prescriptive_sample" || stem == "aws_step_functions";
  return find_built_in(stem, ends_early ? "plain" : "library");
}

// ---- Systems whose answers show their delays: what the library says, changed from an attempt on ----

struct answered {
  std::vector<answer> all;
  std::uint8_t error_word;
  // Nothing is answered any more.
  void fail_at(std::size_t i) {
    all.resize(i + 1);
    all[i] = {observed::word(error_word)};
  }
};

// A delay that f puts in the place of the documented one.
void make_late(observed& delay, late_fault const& f, std::int64_t cap, bool real, observed const& previous) {
  if (f.kind == late_kind::zero) delay = observed::of(0);
  if (f.kind == late_kind::cap) delay = observed::of(cap);
  if (f.kind == late_kind::half) delay = real ? half_of(delay) : whole_half_of(delay);
  if (f.kind == late_kind::previous) delay = previous;
}

// backoffAlgorithm, Retry Utilities, Step Functions: call 0 asks, any other begins again; field 1 of a granted retry is
// its delay.
std::vector<answer> run_cycles(history h, late_fault const& f, built_in const& library, std::uint8_t error_word) {
  bool const real = h.params[1].kind == value_kind::decimal;  // Step Functions
  std::size_t const limit_at = h.params[3].kind == value_kind::absent ? 2 : 3;
  std::int64_t const cap = real ? u32_max : h.params[1].n;
  auto& limit = h.params[limit_at];
  bool const counts = limit.kind == value_kind::integer && limit.n >= f.from;
  if (f.kind == late_kind::one_less && counts) --limit.n;
  if (f.kind == late_kind::one_more && counts && limit.n < u32_max) ++limit.n;
  answered said{library.run(h), error_word};
  std::array<std::uint32_t, instances_max> attempts{};
  std::array<observed, instances_max> previous;
  previous.fill(observed::of(0));
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    auto const on = h.steps[i].on;
    if (h.steps[i].op != 0) {
      attempts[on] = 0;
      previous[on] = observed::of(0);
      continue;
    }
    auto& delay = said.all[i][1];
    if (said.all[i][0] != observed::word(0)) continue;
    if (++attempts[on] >= f.from) {
      if (f.kind == late_kind::error) {
        said.fail_at(i);
        break;
      }
      make_late(delay, f, cap, real, previous[on]);
    }
    previous[on] = delay;
  }
  return said.all;
}

// The sample loop: each request has the wait before it, and says whether another one follows.
std::vector<answer> run_sample(history h, late_fault const& f, built_in const& library, std::uint8_t error_word) {
  constexpr std::size_t delay_at = 1;
  auto& limit = h.params[0].n;
  if (f.kind == late_kind::one_less && limit > f.from) --limit;
  if (f.kind == late_kind::one_more && limit >= f.from && limit < i32_max) ++limit;
  answered said{library.run(h), error_word};
  std::array<std::uint32_t, instances_max> requests{};
  std::array<observed, instances_max> previous;
  previous.fill(observed::of(0));
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    auto const on = h.steps[i].on;
    auto& delay = said.all[i][delay_at];
    if (++requests[on] >= f.from) {
      if (f.kind == late_kind::error) {
        said.fail_at(i);
        break;
      }
      make_late(delay, f, i32_max, false, previous[on]);
    }
    previous[on] = delay;
  }
  return said.all;
}

// The Java policies, which remember nothing: the attempt is the retry count. The previous delay is that of the count
// before, by the same draw.
std::vector<answer> run_policy(history const& h, late_fault const& f, built_in const& library,
                               std::uint8_t error_word) {
  constexpr std::size_t retry_at = 1;
  constexpr std::size_t delay_at = 2;
  constexpr std::size_t cmax_ms = 3;
  answered said{library.run(h), error_word};
  if (h.params[0].n != 0) return said.all;  // no exponential back-off, no attempt
  history before = h;
  for (auto& s : before.steps) s.args[0].n = std::max<std::int64_t>(s.args[0].n - 1, 0);
  auto const previous = library.run(before);
  auto const cap = h.params[cmax_ms].kind == value_kind::absent ? 10'000 : h.params[cmax_ms].n;
  for (std::size_t i = 0; i < said.all.size(); ++i) {
    auto& a = said.all[i];
    if (h.steps[i].args[0].n < f.from || a[retry_at] != observed::word(1)) continue;
    if (f.kind == late_kind::error) {
      said.fail_at(i);
      break;
    }
    bool const retried = previous[i][retry_at] == observed::word(1);
    make_late(a[delay_at], f, cap, true, retried ? previous[i][delay_at] : a[delay_at]);
    if (f.kind == late_kind::one_less) {
      a[retry_at] = observed::word(0);
      a[delay_at] = {};
    }
  }
  return said.all;
}

// ---- Retry control ----

class late_control final : public systems::retry_control::reference_port {
 public:
  late_control(systems::retry_control::scripted& world, late_fault const& f) : reference_port(world), fault_(&f) {}

  int should_retry(systems::retry_control::model::action& what) override {
    if (fault_->kind == late_kind::error && count >= fault_->from) return 1;
    return reference_port::should_retry(what);
  }

 protected:
  // The wait after retry `count`.
  std::uint64_t next_wait() override {
    auto const before = wait;
    auto const documented = reference_port::next_wait();
    if (count < fault_->from) return documented;
    if (fault_->kind == late_kind::zero) return 0;
    if (fault_->kind == late_kind::cap) return u32_max;
    if (fault_->kind == late_kind::half) return documented / 2;
    return fault_->kind == late_kind::previous ? before : documented;
  }
  bool is_over(std::int64_t now) override {
    auto limit = max_retry_time;
    if (count >= fault_->from && fault_->kind == late_kind::one_less && limit > 1) --limit;
    if (count >= fault_->from && fault_->kind == late_kind::one_more && limit < u32_max) ++limit;
    return limit != 0 && elapsed(first, now, limit);
  }

 private:
  late_fault const* fault_;
};

std::vector<answer> run_control(history const& h, late_fault const& f) {
  std::array<systems::retry_control::scripted, instances_max> worlds;
  std::array<late_control, instances_max> ports{late_control(worlds[0], f), late_control(worlds[1], f),
                                                late_control(worlds[2], f)};
  std::vector<answer> answers;
  for (auto const& s : h.steps) {
    worlds[s.on].begin(s);
    answers.push_back(systems::retry_control::one_answer(ports[s.on], worlds[s.on], s));
  }
  return answers;
}

std::vector<answer> run_faulty(shape const& s, history const& h, late_fault const& f, built_in const& library) {
  if (!f.where->holds(h)) return library.run(h);
  if (s.stem == "azure_c_retry_control") return run_control(h, f);
  if (s.stem == "azure_java_retry_policy") return run_policy(h, f, library, s.error_word);
  if (s.stem == "aws_prescriptive_sample") return run_sample(h, f, library, s.error_word);
  return run_cycles(h, f, library, s.error_word);
}

}  // namespace

std::span<late_region const> late_regions(std::string_view stem) { return system_of(stem); }

std::string name_of(late_fault const& f) {
  auto name = "late-" + std::string(late_names[static_cast<std::size_t>(f.kind)]) + "@" + std::to_string(f.from);
  return f.where->name.empty() ? name : name + "-" + std::string(f.where->name);
}

std::optional<late_fault> find_late_fault(std::string_view stem, std::string_view name) {
  auto const at = name.find('@');
  if (!name.starts_with("late-") || at == std::string_view::npos) return std::nullopt;
  auto const kind = std::ranges::find(late_names, name.substr(5, at - 5));
  late_fault f;
  auto const rest = name.substr(at + 1);
  auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), f.from);
  if (kind == late_names.end() || error != std::errc() || f.from == 0) return std::nullopt;
  auto region = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (region.starts_with("-") && region.size() > 1) region.remove_prefix(1);
  auto const where = std::ranges::find(late_regions(stem), region, &late_region::name);
  if (where == late_regions(stem).end()) return std::nullopt;
  f.kind = static_cast<late_kind>(kind - late_names.begin());
  f.where = &*where;
  return f;
}

late_subject::late_subject(shape const& s, late_fault fault, generator const* from, std::uint64_t seed)
    : shape_(&s), fault_(fault), from_(from), process_(seed), library_(right_for(s.stem)) {
  capabilities_ = built_in_subject(s, *library_).describes();
  capabilities_.name = name_of(fault_);
  if (from_ != nullptr) capabilities_.takes.draws = {spec::draw_kind::hidden, 1};
}

std::vector<result> late_subject::run(std::span<history const> histories) noexcept {
  std::vector<result> results;
  for (auto const& h : histories) {
    auto const drawn = from_ == nullptr ? h : with_draws(*shape_, h, library_->draws, *from_, process_);
    results.push_back({result_kind::answered, run_faulty(*shape_, drawn, fault_, *library_), {}});
  }
  return results;
}

}  // namespace backoff::ports
