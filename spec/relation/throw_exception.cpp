// What Boost calls instead of throwing, because the model is compiled without exceptions. Nothing in the model's domain
// gets here: divisors are positive and numbers bounded.
#include <boost/assert/source_location.hpp>
#include <cstdlib>
#include <exception>

namespace boost {

[[noreturn]] void throw_exception(std::exception const&) { std::abort(); }
[[noreturn]] void throw_exception(std::exception const&, source_location const&) { std::abort(); }

}  // namespace boost
