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

std::string_view claim_name(judged_system const& system, unsigned claim) {
  return claim == breach::no_answer ? no_answer_name : system.claims()[claim].name;
}

}  // namespace backoff::session
