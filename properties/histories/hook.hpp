// What a shape calls: a function, or a member function of an object that outlives the hook. A hook owns nothing, so a
// shape whose hooks are all functions is a constant. Checked by: properties/histories/generate_test.cpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

namespace backoff::histories {

template <class Signature>
class hook;

template <class R, class... Args>
class hook<R(Args...)> {
 public:
  constexpr hook() noexcept = default;
  constexpr hook(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as of std::function
  template <std::convertible_to<R (*)(Args...)> F>
  constexpr hook(F f) noexcept : plain_(f) {}  // NOLINT(google-explicit-constructor): as of std::function

  // Calls (object.*Member)(args...); the object must outlive the hook.
  template <auto Member, class T>
  [[nodiscard]] static constexpr hook of(T const& object) {
    hook h;
    h.object_ = &object;
    h.bound_ = [](void const* on, Args... args) -> R {
      return (static_cast<T const*>(on)->*Member)(std::forward<Args>(args)...);
    };
    return h;
  }

  // The hook must not be empty.
  constexpr R operator()(Args... args) const {
    return plain_ != nullptr ? plain_(std::forward<Args>(args)...) : bound_(object_, std::forward<Args>(args)...);
  }

  [[nodiscard]] friend constexpr bool operator==(hook const& h, std::nullptr_t) noexcept {
    return h.plain_ == nullptr && h.bound_ == nullptr;
  }

 private:
  R (*plain_)(Args...) = nullptr;
  R (*bound_)(void const*, Args...) = nullptr;
  void const* object_ = nullptr;
};

}  // namespace backoff::histories
