#include "trace/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string>

namespace sonde {
namespace {

constexpr size_t npos = std::string_view::npos;

/// Behind the bracket group that opens at `at`, npos where it does not close. `>` closes only what `<` opened and is
/// no bracket behind `-`; a closing bracket of another kind closes any `<` that was left open (a comparison).
size_t group_end(std::string_view text, size_t at) {
  std::string open;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      open += c;
    } else if (c == '>') {
      if (open.back() == '<' && text[at - 1] != '-') open.pop_back();
    } else if (c == ')' || c == ']' || c == '}') {
      while (open.size() > 1 && open.back() == '<') open.pop_back();
      open.pop_back();
    }
    if (open.empty()) return at + 1;
  }
  return npos;
}

/// Reads a declaration from left to right and remembers where its last name begins and ends.
class Declaration {
 public:
  explicit Declaration(std::string_view text) : text_(text) {}

  std::string_view last_name() {
    while (at_ < text_.size() && step()) {
    }
    const std::string_view name = text_.substr(begin_, end_ - begin_);
    return name.empty() ? text_ : name;
  }

 private:
  /// False at the end of the name.
  bool step() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("::")) return restart(2);
    if (rest.starts_with(" [clone")) return false;
    if (rest.front() == ' ') return current() == "operator" ? extend(1) : restart(1);
    if (current() == "operator") return operator_symbol();
    if (const size_t length = atom_length(rest)) return extend(length);
    if (rest.front() == '<') return skip_group();
    if (rest.front() == '(') return parenthesis();
    return extend(1);
  }

  [[nodiscard]] std::string_view current() const { return text_.substr(begin_, end_ - begin_); }

  bool restart(size_t length) {
    at_ += length;
    begin_ = end_ = at_;
    return true;
  }
  bool extend(size_t length) {
    if (begin_ == end_) begin_ = at_;
    at_ += length;
    end_ = at_;
    return true;
  }
  bool skip_group() {
    const size_t end = group_end(text_, at_);
    if (end == npos) return false;
    at_ = end;
    return true;
  }

  /// Brackets that are names themselves.
  [[nodiscard]] size_t atom_length(std::string_view rest) const {
    constexpr std::array<std::string_view, 3> kUnnamed = {"(anonymous namespace)", "<unnamed>", "<anonymous>"};
    for (const std::string_view atom : kUnnamed) {
      if (rest.starts_with(atom)) return atom.size();
    }
    const bool lambda = rest.front() == '{' || rest.front() == '[' || rest.starts_with("<lambda");
    const size_t end = lambda ? group_end(text_, at_) : npos;
    return end == npos ? 0 : end - at_;
  }

  bool operator_symbol() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("()") || rest.starts_with("[]")) return extend(2);
    const size_t symbols = std::min(rest.find_first_not_of("<>=!+-*/%^&|~,"), rest.size());
    if (symbols == 0) return rest.front() == '(' ? false : extend(1);
    return extend(symbols);
  }

  /// Parameters end the name, unless the function only encloses what follows, or they belong to a decltype.
  bool parenthesis() {
    const size_t end = group_end(text_, at_);
    if (end == npos) return false;
    const std::string_view behind = text_.substr(end);
    const bool encloses = behind.starts_with("::") || behind.starts_with(" const::");
    if (!encloses && current() != "decltype") return false;
    at_ = encloses ? end + behind.find("::") : end;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

/// Names that are not C++ ("my kernel 3") have blanks but no brackets.
bool is_plain_text(std::string_view name) { return name.find_first_of("(<:") == npos && !name.contains(" [clone"); }

/// Whether `text` names an integer type: "unsigned long".
bool is_integer_type(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords = {"bool", "char", "short", "int", "long", "unsigned", "signed"};
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (std::ranges::find(kWords, text.substr(0, end)) == kWords.end()) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

/// The length of a cast of an integer at the head of `text`, 0 where there is none.
size_t cast_length(std::string_view text) {
  const size_t end = text.find(')');
  if (end == npos || end < 2 || end + 1 >= text.size()) return 0;
  const char next = text[end + 1];
  const bool number = next == '-' || std::isdigit(static_cast<unsigned char>(next)) != 0;
  return number && is_integer_type(text.substr(1, end - 1)) ? end + 1 : 0;
}

/// "double const*" -> "const double *".
std::string spaced_parameter(std::string_view parameter) {
  constexpr std::string_view kConst = " const";
  const size_t end = parameter.find_last_not_of("*&") + 1;
  const bool plain = parameter.find_first_of("<>()*&[") >= end;
  if (end == parameter.size() || !plain || parameter[end - 1] == ' ') return std::string(parameter);
  std::string type(parameter.substr(0, end));
  if (type.ends_with(kConst)) type = "const " + type.substr(0, type.size() - kConst.size());
  return type + ' ' + std::string(parameter.substr(end));
}

}  // namespace

std::string declared_name(const std::string& name) {
  // Without its prefix a name such as "f" would be read as a type.
  if (!name.starts_with("_Z")) return name;
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed),
                                                         &std::free);
  return failed == 0 && text != nullptr ? std::string(text.get()) : name;
}

std::string_view short_kernel_name(std::string_view name) {
  if (name.empty() || is_plain_text(name)) return name;
  return Declaration(name).last_name();
}

std::string with_spaced_pointers(std::string_view name) {
  constexpr std::string_view kComma = ", ";
  const size_t open = name.rfind('(');
  if (open == npos || !name.ends_with(')')) return std::string(name);
  std::string text(name.substr(0, open + 1));
  std::string_view rest = name.substr(open + 1, name.size() - open - 2);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(kComma), rest.size());
    text += spaced_parameter(rest.substr(0, end));
    rest.remove_prefix(end);
    if (!rest.empty()) text += kComma;
    rest.remove_prefix(std::min(kComma.size(), rest.size()));
  }
  return text + ')';
}

std::string without_casts(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const size_t cast = name.front() == '(' ? cast_length(name) : 0;
    if (cast == 0) plain += name.front();
    name.remove_prefix(std::max<size_t>(cast, 1));
  }
  return plain;
}

}  // namespace sonde
