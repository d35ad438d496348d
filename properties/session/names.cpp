#include "session/names.hpp"

namespace backoff::session {

std::string_view grade_name(grade g) {
  if (g == grade::exact) return "exact";
  return g == grade::membership ? "membership" : "distribution";
}

std::string strength_name(strength s) {
  if (s == strength::must) return "must";
  return s == strength::recommended ? "recommended" : "interface";
}

}  // namespace backoff::session
