// How the port maps given draws to delays, as its answers to probes show. Probes are judged before the first history,
// and what they settle restricts the readings that are left. Checked by: properties/judge/draw_mapping_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "judge/readings_left.hpp"

namespace backoff::judge {

// exactly: by a mapping that is listed in the document's readings, apart from faults at some draws. nearly: within what
// the alternative `near` forgives. otherwise: in another way. Draws that are not mapped exactly count as hidden draws.
enum class mapped : std::uint8_t { exactly, nearly, otherwise };

// How the port maps draws by that reading, one of spec::draw_mappings. Returns `exactly` if the document has no such
// reading.
[[nodiscard]] mapped mapping_of(terms const& held_to, readings_left const& left, std::string_view reading);
// The least exact of the port's mappings by all readings of spec::draw_mappings. Returns `exactly` if the port makes
// its own draws.
[[nodiscard]] mapped mapping_of(terms const& held_to, readings_left const& left);

// The readings that are left once the subject has answered the probes of the system's draw mapping.
[[nodiscard]] readings_left settled_by_probes(terms const& held_to, examiner& with, readings_left left,
                                              std::span<history const> probes, std::span<result const> results);

}  // namespace backoff::judge
