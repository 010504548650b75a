#pragma once
#include <catch2/catch.hpp>

#include <macaw/error.hpp>

#include <utility>

namespace macaw::test {

/// The value; the test fails with the error's text if there is none.
template <class T>
T checked(Result<T> result) {
  if (!result) FAIL(result.error().to_string());
  return std::move(*result);
}

}  // namespace macaw::test
