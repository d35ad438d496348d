// Port protocol 1 for a port in C++20. You write one function, which makes an instance; see example_port.cpp. It takes the
// parameters and returns a function that answers one step. Numbers arrive as text, exactly as the oracle sent them; as<T>() converts
// them to your T. Numbers in your answers leave as text: none is rounded, and NaN is an answer. Do not catch the port's exceptions:
// an exception is an answer too. Throw `rejected` to refuse the parameters. helpers_test.py checks this file.
#pragma once
#include <charconv>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>
namespace backoff_port {
struct rejected : std::runtime_error { using runtime_error::runtime_error; };
struct json {
  std::string text;                                  // a word or a number; of a string what stands between the quotes
  std::vector<std::pair<std::string, json>> items;  // of an object; of a list, without names
  enum kinds { plain, quoted, list, map } kind = quoted;
  json(kinds kind) : kind(kind) {}
  json(bool value) : text(value ? "true" : "false"), kind(plain) {}
  json(std::convertible_to<std::string_view> auto const& value) { for (char const c : std::string_view(value)) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c < ' ' && c >= 0 ? ' ' : c}; }
  template <typename number> requires std::is_arithmetic_v<number> json(number value) : text(64, ' '), kind(std::is_integral_v<number> ? plain : quoted) { text = value != value ? "NaN" : text.erase(std::size_t(std::to_chars(&text[0], &text[64], value).ptr - &text[0])); }
  json(std::initializer_list<std::pair<std::string, json>> fields) : items(fields), kind(map) {}
  json const* find(std::string_view name) const { for (auto const& each : items) if (each.first == name) return &each.second; return nullptr; }
  json const& operator[](std::string_view name) const { return find(name) ? *find(name) : throw std::out_of_range("no " + std::string(name)); }  // NOLINT(clang-analyzer-core.uninitialized.UndefReturn): both find the same
  bool operator==(std::string_view word) const { return text == word; }
  template <typename number> number as(number value = {}) const {
    auto const [end, error] = std::from_chars(&text[0], &text[text.size()], value);
    return error == std::errc{} && end == &text[text.size()] ? value : throw std::invalid_argument("no such number: " + text);
  }
  std::string written(std::string all = "") const {
    for (auto const& [name, value] : items) all += (all.empty() ? "" : ",") + (kind == map ? '"' + name + "\":" : "") + value.written();
    return kind == plain ? text : kind == quoted ? '"' + text + '"' : kind == list ? '[' + all + ']' : '{' + all + '}';
  }
};
using instance = std::function<json(json const& step)>;
using port = std::function<instance(json const& params)>;
inline void expect(bool found) { if (!found) throw std::invalid_argument("no JSON"); }
inline std::string take(std::string_view& in, std::size_t size) { std::string const taken(in.substr(0, size)); return in.remove_prefix(taken.size()), taken; }
inline bool mark(std::string_view& in, char wanted) { return in.remove_prefix(std::min(in.find_first_not_of(" \t\r\n"), in.size())), in.starts_with(wanted) && (in.remove_prefix(1), true); }
inline json read(std::string_view& in) {
  json result(mark(in, '"') ? json::quoted : mark(in, '[') ? json::list : mark(in, '{') ? json::map : json::plain), name("");
  if (result.kind == json::quoted) while (result.text += take(in, in.find_first_of("\"\\")), expect(!in.empty()), !mark(in, '"')) result.text += take(in, 2);
  else if (result.kind == json::plain) {
    result.text = take(in, in.find_first_not_of("+-.0123456789eEtrufalsn"));
    expect(result == "true" || result == "false" || result == "null" || (result.text != "" && result.text.find_first_not_of("+-.0123456789eE") == std::string::npos));
  } else while (!mark(in, result.kind == json::list ? ']' : '}')) {
    expect((result.items.empty() || mark(in, ',')) && (result.kind == json::list || ((name = read(in)).kind == json::quoted && mark(in, ':'))));
    result.items.emplace_back(name.text, read(in));
  }
  return result;
}
inline json result_of(json const& params, json const& steps, port const& made) {
  std::map<std::string, instance> instances; json answers(json::list);
  for (auto const& [_, step] : steps.items) try {
    auto& mine = instances[step.find("on") ? step["on"].text : "0"];
    answers.items.emplace_back("", (mine || (mine = made(params)) ? mine : throw std::invalid_argument("the port returned nothing, expected a function"))(step));
  } catch (std::exception const& error) {
    if (dynamic_cast<rejected const*>(&error)) return {{"rejected", error.what()}};
    return answers.items.emplace_back("", json{{"status", "error"}, {"why", error.what()}}), json{{"steps", answers}};
  }
  return {{"steps", answers}};
}
// Answers until it is told to stop; about is the reply to start, in JSON. A port that lists no systems takes any.
// What is no request ends the program, with exit 2.
inline int serve(std::string_view about, port const& made) noexcept {
  json known = read(about);
  for (auto const& [name, value] : {std::pair("protocol", 1), std::pair("max_batch", 256)}) if (!known.find(name)) known.items.emplace_back(name, value);
  for (std::string line; std::getline(std::cin, line); ) try {
    std::string_view in = line;
    json const request = read(in), cmd = request["cmd"];
    json reply{{"error", cmd == "start" ? "this system is not known here" : "unknown cmd"}}, results(json::list);
    if (expect(!mark(in, ' ') && in.empty()), cmd == "stop") return 0;
    if (cmd == "start") for (auto const& [_, system] : (known.find("systems") ? known["systems"] : json{{"", request["system"]}}).items) if (system == request["system"].text) reply = known;
    if (cmd == "run") for (auto const& [_, each] : request["cases"].items) results.items.emplace_back("", result_of(each["params"], each["steps"], made));
    if (cmd == "run") reply = {{"id", request["id"]}, {"results", results}};
    std::cout << reply.written() << std::endl;
  } catch (std::exception const& error) { return std::cerr << "port: not understood: " << error.what() << " in " << line.substr(0, 200) << std::endl, 2; }
  return 0;
}
}  // namespace backoff_port
