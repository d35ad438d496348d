// The functions of fmt's shared library, for what must not need it: properties/CMakeLists.txt says what that is.
#include <fmt/format-inl.h>

// The header leaves these two to the library too.
template auto fmt::detail::thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
