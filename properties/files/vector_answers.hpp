// What was answered to vectors elsewhere, as a file: in lines (ID TAB answers) or in JSON Lines. A file that is empty,
// cut off, edited, out of order, of other vectors, or that has an id twice or not at all, is refused.
//
//   # HEADER of the vectors                       {"header":HEADER}
//   ID TAB retry,7 exhausted                      {"id":ID,"steps":[{"status":"retry","delay_ms":"7"},…]}
//   ID TAB rejected TAB why                       {"id":ID,"rejected":"why"}
//   # end COUNT CRC                               {"end":{"count":COUNT,"crc32":"CRC"}}
//
// In a line an answer is the values of its fields, in the order of the system's answers, a comma between; fields that
// count for nothing are left out, and - is an object that is null. Answers have a space between, and @N behind one is
// N times the same; an error is the last, and a tab and why may follow. CRC is the CRC-32 of all lines before it, each
// with one line feed. Checked by: properties/oracle/vectors_test.py.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/vectors.hpp"

namespace backoff::files {

// A result for each vector. One that the protocol does not allow is `broke`, and says why.
// Throws usage_error, naming the file, the line and what was expected there.
[[nodiscard]] std::vector<histories::result> read_answered(std::string const& path, vector_suite const& suite);

}  // namespace backoff::files
