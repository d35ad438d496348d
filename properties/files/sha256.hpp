// SHA-256, so that a results file can be held to what was written. Checked by: properties/oracle/results_test.py,
// against Python's.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace backoff::files {

// From now on the cryptographic library ends where memory does (session/out_of_memory.hpp); OpenSSL 3.0 can hang there.
// Call before anything else of it.
void demand_memory_for_sha256();

// Throws std::runtime_error where the cryptographic library refuses.
class sha256 {
 public:
  sha256();
  void add(std::string_view text);
  // Of all that was added, in hexadecimal; more may be added after it.
  [[nodiscard]] std::string digest() const;

 private:
  struct freed {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, freed> context_{EVP_MD_CTX_new()};
};

}  // namespace backoff::files
