#pragma once

namespace macaw::tosa::verify {

/// A visitor made of one function per alternative.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

}  // namespace macaw::tosa::verify
