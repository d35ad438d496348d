#include "host/imported.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace backoff::host {

bool imports(void const* function, std::string_view name) noexcept {
  Dl_info info{};
  void* found = nullptr;
  if (function == nullptr || dladdr1(function, &info, &found, RTLD_DL_LINKMAP) == 0) return false;
  auto const& library = *static_cast<link_map const*>(found);
  char const* names = nullptr;
  ElfW(Sym) const* symbols = nullptr;
  std::uint32_t const* table = nullptr;
  for (auto const* d = library.l_ld; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_STRTAB) names = reinterpret_cast<char const*>(d->d_un.d_ptr);
    if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<ElfW(Sym) const*>(d->d_un.d_ptr);
    if (d->d_tag == DT_GNU_HASH || d->d_tag == DT_HASH) table = reinterpret_cast<std::uint32_t const*>(d->d_un.d_ptr);
  }
  if (names == nullptr || symbols == nullptr || table == nullptr) return false;
  // The second word counts all symbols, or those before the first that the table has: they are not defined.
  return std::ranges::any_of(std::span(symbols, table[1]), [&](auto const& symbol) {
    return symbol.st_shndx == SHN_UNDEF && name == names + symbol.st_name;
  });
}

}  // namespace backoff::host
