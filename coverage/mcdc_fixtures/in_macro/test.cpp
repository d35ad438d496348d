#include "both.hpp"

int main(int one, char**) {
  bool const yes = one == 1;
  return positive(one, one) && !positive(-one, one) && mixed(one, yes) && !mixed(one, !yes) &&
                 mixed_here(6 * one, yes) && !mixed_here(one, !yes)
             ? 0
             : 1;
}
