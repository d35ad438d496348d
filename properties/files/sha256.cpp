#include "files/sha256.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <array>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "session/out_of_memory.hpp"

namespace backoff::files {
namespace {

void demand(int done) {
  if (done != 1) throw std::runtime_error("SHA-256 cannot be computed");
}

}  // namespace

void demand_memory_for_sha256() {
  static_cast<void>(CRYPTO_set_mem_functions(
      [](std::size_t size, char const*, int) { return demanded_malloc(size); },
      [](void* old, std::size_t size, char const*, int) { return demanded_realloc(old, size); },
      [](void* old, char const*, int) { std::free(old); }));
  // Without the configuration of the host: it is read with other memory, and may be anything.
  static_cast<void>(OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr));
}

sha256::sha256() { demand(context_ ? EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) : 0); }

void sha256::add(std::string_view text) { demand(EVP_DigestUpdate(context_.get(), text.data(), text.size())); }

std::string sha256::digest() const {
  sha256 const copy;
  demand(EVP_MD_CTX_copy_ex(copy.context_.get(), context_.get()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  demand(EVP_DigestFinal_ex(copy.context_.get(), bytes.data(), &size));
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

}  // namespace backoff::files
