#include "transport/port_pool.hpp"

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>

namespace backoff::transport {

// What one process is asked, and what came of it.
struct port_pool::share {
  port_session* session;
  std::uint64_t from;  // the number of its first history in the run
  std::span<history const> asked;
  std::vector<result> results{};
  std::vector<breakdown> breakdowns{};
  std::optional<session_failure> failure{};

  void run() {
    try {
      session->run(asked, results);
    } catch (session_failure const& e) {
      failure = e;
    }
    breakdowns = session->take_breakdowns();
  }
};

port_pool::port_pool(shape const& s, std::vector<std::string> command, std::chrono::milliseconds timeout,
                     std::size_t jobs)
    : shape_(&s), command_(std::move(command)), timeout_(timeout), jobs_(jobs) {
  sessions_.push_back(std::make_unique<port_session>(*shape_, command_, timeout_));
}

void port_pool::expect(port_session::reason held_back, std::size_t breakdowns) {
  held_back_ = std::move(held_back);
  allowed_ = breakdowns;
  first().hold_back(held_back_);
  first().allow(allowed_);
}

void port_pool::count_in(std::atomic<std::uint64_t>& answered) noexcept {
  count_ = &answered;
  for (auto const& session : sessions_) session->count_in(answered);
}

// Side by side: some ports take a while to start.
void port_pool::start(std::size_t processes) {
  auto const& expected = describes();  // asked here: sessions_ grows while the last ones still start
  std::vector<std::future<std::unique_ptr<port_session>>> starting;
  for (auto k = sessions_.size(); k < processes; ++k)
    starting.push_back(std::async(in_a_thread_if_there_is_room, [this, &expected] {
      return std::make_unique<port_session>(*shape_, command_, timeout_, &expected);
    }));
  for (auto& started : starting) {
    auto const& session = sessions_.emplace_back(started.get());
    session->hold_back(held_back_);
    session->allow(allowed_);
    if (count_ != nullptr) session->count_in(*count_);
  }
}

// Whole batches, so that each carries what one process alone would have been sent.
std::vector<port_pool::share> port_pool::shares(std::span<history const> histories) {
  std::size_t const batch = describes().max_batch;
  std::size_t const batches = (histories.size() + batch - 1) / batch;
  std::size_t const jobs = std::min(jobs_, batches);
  start(jobs);
  std::vector<share> all;
  for (std::size_t k = 0, from = 0; from < histories.size(); ++k) {
    std::size_t const until = std::min(histories.size(), (k + 1) * batches / jobs * batch);
    sessions_[k]->resume(first_ + answered_ + from, breakdowns_.size() - forgiven_, answered_ != 0);
    if (until > from)
      all.push_back({sessions_[k].get(), first_ + answered_ + from, histories.subspan(from, until - from)});
    from = until;
  }
  return all;
}

std::vector<result> port_pool::probe(std::span<history const> histories) {
  if (histories.empty()) return {};
  share one{sessions_.front().get(), 0, histories};
  auto results = collect(std::span(&one, 1));
  if (failure_) throw session_failure(*failure_);
  first().restart_uncounted();
  return results;
}

void port_pool::resume(std::uint64_t answered, std::vector<breakdown> breakdowns) {
  answered_ += answered;
  std::ranges::move(breakdowns, std::back_inserter(breakdowns_));
}

std::vector<result> port_pool::run(std::span<history const> histories) {
  std::size_t const batch = describes().max_batch;
  if (answered_ == 0 && histories.size() > batch) {  // a port that answers nothing at all is found out once
    auto results = run(histories.first(batch));
    if (failure_ || results.size() < batch) return results;
    std::ranges::move(run(histories.subspan(batch)), std::back_inserter(results));
    return results;
  }
  auto all = shares(histories);
  for (auto const& part : all) part.session->enough_at(enough_);
  auto results = collect(all);
  for (auto const& session : sessions_) session->enough_at({});
  answered_ += results.size();
  return results;
}

std::vector<result> port_pool::collect(std::span<share> all) {
  std::vector<std::future<void>> others;
  for (std::size_t k = 1; k < all.size(); ++k)
    others.push_back(std::async(in_a_thread_if_there_is_room, [&part = all[k]] { part.run(); }));
  if (!all.empty()) all.front().run();
  for (auto& other : others) other.get();

  std::vector<result> results;
  for (auto& part : all) {
    for (auto& b : part.breakdowns) {
      breakdowns_.push_back(b);
      if (breakdowns_.size() - forgiven_ < allowed_) continue;
      failure_ =
          part.failure ? part.failure : port_session::too_many(b, allowed_);  // one process alone would have ended here
      bool const ended_it = part.failure && &b == &part.breakdowns.back();
      if (!ended_it)
        part.results.resize(b.index ? std::min<std::size_t>(*b.index - part.from + 1, part.results.size()) : 0);
      std::ranges::move(part.results, std::back_inserter(results));
      return results;
    }
    bool const whole = part.results.size() == part.asked.size();
    std::ranges::move(part.results, std::back_inserter(results));
    failure_ = part.failure;
    if (failure_ || !whole) break;
  }
  return results;
}

void port_pool::go_on(std::size_t counted) {
  forgiven_ = breakdowns_.size() - counted;
  failure_.reset();
  try {
    for (auto const& session : sessions_) session->restart_uncounted();
  } catch (session_failure const& e) {
    failure_ = e;
  }
}

std::vector<std::string> port_pool::stop() {
  std::vector<std::string> wrong;
  for (auto const& session : sessions_) {
    auto const how = session->stop();
    if (how && std::ranges::find(wrong, *how) == wrong.end()) wrong.push_back(*how);
  }
  return wrong;
}

}  // namespace backoff::transport
