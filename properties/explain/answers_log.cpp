#include "explain/answers_log.hpp"

#include "explain/documented.hpp"

namespace backoff::explain {

namespace {

constexpr std::size_t values_max = std::size_t{1} << 23;  // 64 MiB

}  // namespace

void answers_log::add(result const& r) {
  if (ends_.empty()) values_.reserve(values_max);  // takes no memory until it is used; growth would copy what is kept
  bool const answered = r.kind == result_kind::answered;
  if (values_.size() + r.answers.size() * fields_ > values_max) whole_ = false;
  if (!whole_) return;
  for (auto const& a : r.answers) {
    for (std::size_t i = 0; i < fields_ && answered; ++i) values_.push_back(encoded(a[i]));
  }
  ends_.push_back(values_.size());
  is_answer_.push_back(answered);
}

std::vector<answer> answers_log::at(std::size_t index) const {
  std::vector<answer> all;
  for (auto at = index == 0 ? 0 : ends_[index - 1]; at < ends_[index]; at += fields_) {
    auto& a = all.emplace_back();
    for (std::size_t i = 0; i < fields_; ++i) {
      auto const x = values_[at + i];
      if (x == no_number) a[i] = {observed_kind::not_a_number, 0, {}};
      if (x == absent || x == no_number) continue;
      a[i] = shape_->answers[i].words.empty() ? real(x) : observed::word(static_cast<std::uint8_t>(x));
    }
  }
  return all;
}

bool answers_log::has(std::size_t index, std::span<answer const> answers) const noexcept {
  std::size_t at = index == 0 ? 0 : ends_[index - 1];
  if (ends_[index] - at != answers.size() * fields_) return false;
  for (auto const& a : answers) {
    for (std::size_t i = 0; i < fields_; ++i) {
      if (!alike(values_[at++], encoded(a[i]))) return false;
    }
  }
  return true;
}

}  // namespace backoff::explain
