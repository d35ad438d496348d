#include "window.hpp"

int main(int one, char**) {
  bool const yes = one == 1;
  bool const hots = opens(yes, !yes, yes) && !opens(yes, !yes, !yes);
  return hots && !opens(!yes, yes, !yes) && !opens(!yes, !yes, yes) ? 0 : 1;
}
