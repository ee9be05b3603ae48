#include "analyses/kernels/function_identity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "trace/kernel_name.h"

namespace sonde {
namespace {

using Tokens = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(const std::string& token) { return is_word(token.front()); }
bool is_number(const std::string& token) { return is_digit(token.front()); }

/// Spellings of one thing: NVIDIA's demangler, the C++ library's.
std::string with_one_spelling(std::string_view name) {
  constexpr std::array kSpellings = {
      std::pair<std::string_view, std::string_view>{"(anonymous namespace)", "$unnamed"},
      std::pair<std::string_view, std::string_view>{"<unnamed>", "$unnamed"},
      std::pair<std::string_view, std::string_view>{"<anonymous>", "$unnamed"},
      std::pair<std::string_view, std::string_view>{"(instance ", "(#"},
  };
  std::string text(name.substr(0, name.find(" [clone")));
  for (const auto& [from, to] : kSpellings) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

/// Words and single signs; empty for words that say nothing of the identity.
std::string token_at(std::string_view text) {
  const char c = text.front();
  if (!is_word(c)) return std::string(1, c == '[' ? '{' : c == ']' ? '}' : c);
  const auto* const end = std::ranges::find_if_not(text, [](char c) { return is_word(c); });
  std::string word(text.begin(), end);
  if (word == "true") return "1";
  if (word == "false") return "0";
  if (is_digit(word.front()))
    word.erase(std::ranges::find_if(word, [](char c) { return std::string_view("uUlL").contains(c); }), word.end());
  return word;
}

Tokens tokens_of(std::string_view name) {
  const std::string text = with_one_spelling(name);
  Tokens tokens;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const size_t length =
        is_word(rest.front())
            ? std::min(
                  rest.size(),
                  static_cast<size_t>(std::ranges::find_if_not(rest, [](char c) { return is_word(c); }) - rest.begin()))
            : 1;
    at += length;
    if (rest.front() == ' ') continue;
    const std::string token = token_at(rest);
    if (token != "const" && token != "volatile") tokens.push_back(token);
  }
  return tokens;
}

/// Behind "(type)" that stands before a number, else `at`.
size_t behind_cast(const Tokens& tokens, size_t at) {
  if (tokens[at] != "(") return at;
  size_t end = at + 1;
  while (end < tokens.size() && (tokens[end] == ":" || (is_word(tokens[end]) && !is_number(tokens[end])))) ++end;
  if (end == at + 1 || end + 1 >= tokens.size() || tokens[end] != ")") return at;
  const std::string& next = tokens[end + 1];
  return is_number(next) || next == "-" ? end + 1 : at;
}

/// "(#1)" behind a lambda, as NVIDIA writes it, is "#1".
bool is_instance_bracket(const Tokens& tokens, size_t at) {
  if (tokens[at] == "(") return at + 1 < tokens.size() && tokens[at + 1] == "#";
  return tokens[at] == ")" && at >= 2 && tokens[at - 2] == "#";
}

/// Where the parameters begin, the end of the text where there are none.
size_t parameters_of(std::string_view text) {
  if (!text.ends_with(')')) return text.size();
  int open = 0;
  for (size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++open;
    if (text[at] == '(' && --open == 0) return at;
  }
  return text.size();
}

/// Behind the return type: behind the last blank outside of brackets. A text without brackets or scopes is no
/// declaration.
size_t name_begin(std::string_view text) {
  if (text.find_first_of("(<:") == std::string_view::npos) return 0;
  size_t begin = 0;
  int open = 0;
  const size_t end = parameters_of(text);
  for (size_t at = 0; at < end; ++at) {
    if (std::string_view("(<{").contains(text[at])) ++open;
    if (std::string_view(")>}").contains(text[at])) --open;
    if (text[at] == ' ' && open == 0) begin = at + 1;
  }
  return begin;
}

std::string canonical(std::string_view name) {
  const Tokens tokens = tokens_of(name);
  std::string text;
  for (size_t at = 0; at < tokens.size(); ++at) {
    at = behind_cast(tokens, at);
    if (is_instance_bracket(tokens, at)) continue;
    if (!text.empty() && is_word(text.back()) && is_word(tokens[at])) text += ' ';
    text += tokens[at];
  }
  text.erase(0, name_begin(text));
  return text;
}

/// Whether parameters are written in terms of template parameters: "(T2*,int)".
bool is_dependent(std::string_view parameters) {
  for (size_t at = 1; at + 1 < parameters.size(); ++at) {
    if (parameters[at] != 'T' || is_word(parameters[at - 1]) || !is_digit(parameters[at + 1])) continue;
    const size_t end = parameters.find_first_not_of("0123456789", at + 1);
    if (end == std::string_view::npos || !is_word(parameters[end])) return true;
  }
  return false;
}

enum class Detail : uint8_t { bare, qualified, whole };

struct Form {
  std::string whole;
  std::string qualified;  ///< without parameters
  std::string bare;
  Detail detail = Detail::whole;  ///< what can be compared
};

Form form_of(const FunctionNames& names) {
  Form form;
  form.whole = canonical(names.declaration);
  const size_t parameters = parameters_of(form.whole);
  form.qualified = form.whole.substr(0, parameters);
  form.bare = canonical(short_kernel_name(names.declaration));
  const bool c_linkage = names.mangled == names.declaration;  // then the bare name is all that there is
  if (form.whole == form.bare && !c_linkage) {
    form.detail = Detail::bare;
  } else if (parameters == form.whole.size() || is_dependent(std::string_view(form.whole).substr(parameters))) {
    form.detail = Detail::qualified;
  }
  return form;
}

/// Puts names together that share a key (union-find by the first name of each set).
class DisjointSets {
 public:
  explicit DisjointSets(size_t count) : parent_(count) {
    for (uint32_t i = 0; i < count; ++i) parent_[i] = i;
  }
  void add(uint32_t name, std::string key) {
    const uint32_t other = root(first_with_.try_emplace(std::move(key), name).first->second);
    const uint32_t own = root(name);
    parent_[std::max(own, other)] = std::min(own, other);
  }
  uint32_t root(uint32_t name) {
    while (parent_[name] != name) name = parent_[name] = parent_[parent_[name]];
    return name;
  }

 private:
  std::vector<uint32_t> parent_;
  boost::unordered_flat_map<std::string, uint32_t> first_with_;
};

}  // namespace

std::vector<uint32_t> number_functions(std::span<const FunctionNames> names) {
  std::vector<Form> forms;
  forms.reserve(names.size());
  for (const FunctionNames& name : names) forms.push_back(form_of(name));
  boost::unordered_flat_set<std::string_view> without_parameters;
  boost::unordered_flat_set<std::string_view> without_all;
  for (const Form& form : forms) {
    if (form.detail == Detail::qualified) without_parameters.insert(form.qualified);
    if (form.detail == Detail::bare) without_all.insert(form.bare);
  }
  DisjointSets sets(names.size());
  for (uint32_t i = 0; i < names.size(); ++i) {
    const Form& form = forms[i];
    sets.add(i, "whole " + form.whole);
    if (!names[i].mangled.empty()) sets.add(i, fmt::format("mangled {}", names[i].mangled));
    if (without_parameters.contains(form.qualified)) sets.add(i, "qualified " + form.qualified);
    if (without_all.contains(form.bare)) sets.add(i, "bare " + form.bare);
  }
  std::vector<uint32_t> numbers;
  numbers.reserve(names.size());
  for (uint32_t i = 0; i < names.size(); ++i) numbers.push_back(sets.root(i));
  return numbers;
}

}  // namespace sonde
