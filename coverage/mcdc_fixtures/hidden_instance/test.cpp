#include "range.hpp"

int main(int one, char**) {
  auto const small = short(one);
  bool const shorts = in_range(small) && !in_range(short(-small)) && !in_range(short(10 * small));
  return shorts && in_range(one) && !in_range(-one) ? 0 : 1;
}
