// Retries in an event loop, here libuv's: the same policies, and nothing sleeps. A failure asks what next, and a timer
// is set.
#include <uv.h>

#include <backoff/hosted/policies.hpp>
#include <cstdio>
#include <random>

namespace {

class request {
 public:
  explicit request(uv_loop_t* loop) : loop_(loop), began_(uv_now(loop)) {
    uv_timer_init(loop, &timer_);
    timer_.data = this;
  }

  void send() {
    bool const answered = ++tries_ == 4;  // stands for a request whose answer comes later
    if (answered) {
      std::printf("answered at try %d\n", tries_);
    } else {
      failed();
    }
  }
  [[nodiscard]] int tries() const { return tries_; }

 private:
  void failed() {
    auto const elapsed = std::chrono::milliseconds(uv_now(loop_) - began_);
    auto const next = backoff::what_next(policy_, std::chrono::seconds(10), elapsed, random_);
    auto const wait = std::chrono::ceil<std::chrono::milliseconds>(next.wait).count();
    switch (next.advice) {
      case backoff::advice::try_again:
        std::printf("again in %d ms\n", static_cast<int>(wait));
        uv_timer_start(&timer_, [](uv_timer_t* t) { of(t).send(); }, static_cast<std::uint64_t>(wait), 0);
        return;
      case backoff::advice::ask_again:
        uv_timer_start(&timer_, [](uv_timer_t* t) { of(t).failed(); }, static_cast<std::uint64_t>(wait), 0);
        return;
      case backoff::advice::give_up:
      case backoff::advice::out_of_time:
        std::puts("no answer");
        return;
    }
  }
  static request& of(uv_timer_t* t) { return *static_cast<request*>(t->data); }

  uv_loop_t* loop_;
  std::uint64_t began_;
  uv_timer_t timer_{};
  int tries_ = 0;
  std::mt19937 random_{std::random_device{}()};
  backoff::policies::aws_backoff_algorithm policy_{std::chrono::milliseconds(10), std::chrono::seconds(1),
                                                   backoff::aws_backoff_algorithm::attempt_limit::of(5)};
};

}  // namespace

int main() {
  uv_loop_t* const loop = uv_default_loop();
  request one(loop);
  one.send();
  uv_run(loop, UV_RUN_DEFAULT);
  return one.tries() == 4 ? 0 : 1;
}
