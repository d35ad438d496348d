// Test vectors for ports that cannot be driven: the histories of a small plan, each with an id of its own, what it is
// about, and what the document admits under each of its readings; properties/protocol/vectors.schema.json. The
// header alone decides every byte of them. Checked by: properties/oracle/vectors_test.py; and
// properties/certify/backoff-certify recomputes what they admit.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judged_system.hpp"
#include "judge/plan.hpp"
#include "judge/subject.hpp"

namespace backoff::files {

// What vectors are made of.
struct vectors_header {
  std::string system;
  std::string takes;  // a start reply: what the port takes, and how it draws
  std::uint64_t seed = 1;
  std::uint64_t count = 0;      // of the plan: probes of the draw mapping, and what rare claims need, come on top
  std::uint64_t calls_max = 0;  // longer ones are left out
  std::string version = BACKOFF_VERSION;  // of the program that makes or made them
};

// Those of a header, in their order: probes of the draw mapping, the histories of a plan, and those further ones that
// it takes for every claim to be at stake a few times.
class vector_suite {
 public:
  // Throws usage_error: an unknown system, or a description that the protocol does not allow.
  // tried: counts the histories of the plan, while they are looked at.
  explicit vector_suite(vectors_header header, std::atomic<std::uint64_t>* tried = nullptr);
  vector_suite(vector_suite const&) = delete;
  vector_suite& operator=(vector_suite const&) = delete;

  // What answered them, where no description says so.
  void name_the_port(std::string const& name);

  [[nodiscard]] vectors_header const& header() const noexcept { return header_; }
  [[nodiscard]] nlohmann::ordered_json header_json() const;
  [[nodiscard]] judge::judged_system const& system() const noexcept { return *system_; }
  [[nodiscard]] judge::capabilities const& about() const { return about_; }

  struct vector {
    std::string id;  // of the history itself, so that it outlives generators and versions
    histories::history asked;
    bool is_sample;              // its draws are hidden, and count for their distribution
    judge::claim_mask at_stake;  // claims, when it is answered right
  };
  [[nodiscard]] std::vector<vector> const& all() const noexcept { return all_; }
  [[nodiscard]] std::size_t probes() const noexcept { return probes_; }

  // The file in one of these formats, piece by piece. json: all of it; lines: ID TAB replay token, for a port that
  // reads no JSON.
  void write(std::string_view format, std::function<void(std::string_view)> const& to) const;

 private:
  // All of a plan, or those alone that put at stake a claim that few so far do.
  void add(judge::plan histories, bool rare_only);
  void add(histories::history const& h, bool is_sample, bool rare_only);
  [[nodiscard]] std::string vector_json(vector const& v) const;

  vectors_header header_;
  std::atomic<std::uint64_t>* tried_;
  judge::judged_system const* system_;
  judge::capabilities about_;
  bool described_ = true;
  std::vector<vector> all_;
  std::size_t probes_ = 0;
  std::map<std::string, unsigned> ids_;
  std::vector<std::uint64_t> at_stake_;  // by claim, how many
  spec::cube explains_;                  // the simplest of those admitted
  std::vector<spec::cube> admitted_;
};

}  // namespace backoff::files
