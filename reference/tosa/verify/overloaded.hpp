#pragma once

namespace macaw::tosa::verify {

/// A visitor made of one function per alternative.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
// clang-16 deduces the types of an aggregate by a guide alone.
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace macaw::tosa::verify
