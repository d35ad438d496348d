// What Boost calls instead of throwing, because the model is compiled without exceptions. Nothing in the model's domain
// gets here: divisors are positive and numbers bounded.
#include <boost/throw_exception.hpp>
#include <cstdlib>
#include <exception>

namespace boost {

void throw_exception(std::exception const&) { std::abort(); }
void throw_exception(std::exception const&, source_location const&) { std::abort(); }

}  // namespace boost
