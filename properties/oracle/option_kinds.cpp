#include "oracle/option_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "histories/text_parts.hpp"
#include "policies/expression.hpp"
#include "reports/text.hpp"

namespace backoff::oracle {
namespace {

// As wide as a terminal usually is.
constexpr std::size_t help_width = 80;

// I/N: part I of N.
bool is_shard(std::string const& text, shard& to) {
  auto const* const end = text.data() + text.size();
  auto const [slash, error] = std::from_chars(text.data(), end, to.number);
  if (error != std::errc{} || slash == end || *slash != '/') return false;
  auto const [last, error_of] = std::from_chars(slash + 1, end, to.of);
  return error_of == std::errc{} && last == end && shard::is_valid(to.number, to.of);
}

class fitting_help final : public CLI::Formatter {
 public:
  std::string make_help(CLI::App const* app, std::string name, CLI::AppFormatMode mode) const override {
    auto text = Formatter::make_help(app, std::move(name), mode);
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
    return text;
  }
  std::string make_usage(CLI::App const* app, std::string name) const override {
    auto text = Formatter::make_usage(app, std::move(name));
    bool const takes_port = app->get_option_no_throw("--library") != nullptr;
    auto const end = text.find_last_not_of('\n') + 1;
    if (takes_port) text.insert(end, " {-- PORT [ARG…]|--library LIB}");
    if (app->get_option_no_throw("--runs") != nullptr) text.insert(end, " -- PROGRAM [ARG…]");
    return text;
  }
  std::string make_option_opts(CLI::Option const* option) const override {
    auto const text = Formatter::make_option_opts(option);
    return text.substr(0, std::min({text.find(" Excludes:"), text.find(" Needs:"), text.find(" REQUIRED")}));
  }
  std::string make_option_desc(CLI::Option const* option) const override {
    return in_column(option->get_description());
  }
  std::string make_subcommand(CLI::App const* verb) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_name(), in_column(verb->get_description()), get_column_width());
    return out.str();
  }

 private:
  [[nodiscard]] std::string in_column(std::string const& text) const {
    return wrapped(text, 0, help_width - get_column_width());
  }
};

}  // namespace

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& text) -> std::string {
            std::uint64_t n = 0;
            auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
            if (error == std::errc{} && end == text.data() + text.size() && n >= low && n <= high) return {};
            return "'" + text + "': expected a whole number in [" + std::to_string(low) + ", " + std::to_string(high) +
                   "]";
          },
          ""};
}

CLI::Validator number(double low, double high, std::string const& expected) {
  return {[low, high, expected](std::string& text) -> std::string {
            char* end = nullptr;
            double const n = std::strtod(text.c_str(), &end);
            if (end != text.c_str() && *end == '\0' && n >= low && n <= high) return {};
            return "'" + text + "': expected " + expected;
          },
          ""};
}

CLI::Validator seconds() { return number(0.01, 86'400, "seconds in [0.01, 86400]"); }

CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](std::string& text) -> std::string {
            if (std::ranges::find(words, text) != words.end()) return {};
            return fmt::format("'{}': expected one of: {}{}", text, text_parts::comma_separated(words),
                               backoff::policies::nearest_name(text, words));
          },
          ""};
}

CLI::Validator path() {
  return {[](std::string& text) -> std::string { return text.empty() ? "'': expected the name of a file" : ""; }, ""};
}

CLI::Option* add_shard(CLI::App& verb, shard& to) {
  auto const parse = [&to](std::string const& text) {
    if (is_shard(text, to)) return;
    throw CLI::ValidationError("--shard", "'" + text + "': expected I/N with 1 <= I <= N <= 1000");
  };
  return verb
      .add_option_function<std::string>("--shard", parse, "Judge part I of N of the plan; `report` joins the parts")
      ->type_name("I/N");
}

CLI::Option* add_time(CLI::App& verb, std::string const& name, std::function<void(double)> to,
                      std::string const& about) {
  auto const parse = [name, to = std::move(to)](std::string const& text) {
    constexpr std::pair<std::string_view, double> units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 0.001}, {"s", 1},
                                                             {"min", 60},  {"h", 3'600}, {"", 1}};
    char* end = nullptr;
    double const n = std::strtod(text.c_str(), &end);
    auto const* const unit =
        std::ranges::find(units, std::string_view(end), &std::pair<std::string_view, double>::first);
    bool const is_time = end != text.c_str() && unit != std::end(units) && n >= 0;
    if (!is_time) throw CLI::ValidationError(name, "'" + text + "': expected a time such as 250ms, 30s, 5min or 2h");
    constexpr double longest = 1e9;
    if (!(n * unit->second <= longest))
      throw CLI::ValidationError(name, "'" + text + "': expected at most 1000000000s");
    to(n * unit->second);
  };
  return verb.add_option_function<std::string>(name, parse, about)->type_name("TIME");
}

CLI::Option* add_file(CLI::App& verb, std::string const& name, std::string& to, std::string const& about) {
  return verb.add_option(name, to, about)->check(path())->type_name("FILE");
}

void group(CLI::App& verb, char const* heading, std::initializer_list<char const*> names) {
  for (auto const* name : names) verb.get_option(name)->group(heading);
}

std::shared_ptr<CLI::Formatter> help_text() { return std::make_shared<fitting_help>(); }

}  // namespace backoff::oracle
