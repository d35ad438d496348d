#include "waits/failure_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "explain/delay_cycles.hpp"
#include "explain/documented.hpp"
#include "histories/text.hpp"
#include "session/exit_codes.hpp"

namespace backoff::waits {
namespace {

using kind = watch::failure::kind;

constexpr std::string_view unset = "unset";

std::span<field const> arguments_of(shape const& s) { return s.operations[0].args; }

bool is_about_status(field const& f) {
  return explain::is_number(f) && (f.name == "status" || f.name == "http_status");
}

std::string word_of(watch::failure const& f) {
  if (f.what == kind::status) return "status";
  return f.what == kind::bytes ? "close" : watch::text_of(f);
}

std::optional<value> word(field const& f, std::string_view text) {
  auto const at = std::ranges::find(f.words, text);
  return at == f.words.end() ? std::nullopt : std::optional(value::word(at - f.words.begin()));
}

bool is_error(field const& f) {
  return f.name == "error" && std::ranges::any_of(f.words, [](std::string_view w) {
           return w == "status" || w == "close" || w == "reset" || w == "hang";
         });
}

bool is_method(field const& f) { return f.name == "method" && f.kind == field_kind::keyword; }

bool is_about_header(field const& f) { return f.name.starts_with("retry_after"); }

bool is_filled(field const& f) { return is_about_status(f) || is_error(f) || is_method(f) || is_about_header(f); }

std::string in_lower_case(std::string_view text) {
  std::string all(text);
  for (auto& c : all) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

}  // namespace

bool failure_arguments::is_about(shape const& of, std::string_view text) {
  auto const name = text.substr(0, text.find('='));
  return !of.find_param(name) && std::ranges::any_of(arguments_of(of), [&](field const& f) {
    return f.kind != field_kind::draw && f.name == name;
  });
}

failure_arguments::failure_arguments(judged_system const& of, watch::script failures,
                                     std::span<std::string const> given)
    : of_(&of.shape()), failures_(std::move(failures)), given_(arguments_of(*of_).size()) {
  auto const all = arguments_of(*of_);
  auto const takes = documented_domain(*of_, hidden);
  for (std::string_view const text : given) give(text, takes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& f = all[i];
    bool const is_known = f.kind == field_kind::draw || !takes.takes(f) || !explain::is_declared(of);
    if (!is_filled(f) && !is_known && given_[i].kind == value_kind::absent) {
      throw session::usage_error(
          fmt::format("no failure sets the argument '{0}' of {1}: expected --param {0}=VALUE", f.name, of_->stem));
    }
    if (is_method(f) && !failures_.is_http())
      throw session::usage_error(fmt::format(
          "--fail: the argument '{}' of {} needs a request: expected a status among the failures", f.name, of_->stem));
    for (auto const& each : failures_.failures) demand_value(i, each, takes);
  }
}

void failure_arguments::give(std::string_view text, domain const& takes) {
  auto const all = arguments_of(*of_);
  auto const equals = text.find('=');
  auto const at = std::ranges::find(all, text.substr(0, equals), &field::name);
  auto const i = static_cast<std::size_t>(at - all.begin());
  if (is_filled(*at))
    throw session::usage_error(fmt::format("--param {}: each failure gives its own {}", text, at->name));
  if (equals == std::string_view::npos)
    throw session::usage_error(fmt::format("--param {}: expected NAME=VALUE", text));
  if (given_[i].kind != value_kind::absent)
    throw session::usage_error(fmt::format("--param {} is given twice", at->name));
  try {
    given_[i] = parse_value(*at, takes.args[0][i], text.substr(equals + 1));
  } catch (text_error const& e) {
    throw session::usage_error(fmt::format("--param {}: {}", text, e.what()));
  }
}

void failure_arguments::demand_value(std::size_t argument, watch::failure const& f, domain const& takes) const {
  auto const& of = arguments_of(*of_)[argument];
  auto const v = value_for(argument, f);
  bool const is_header = is_about_header(of) && v.kind != value_kind::absent;
  if (f.is_success() || !(is_about_status(of) || is_error(of) || is_header)) return;
  if (v.kind != value_kind::absent && takes.args[0][argument].admits(v)) return;
  auto const option =
      is_header ? fmt::format("--retry-after {}", failures_.retry_after_s.value_or(0)) : "--fail " + watch::text_of(f);
  throw session::usage_error(
      fmt::format("{}: the argument '{}' of {} has no value for it", option, of.name, of_->stem));
}

std::span<std::string_view const> failure_arguments::methods() const {
  auto const at = std::ranges::find_if(arguments_of(*of_), is_method);
  return at == arguments_of(*of_).end() ? std::span<std::string_view const>() : at->words;
}

value failure_arguments::value_for(std::size_t argument, watch::failure const& f) const {
  auto const& of = arguments_of(*of_)[argument];
  auto const in_units = [&](double n) { return of.number(std::llround(n * std::pow(10, of.scale))); };
  if (is_about_status(of)) return f.what == kind::status ? in_units(f.number) : word(of, unset).value_or(in_units(0));
  if (is_error(of)) return word(of, word_of(f)).value_or(value{});
  if (!is_about_header(of)) return given_[argument];
  if (!failures_.retry_after_s || f.what != kind::status) return {};
  auto const power = explain::unit_of(of.name).value_or(explain::unit_of(*of_));
  return in_units(*failures_.retry_after_s * std::pow(10, -power));
}

bool failure_arguments::write_to(history& h, std::size_t before, std::size_t first, std::string_view method) const {
  auto const all = arguments_of(*of_);
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    if (h.steps[i].op != 0) continue;
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (is_method(all[a])) {
        auto const named = word(all[a], in_lower_case(method));
        if (!named) return false;
        h.steps[i].args[a] = *named;
        continue;
      }
      // A document's request has the status that it gets itself, and not that of the one before.
      auto const behind = all[a].name == "http_status" ? 0 : before;
      if (i < behind) continue;
      auto const v = value_for(a, failure_at(first + i - behind));
      if (v.kind != value_kind::absent || is_about_header(all[a])) h.steps[i].args[a] = v;
    }
  }
  return true;
}

}  // namespace backoff::waits
