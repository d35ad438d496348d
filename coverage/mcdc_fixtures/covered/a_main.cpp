#include "shapes.hpp"

int signs_below(int one);

int main(int one, char**) {
  bool const insides = inside(one, 0, 2) && !inside(one, 2, 3) && !inside(one, 0, 0);
  bool const maxima = larger(one, 0) == 1 && larger(one, 2) == 2 && smaller(one, 2) == 1;
  bool const sizes = bytes(one) == 4 && bytes(one - 1) == 0 && bytes(short(one)) == 2;
  return insides && maxima && sizes && sign(one) == 1 && signs_below(one) == -1 && Point{one, 2} == Point{1, 2} ? 0 : 1;
}
