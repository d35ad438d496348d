#include "host/constant_text.hpp"

#include <link.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <span>

namespace backoff::host {
namespace {

constexpr std::size_t longest = 64;
constexpr std::size_t most = 10'000;

struct search {
  std::uintptr_t address;
  std::vector<std::string> found;
};

void add_texts(std::span<char const> memory, std::vector<std::string>& to) {
  std::string text;
  for (char const c : memory) {
    if (c == '\0' && !text.empty() && text.size() <= longest && to.size() < most) to.push_back(text);
    if (std::isprint(static_cast<unsigned char>(c)) != 0) {
      text.push_back(c);
    } else {
      text.clear();
    }
  }
}

int in_object(dl_phdr_info* object, std::size_t, void* data) {
  auto& s = *static_cast<search*>(data);
  std::span const parts(object->dlpi_phdr, object->dlpi_phnum);
  auto const begin = [&](ElfW(Phdr) const& part) { return object->dlpi_addr + part.p_vaddr; };
  if (std::ranges::none_of(parts, [&](auto const& part) {
        return part.p_type == PT_LOAD && s.address >= begin(part) && s.address < begin(part) + part.p_memsz;
      }))
    return 0;
  for (auto const& part : parts) {
    bool const constant = (part.p_flags & PF_R) != 0 && (part.p_flags & PF_W) == 0;
    if (part.p_type == PT_LOAD && constant)
      add_texts({reinterpret_cast<char const*>(begin(part)), part.p_filesz}, s.found);
  }
  return 1;
}

}  // namespace

std::vector<std::string> constant_texts(void const* function) {
  search s{reinterpret_cast<std::uintptr_t>(function), {}};
  dl_iterate_phdr(in_object, &s);
  std::ranges::sort(s.found);
  auto const [first, last] = std::ranges::unique(s.found);
  s.found.erase(first, last);
  return s.found;
}

}  // namespace backoff::host
