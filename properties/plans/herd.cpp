#include "plans/herd.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "histories/random.hpp"

namespace backoff::plans {
namespace {

constexpr std::size_t seconds_max = 1'000'000;  // after which nobody is watched any more
constexpr std::uint64_t flood = 1'000;          // requests of a client in a second

struct coming {
  double at_s;
  float before_s;  // its last delay
  std::uint32_t client;
  std::uint32_t retry;  // its next one
};
struct is_later {
  bool operator()(coming const& a, coming const& b) const noexcept {
    return a.at_s != b.at_s ? a.at_s > b.at_s : a.client > b.client;
  }
};

std::optional<std::size_t> nth(delay_law const& law, std::size_t retry) {
  auto const all = law.delays().size();
  if (all == 0 || (retry >= all && law.ends())) return std::nullopt;
  return std::min(retry, all - 1);
}

double uniform(random_bits& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

}  // namespace

std::optional<double> as_documented::delay(std::uint64_t client, std::size_t retry, double, double draw) const {
  auto const n = nth(*law_, retry);
  if (!n) return std::nullopt;
  auto const& own = law_->clients();
  return own.empty() ? law_->delays()[*n].of(draw) : own[random_bits(seed_, client)() % own.size()][*n];
}

otherwise_jittered::otherwise_jittered(delay_law const& law, other_jitter how) : law_(&law), how_(how) {
  for (auto const& each : law.delays()) cap_ = std::max(cap_, each.greatest());
}

std::optional<double> otherwise_jittered::delay(std::uint64_t, std::size_t retry, double before, double draw) const {
  auto const n = nth(*law_, retry);
  if (!n) return std::nullopt;
  double const most = law_->delays()[*n].greatest();
  if (how_ == other_jitter::none) return most;
  if (how_ == other_jitter::equal) return most / 2 * (1 + draw);
  double const first = law_->delays()[0].greatest();
  return std::min(cap_, first + draw * (3 * std::max(first, before) - first));
}

std::size_t herd::peak_after_start(double ramp_s) const {
  auto const from = std::min(requests.size(), static_cast<std::size_t>(ramp_s) + 1);
  auto const peak = std::max_element(requests.begin() + static_cast<std::ptrdiff_t>(from), requests.end());
  return peak == requests.end() ? 0 : static_cast<std::size_t>(peak - requests.begin());
}

namespace {

// What is due, second by second; the events of the present second, part by part.
class calendar {
 public:
  void add(coming const& c) {
    auto const second = static_cast<std::size_t>(c.at_s);
    if (second == now_) return parts_[part_of(c)].push_back(c);
    if (second >= due_.size()) due_.resize(second + 1);
    due_[second].push_back(c);
  }
  // The next second; false: there is none.
  [[nodiscard]] bool begin_next() {
    if (++now_ >= due_.size()) return false;
    for (auto const& c : due_[now_]) parts_[part_of(c)].push_back(c);
    due_[now_] = {};
    return true;
  }
  // Gives each event of the present second to `take`, which may add more. In the order of their times, if in_order.
  template <typename Take>
  void for_each(bool in_order, Take take) {
    for (auto& part : parts_) {
      if (in_order) {
        std::ranges::make_heap(part, is_later{});
        drain(part, take);
      } else {
        // NOLINTNEXTLINE(modernize-loop-convert): take may add to the part
        for (std::size_t i = 0; i < part.size(); ++i) take(coming(part[i]));
      }
      part.clear();
    }
  }

 private:
  static constexpr std::size_t parts = 64;  // of a second
  static std::size_t part_of(coming const& c) {
    return static_cast<std::size_t>((c.at_s - std::floor(c.at_s)) * parts);
  }
  // What `take` adds to this part stands at its end: it joins the heap.
  template <typename Take>
  static void drain(std::vector<coming>& heap, Take& take) {
    while (!heap.empty()) {
      std::ranges::pop_heap(heap, is_later{});
      auto const c = heap.back();
      heap.pop_back();
      auto const left = heap.size();
      take(c);
      for (auto n = left; n < heap.size(); ++n)
        std::push_heap(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(n) + 1, is_later{});
    }
  }

  std::size_t now_ = static_cast<std::size_t>(-1);
  std::vector<std::vector<coming>> due_{1};
  std::array<std::vector<coming>, parts> parts_;
};

}  // namespace

herd run_herd(herd_plan const& plan, waiting const& clients) {
  herd seen;
  random_bits random(plan.seed);
  calendar due;
  for (std::uint64_t n = 0; n < plan.clients; ++n) {
    double const at = plan.ramp_s * static_cast<double>(n) / static_cast<double>(plan.clients);
    due.add({at, 0, static_cast<std::uint32_t>(n), 0});
  }
  std::vector<double> served;
  served.reserve(plan.clients);
  while (due.begin_next()) {
    std::uint64_t requests = 0;
    std::uint64_t answered = 0;
    due.for_each(plan.capacity.has_value(), [&](coming const& c) {
      ++requests;
      bool const is_up = c.at_s >= plan.outage_s && (!plan.capacity || answered < *plan.capacity);
      // The first request is the one that fails and brings the herd about.
      if (is_up && c.retry > 0) {
        ++answered;
        served.push_back(c.at_s);
        return;
      }
      ++seen.wasted;
      auto const delay = clients.delay(c.client, c.retry, c.before_s, uniform(random));
      if (!delay) {
        ++seen.gave_up;
      } else if (c.at_s + *delay >= static_cast<double>(seconds_max) || requests > flood * plan.clients) {
        ++seen.waiting;
      } else {
        due.add({c.at_s + *delay, static_cast<float>(*delay), c.client, c.retry + 1});
      }
    });
    seen.requests.push_back(requests);
    seen.total += requests;
  }
  seen.served = served.size();
  if (!served.empty()) {
    std::ranges::sort(served);
    seen.last_served_s = served.back();
    seen.median_served_s = served[served.size() / 2];
  }
  return seen;
}

}  // namespace backoff::plans
