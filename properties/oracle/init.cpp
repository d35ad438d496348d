// The verb init: writes a policy and an adapter that conforms to it, from the sentence that a client documents.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "files/output_file.hpp"
#include "helpers.hpp"
#include "histories/present.hpp"
#include "oracle/init_answers.hpp"
#include "oracle/init_languages.hpp"
#include "oracle/verbs.hpp"
#include "reports/replay_line.hpp"

namespace backoff::oracle {
namespace {

constexpr std::array languages{
    init_language{"python", "NAME_port.py", "", "python3 NAME_port.py", helpers::python_form, helpers::python_helper,
                  helpers::python_text},
    init_language{"javascript", "NAME_port.cjs", "", "node NAME_port.cjs", helpers::javascript_form,
                  helpers::javascript_helper, helpers::javascript_text},
    init_language{"go", "NAME_port.go", "go build -o NAME_port NAME_port.go backoffport.go", "./NAME_port",
                  helpers::go_form, helpers::go_helper, helpers::go_text},
    init_language{"java", "TITLEPort.java", "javac -d out BackoffPort.java TITLEPort.java", "java -cp out TITLEPort",
                  helpers::java_form, helpers::java_helper, helpers::java_text},
    init_language{"rust", "NAME_port.rs", "rustc --edition 2021 -O NAME_port.rs", "./NAME_port", helpers::rust_form,
                  helpers::rust_helper, helpers::rust_text},
    init_language{"c", "NAME_port.c", "cc -std=c99 -O2 -o NAME_port NAME_port.c -lm", "./NAME_port", helpers::c_form,
                  helpers::c_helper, helpers::c_text},
    init_language{"cpp", "NAME_port.cpp", "c++ -std=c++20 -O2 -o NAME_port NAME_port.cpp", "./NAME_port",
                  helpers::cpp_form, helpers::cpp_helper, helpers::cpp_text}};

struct question {
  std::string_view flag;
  std::optional<std::string> init_options::* answer;
  void (*read)(init_answers&, std::string const&);
  std::string_view asked;  // of a person; empty: not asked
  std::string_view usual;  // where nothing is answered; empty: there is nothing to read then
};

// In the order in which they are read.
constexpr std::array questions{
    question{"NAME", &init_options::name, read_name, "Name of the policy", "my_policy"},
    question{"--language", &init_options::language, read_language,
             "Language: python, javascript, go, java, rust, c or cpp", "python"},
    question{"--unit", &init_options::unit, read_unit, "", ""},
    question{"--base", &init_options::base, read_base, "First delay, in the unit of your code, such as 100ms or 1.5s",
             "1000ms"},
    question{"--jitter", &init_options::jitter, read_jitter,
             "Jitter: none, full, equal, decorrelated, or such as 20% or +100ms", "none"},
    question{"--factor", &init_options::factor, read_factor, "Growth: a factor, constant or linear", "2"},
    question{"--cap", &init_options::cap, read_cap, "Longest delay, or none", "none"},
    question{"--retries", &init_options::retries, read_retries, "Retries, without the first try, or forever",
             "forever"},
    question{"--draws", &init_options::draws, read_draws, "", "hidden"}};

// Until the answer can be read.
void ask(question const& q, std::string_view usual, init_answers& to) {
  for (;;) {
    fmt::print(stderr, "{} [{}]: ", q.asked, usual);
    std::string text;
    if (!std::getline(std::cin, text)) throw usage_error("no answer: nothing is written");
    try {
      q.read(to, text.empty() ? std::string(usual) : text);
      return;
    } catch (usage_error const& why) {
      fmt::print(stderr, "  {}\n", why.what());
    }
  }
}

init_answers answers_of(init_options const& options) {
  bool const asks = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
  init_answers found;
  for (auto const& q : questions) {
    auto const& flag = options.*q.answer;
    // As decorrelated jitter was published.
    bool const decorrelated = q.read == read_factor && found.jittered == jitter::decorrelated;
    auto const usual = decorrelated ? "3" : q.usual;
    if (asks && !flag && !q.asked.empty()) {
      ask(q, usual, found);
    } else if (flag || !usual.empty()) {
      try {
        q.read(found, flag.value_or(std::string(usual)));
      } catch (usage_error const& why) {
        throw usage_error(fmt::format("{}: {}", q.flag, why.what()));
      }
    }
  }
  return found;
}

std::string named(std::string_view form, init_answers const& of) {
  std::string text(form);
  for (auto const& [word, instead] : {std::pair<std::string_view, std::string>{"NAME", of.name},
                                      std::pair<std::string_view, std::string>{"TITLE", in_capitals(of.name)}}) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + instead.size()))
      text.replace(at, word.size(), instead);
  }
  return text;
}

struct file {
  std::string path;
  std::string text;
  bool may_be_there = false;  // with the same text
};

bool is_there(file const& f) {
  struct stat there{};
  if (::lstat(f.path.c_str(), &there) != 0) return false;
  std::ostringstream text;
  if (f.may_be_there) text << std::ifstream(f.path).rdbuf();
  if (f.may_be_there && text.str() == f.text) return true;
  throw usage_error("'" + f.path + "' exists: remove it, choose another NAME, or work in another folder");
}

// All of them or none; files that are there stay as they are.
void write_all(std::vector<file> const& all) {
  std::vector<files::output_file> begun;
  for (auto const& each : all) {
    if (!is_there(each)) begun.push_back(present(files::begun_file(each.path, each.text)));
  }
  for (auto& each : begun) each.commit();
}

}  // namespace

std::span<init_language const> init_languages() { return languages; }

exit_code init(init_options const& options) {
  auto const answers = answers_of(options);
  auto const& language = *std::ranges::find(languages, answers.language, &init_language::name);
  file const policy{answers.name + ".yaml", policy_text(answers)};
  file const adapter{named(language.adapter, answers), adapter_text(answers, std::string(language.form))};
  file helper{std::string(language.helper), std::string(language.helper_text), true};
  if (language.name == "go") {  // which has one package in a folder
    constexpr std::string_view package = "package backoffport\n";
    helper.text.replace(helper.text.find(std::string("\n").append(package)) + 1, package.size(), "package main\n");
  }
  write_all({policy, adapter, helper});
  auto const width = std::max({policy.path.size(), adapter.path.size(), helper.path.size()});
  fmt::print("{}: {}\n\n", answers.name, sentence_of(answers));
  fmt::print("  {:{}}  your sentence as formulas\n", policy.path, width);
  fmt::print("  {:{}}  the adapter, which conforms: put your code where it says YOUR CODE\n", adapter.path, width);
  fmt::print("  {:{}}  the helper that speaks with the oracle\n\n", helper.path, width);
  fmt::print("Compare the delays with your sentence, then test the adapter:\n\n");
  auto const program = reports::quoted(options.program);
  fmt::print("  {} eval {} steps=next@4\n", program, policy.path);
  if (!language.build.empty()) fmt::print("  {}\n", named(language.build, answers));
  fmt::print("  {} check {} -- {}\n", program, policy.path, named(language.port, answers));
  return conforms;
}

}  // namespace backoff::oracle
