#include "plans/herd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

double uniform(random_bits& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

}  // namespace

std::optional<double> as_documented::delay(std::uint64_t client, std::size_t retry, waited const&, double draw) const {
  return law_->delay(static_cast<std::size_t>(client), retry, draw);
}

std::optional<std::uint64_t> as_documented::histories() const noexcept {
  return law_->is_simulated() ? std::optional<std::uint64_t>(simulated_clients) : std::nullopt;
}

otherwise_jittered::otherwise_jittered(delay_law& law, other_jitter how)
    : law_(&law), how_(how), all_s_(law.time_limit()) {
  constexpr std::size_t looked_at = 100;
  for (std::size_t n = 0; n < looked_at; ++n) {
    if (auto const* const r = law.retry(n)) cap_ = std::max(cap_, r->delay.greatest());
  }
}

std::optional<double> otherwise_jittered::delay(std::uint64_t, std::size_t retry, waited const& before,
                                                double draw) const {
  auto const* const r = law_->retry(retry);
  if (r == nullptr) return law_->has_ended() ? std::nullopt : std::optional(std::numeric_limits<double>::infinity());
  double const most = r->delay.greatest();
  double const first = law_->retry(0)->delay.greatest();
  double const wait = how_ == other_jitter::none ? most
                      : how_ == other_jitter::equal
                          ? most / 2 * (1 + draw)
                          : std::min(cap_, first + draw * (3 * std::max(first, before.last_s) - first));
  bool const is_late = all_s_ && before.all_s + wait > *all_s_ * (1 + 1e-9);
  return is_late ? std::nullopt : std::optional(wait);
}

std::optional<std::size_t> herd::peak() const {
  auto const from = requests.begin() + static_cast<std::ptrdiff_t>(std::min(back, requests.size()));
  auto const peak = std::max_element(from, requests.end());
  return peak == requests.end() || *peak == 0 ? std::nullopt : std::optional<std::size_t>(peak - requests.begin());
}

std::optional<double> herd::served_after(double share) const {
  auto const count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(clients()) - 1e-9));
  if (count == 0 || count > served_s.size()) return std::nullopt;
  return served_s[count - 1];
}

namespace {

// What is due, second by second; the events of the present second, part by part.
class calendar {
 public:
  calendar(double first_s, double second_s) : first_s_(first_s), second_s_(second_s) {}

  void add(coming const& c) {
    auto const second = static_cast<std::size_t>(seconds_until(c));
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
  [[nodiscard]] double seconds_until(coming const& c) const { return (c.at_s - first_s_) / second_s_ + 1e-9; }
  [[nodiscard]] std::size_t part_of(coming const& c) const {
    double const at = seconds_until(c);
    return static_cast<std::size_t>((at - std::floor(at)) * parts);
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

  double first_s_;
  double second_s_;
  std::size_t now_ = static_cast<std::size_t>(-1);
  std::vector<std::vector<coming>> due_{1};
  std::array<std::vector<coming>, parts> parts_;
};

}  // namespace

herd run_herd(herd_plan const& plan, waiting const& clients) {
  herd seen;
  random_bits random(plan.seed);
  double const seconds_down = std::ceil(plan.outage_s / plan.second_s - 1e-9);
  seen.first_second_s = plan.outage_s - seconds_down * plan.second_s;
  seen.back = static_cast<std::size_t>(
      plan.outage_s > 0 ? seconds_down : std::max(1.0, std::ceil(plan.ramp_s / plan.second_s - 1e-9)));
  calendar due(seen.first_second_s, plan.second_s);
  auto const first_at = [&](std::uint64_t client) {
    return plan.ramp_s * static_cast<double>(client) / static_cast<double>(plan.clients);
  };
  for (std::uint64_t n = 0; n < plan.clients; ++n) due.add({first_at(n), 0, static_cast<std::uint32_t>(n), 0});
  seen.served_s.reserve(plan.clients);
  while (due.begin_next()) {
    std::uint64_t requests = 0;
    std::uint64_t answered = 0;
    due.for_each(plan.capacity.has_value(), [&](coming const& c) {
      ++requests;
      bool const is_up = c.at_s >= plan.outage_s * (1 - 1e-12) && (!plan.capacity || answered < *plan.capacity);
      // The first request is the one that fails and brings the herd about.
      if (is_up && c.retry > 0) {
        ++answered;
        seen.served_s.push_back(c.at_s);
        return;
      }
      ++seen.wasted;
      auto const delay = clients.delay(plan.first_client + c.client, c.retry, {c.before_s, c.at_s - first_at(c.client)},
                                       uniform(random));
      if (!delay) {
        ++seen.gave_up;
      } else if ((c.at_s + *delay) / plan.second_s >= static_cast<double>(seconds_max) ||
                 requests > flood * plan.clients) {
        ++seen.waiting;
      } else {
        due.add({c.at_s + *delay, static_cast<float>(*delay), c.client, c.retry + 1});
      }
    });
    seen.requests.push_back(requests);
    seen.total += requests;
  }
  std::ranges::sort(seen.served_s);
  return seen;
}

herd_error error_of(herd_plan const& plan, herd const& seen, waiting const& clients) {
  constexpr std::uint64_t others = 8;
  constexpr double in_99_of_100 = 3.499;  // standard deviations that are estimated from eight
  constexpr std::uint64_t enough = 2'500;
  auto const histories = clients.histories().value_or(enough * others);  // in each herd other ones
  std::uint64_t const clients_max = histories / others;
  auto smaller = plan;
  smaller.clients = std::min(plan.clients, clients_max);
  auto const as_many = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(smaller.clients);
  };
  if (plan.capacity)
    smaller.capacity = static_cast<std::uint64_t>(
        std::max(1.0, std::round(static_cast<double>(*plan.capacity) / as_many(plan.clients))));
  double const times = as_many(clients.histories() ? std::min(plan.clients, histories) : plan.clients);
  std::vector<herd> all;
  for (std::uint64_t i = 0; i < others; ++i) {
    smaller.seed = plan.seed + 1 + i;
    smaller.first_client = plan.first_client + i * clients_max;
    all.push_back(run_herd(smaller, clients));
  }
  // scale: of numbers that grow with the number of clients.
  auto const differs = [&](double scale, auto const& number) {
    double sum = 0;
    double squares = 0;
    for (auto const& h : all) sum += number(h);
    for (auto const& h : all) squares += (number(h) - sum / others) * (number(h) - sum / others);
    return in_99_of_100 * scale * std::sqrt(2 * squares / (others - 1) / times);
  };
  auto const count = [&](auto const& number) {
    double const most = differs(as_many(plan.clients), [&](herd const& h) { return static_cast<double>(number(h)); });
    return std::ceil(most);
  };
  auto const time = [&](double share) {
    auto const after = seen.served_after(share);
    double const most = after ? differs(1, [&](herd const& h) { return h.served_after(share).value_or(0); }) : 0;
    return most > 1e-9 * after.value_or(0) ? most : 0;
  };
  return {count([](herd const& h) { return h.total; }),
          count([](herd const& h) { return h.requests_at(h.back); }),
          count([](herd const& h) { return h.requests_at_peak(); }),
          time(0.99),
          time(1),
          count([](herd const& h) { return h.gave_up; })};
}

}  // namespace backoff::plans
