// What is probably wrong in a port of retry control. The first that explains a port is told.
#include "systems/azure_c_retry_control/diagnoses_change.hpp"

namespace backoff::systems {

std::vector<diagnosis> azure_c_retry_control_diagnoses() {
  azure_c_diagnoses::changes all;
  azure_c_diagnoses::add_waits(all);
  azure_c_diagnoses::add_times(all);
  azure_c_diagnoses::add_options(all);
  azure_c_diagnoses::add_calls(all);
  return std::move(all).all();
}

}  // namespace backoff::systems
