#include "reports/print_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "session/exit_codes.hpp"

namespace backoff::reports {
namespace {

constexpr std::array forms{
    report_form{"human", to_short_text, nullptr},
    report_form{"json", [](report const& r, look const&, std::string&) { return to_json(r); }, failed_start_json},
    report_form{"markdown", [](report const& r, look const&, std::string&) { return to_markdown(r); }, nullptr}};

}  // namespace

std::span<report_form const> report_forms() noexcept { return forms; }

report_form const& form_named(std::string_view name) noexcept {
  return *std::ranges::find(forms, name, &report_form::name);
}

void print(report const& r, report_form const& form, bool quiet, look const& seen) {
  auto unwritten = r.unwritten;
  auto const text = quiet ? verdict_line(r, seen) : form.text(r, seen, unwritten);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!unwritten.empty()) throw usage_error(unwritten);
}

}  // namespace backoff::reports
