// The library as a port: its handles, in surroundings where everything can be scripted and can fail.
#include <cstdlib>
#include <new>
#include <string>

#include "backoff.h"
#include "backoff/hosted/azure_c_retry_control_handle.hpp"
#include "ports/built_in.hpp"
#include "systems/azure_c_retry_control/ports/port.hpp"

namespace backoff::systems {
namespace {

namespace core = backoff::azure_c_retry_control;
using namespace retry_control;

class environment {
 public:
  using options = std::vector<std::pair<std::string, std::uint32_t>>;

  explicit environment(scripted& world) noexcept : world_(&world) {}

  void* allocate(std::size_t bytes) noexcept {
    if (world_->fails(fail_malloc)) return nullptr;
    ++world_->live;
    return std::malloc(bytes);
  }
  void release(void* memory) noexcept {
    --world_->live;
    std::free(memory);
  }
  std::int64_t get_time() noexcept { return world_->get_time(); }
  core::draw rand() noexcept { return {world_->rand(), 0xffff'ffff}; }
  options* option_create() noexcept {
    auto* const all = world_->fails(fail_option_create) ? nullptr : new (std::nothrow) options;
    if (all != nullptr) ++world_->live;
    return all;
  }
  // The second one fails, so that there is something to take back.
  bool option_add(options* to, char const* name, std::uint32_t value) noexcept {
    if (world_->fails(fail_option_add) && !to->empty()) return false;
    try {
      to->emplace_back(name, value);
    } catch (std::bad_alloc const&) {
      return false;
    }
    return true;
  }
  bool option_feed(options const* from, core::option_sink sink) noexcept {
    if (world_->fails(fail_option_feed)) return false;
    return std::ranges::all_of(*from, [&](auto const& option) { return sink(option.first.c_str(), option.second); });
  }
  void option_destroy(options* of) noexcept {
    --world_->live;
    delete of;
  }

 private:
  scripted* world_;
};

// What a history leaves undestroyed, the port destroys.
class library {
 public:
  explicit library(scripted& world) : world_(&world), environment_(world), api_(environment_) {}
  library(library const&) = delete;
  ~library() {
    if (handle_ != nullptr) api_.destroy(handle_);
  }

  bool create(model::policy which, std::uint32_t limit) {
    handle_ = api_.create(static_cast<core::policy>(which), limit);
    return handle_ != nullptr;
  }
  int should_retry(model::action& what) {
    auto out = core::action::stop_retrying;
    int const result = api_.should_retry(handle(), world_->is_null(null_action) ? nullptr : &out);
    what = static_cast<model::action>(out);
    return result;
  }
  void reset() { api_.reset(handle()); }
  int set_number(std::int64_t name, std::uint32_t value) {
    return api_.set_option(handle(), name_of(name), world_->is_null(null_value) ? nullptr : &value);
  }
  int set_saved(std::optional<std::uint32_t> wait, std::optional<std::uint32_t> jitter) {
    environment::options all;
    if (wait) all.emplace_back(core::initial_wait_time_in_secs_option, *wait);
    if (jitter) all.emplace_back(core::max_jitter_percent_option, *jitter);
    environment::options const* const value = world_->is_null(null_value) ? nullptr : &all;
    return api_.set_option(handle(), name_of(static_cast<std::int64_t>(model::option::retry_control_options)), value);
  }
  std::optional<options> retrieve() {
    auto* const all = api_.retrieve_options(handle());
    if (all == nullptr) return std::nullopt;
    options const result{all->at(0).second, all->at(1).second};
    environment_.option_destroy(all);
    return result;
  }
  void destroy() {
    api_.destroy(handle());
    if (!world_->is_null(null_handle)) handle_ = nullptr;
  }
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) {
    return api_.is_timeout_reached(start, secs, world_->is_null(null_out) ? nullptr : &out);
  }

 private:
  core::handle handle() { return world_->is_null(null_handle) ? nullptr : handle_; }
  char const* name_of(std::int64_t word) {
    return world_->is_null(null_name) ? nullptr : option_names()[static_cast<std::size_t>(word)].data();
  }

  scripted* world_;
  environment environment_;
  core::handle_api<environment> api_;
  core::handle handle_ = nullptr;
};

// The value of C; what the document says of memory, handles and NULL is not its.
class through_c {
 public:
  explicit through_c(scripted& world) : surroundings_{get_time, rand, &world, 0xffff'ffff} {}

  bool create(model::policy which, std::uint32_t limit) {
    return backoff_azure_c_retry_control_init(&state_, static_cast<std::int32_t>(which), limit) == BACKOFF_OK;
  }
  int should_retry(model::action& what) {
    std::int32_t action = 0;
    auto const status = backoff_azure_c_retry_control_should_retry(&state_, &surroundings_, &action);
    what = static_cast<model::action>(action);
    return status;
  }
  void reset() { backoff_azure_c_retry_control_reset(&state_); }
  int set_number(std::int64_t name, std::uint32_t value) {
    switch (static_cast<model::option>(name)) {
      case model::option::initial_wait_time_in_secs:
        return backoff_azure_c_retry_control_set_initial_wait_time_in_secs(&state_, value);
      case model::option::max_jitter_percent:
        return backoff_azure_c_retry_control_set_max_jitter_percent(&state_, value);
      default:
        return 1;  // no function for it
    }
  }
  int set_saved(std::optional<std::uint32_t> wait, std::optional<std::uint32_t> jitter) {
    auto const set = [this](model::option which, std::optional<std::uint32_t> value) {
      return value ? set_number(static_cast<std::int64_t>(which), *value) : 0;
    };
    int const failed = set(model::option::initial_wait_time_in_secs, wait);
    return failed != 0 ? failed : set(model::option::max_jitter_percent, jitter);
  }
  std::optional<options> retrieve() {
    return options{backoff_azure_c_retry_control_initial_wait_time_in_secs(&state_),
                   backoff_azure_c_retry_control_max_jitter_percent(&state_)};
  }
  void destroy() {}
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) {
    std::uint8_t timed_out = 0;
    auto const status = backoff_azure_c_retry_control_is_timeout_reached(start, secs, &surroundings_, &timed_out);
    out = timed_out != 0;
    return status;
  }

 private:
  static std::int64_t get_time(void* world) { return static_cast<scripted*>(world)->get_time(); }
  static std::uint32_t rand(void* world) { return static_cast<scripted*>(world)->rand(); }

  backoff_azure_c_retry_control state_;
  backoff_azure_c_retry_control_surroundings surroundings_;
};

}  // namespace

std::span<built_in const> azure_c_retry_control_library_ports() {
  static std::array const ports{built_in{"library", "the library, through the handles of the document", run<library>}};
  return ports;
}

std::span<built_in const> azure_c_retry_control_c_ports() {
  static std::array const ports{
      built_in{.name = "c",
               .sentence = "the library through its C interface, a value without handles",
               .run = run<through_c>,
               .lacks = bit(feature::nulls) | bit(feature::faults) | bit(feature::live)},
  };
  return ports;
}

}  // namespace backoff::systems
