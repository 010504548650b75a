#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace macaw::tosa {

template <class Signature>
class FunctionRef;

/// A function that its caller keeps: what takes one is compiled once, not once for each lambda that it is given.
template <class R, class... Arguments>
class FunctionRef<R(Arguments...)> {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Arguments...>)
  FunctionRef(F&& function)  // NOLINT(google-explicit-constructor): a lambda is passed as it stands
      : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* f, Arguments... arguments) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(f))(std::forward<Arguments>(arguments)...);
        }) {}

  R operator()(Arguments... arguments) const { return call_(function_, std::forward<Arguments>(arguments)...); }

 private:
  void* function_;
  R (*call_)(void*, Arguments...);
};

}  // namespace macaw::tosa
