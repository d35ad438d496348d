#include "policies/policy.hpp"

#include <algorithm>
#include <functional>

#include "histories/printable.hpp"

namespace backoff::policies {
namespace {

bool any_formula(policy const& p, std::function<bool(expression const&)> const& is) {
  auto const holds = [&](formula const& f) { return is(f.tree); };
  return std::ranges::any_of(p.delay, holds) || std::ranges::any_of(p.first, holds);
}

}  // namespace

bool policy::depends_on_call(expression const& e) const noexcept {
  auto const of_call = ((std::uint32_t{1} << n()) - 1) & ~((std::uint32_t{1} << parameters.size()) - 1);
  return (e.names & of_call) != 0;
}
bool policy::stays(expression const& e) const { return !e.draws && (e.names >> parameters.size()) == 0; }
bool policy::draws() const {
  return any_formula(*this, [](expression const& e) { return e.draws; });
}
bool policy::draws_whole() const {
  return any_formula(*this, [](expression const& e) { return e.draws_whole; });
}
bool policy::draws_real() const {
  return any_formula(*this, [](expression const& e) { return e.draws && !e.draws_whole; });
}
bool policy::draws_several() const { return any_formula(*this, policies::draws_several); }
bool policy::delays_use(unsigned which) const {
  auto const uses = [&](expression const& e) { return e.uses(which); };
  return any_formula(*this, uses) || std::ranges::any_of(window, uses, &formula::tree);
}
bool policy::any_uses(unsigned which) const {
  auto const uses = [&](formula const& f) { return f.tree.uses(which); };
  return delays_use(which) || std::ranges::any_of(going_on, uses);
}
bool policy::depends_on_delays() const { return uses_previous() || delays_use(elapsed()); }

std::optional<std::size_t> policy::limit_parameter() const noexcept {
  if (attempts.size() != 1 || attempts.front().tree.op != operation::name) return std::nullopt;
  auto const which = attempts.front().tree.name;
  return which < parameters.size() ? std::optional<std::size_t>(which) : std::nullopt;
}

bool policy::only_limits(std::size_t parameter) const noexcept {
  auto const uses = [&](formula const& f) { return f.tree.uses(static_cast<unsigned>(parameter)); };
  auto const any_uses = [&](std::vector<formula> const& all) { return std::ranges::any_of(all, uses); };
  return any_uses(attempts) && !any_uses(window) && !any_uses(delay) && !any_uses(first) && !any_uses(going_on);
}

bool policy::may_be_endless() const {
  std::function<bool(expression const&)> const may_be = [&](expression const& e) {
    if (e.op == operation::name) return named_by(e.name).may_be_forever;
    return e.op == operation::number ? e.number == endless() : std::ranges::any_of(e.of, may_be);
  };
  return attempts.empty() || std::ranges::any_of(attempts, may_be, &formula::tree);
}

spec::rational parameter::units() const {
  spec::rational all = 1;
  for (unsigned k = 0; k < scale; ++k) all *= 10;
  return all;
}

std::vector<std::string_view> parameter::words() const {
  std::vector<std::string_view> all(choices.begin(), choices.end());
  if (may_be_forever) all.emplace_back("forever");
  if (may_be_unset) all.insert(is_unset_by_default ? all.begin() : all.end(), "unset");
  return all;
}

std::string located(std::string const& file, place at, std::string_view what) {
  std::string text = file;
  if (at.line != 0) text += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return text.append(": ").append(histories::printable(what));
}

}  // namespace backoff::policies
