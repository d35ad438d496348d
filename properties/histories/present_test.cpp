// A value that must be there is given as it is, and one that is not there throws.
#include "histories/present.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace backoff::histories {
namespace {

TEST(present, gives_the_value_that_is_there) {
  std::optional<int> number = 3;
  present(number) = 4;
  EXPECT_EQ(&present(number), &*number);
  EXPECT_EQ(present(std::as_const(number)), 4);
  EXPECT_EQ(*present(std::optional(std::make_unique<int>(5))), 5);
}

TEST(present, throws_where_no_value_is) {
  std::optional<int> nothing;
  EXPECT_THROW(static_cast<void>(present(nothing)), std::logic_error);
  EXPECT_THROW(static_cast<void>(present(std::as_const(nothing))), std::logic_error);
  EXPECT_THROW(static_cast<void>(present(std::optional<int>())), std::logic_error);
}

}  // namespace
}  // namespace backoff::histories
