#include "wide.hpp"

int main(int one, char**) {
  return wide_and_positive(one) && !wide_and_positive(-one) && !wide_and_negative(one) ? 0 : 1;
}
