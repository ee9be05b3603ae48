#include "trace/brief_kernel_name.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/text_width.h"
#include "trace/kernel_name.h"

namespace sonde {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::string_view kAnonymous = "(anonymous namespace)::";
/// Names that many libraries give their kernels and policies.
constexpr auto kSayLittle = std::to_array<std::string_view>({"kernel", "Kernel", "Kernel2", "kernel_", "Kernel_traits",
                                                             "Operator", "Functor", "run", "launch", "main", "device"});

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Where the bracket that ends at `close` begins; npos if brackets do not match.
size_t open_of(std::string_view text, size_t close) {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::string without(std::string text, std::string_view part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

/// Without " [clone .kd]" and the parameters.
std::string_view without_parameters(std::string_view text) {
  if (const size_t clone = text.find(" [clone"); clone != std::string_view::npos) text = text.substr(0, clone);
  if (!text.ends_with(')')) return text;
  const size_t open = open_of(text, text.size() - 1);
  return open == std::string_view::npos || open == 0 ? text : text.substr(0, open);
}

/// Without "void " and other types before the name: what stands before the last blank outside of template arguments.
std::string_view without_return_type(std::string_view text) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
    if (text[i] == ' ' && depth == 0) begin = i + 1;
  }
  return text.substr(begin);
}

bool says_little(std::string_view name) { return std::ranges::find(kSayLittle, name) != kSayLittle.end(); }

/// Each name without its namespaces; the last one stays before a name that says little.
std::string without_namespaces(std::string_view text) {
  std::string brief;
  std::vector<std::string_view> parts;
  const auto flush = [&] {
    if (parts.empty()) return;
    const std::string_view last = parts.back();
    if (parts.size() > 1 && says_little(last)) brief.append(parts[parts.size() - 2]).append("::");
    brief.append(last);
    parts.clear();
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > i) {
      parts.push_back(text.substr(i, end - i));
      i = end;
      if (text.substr(i).starts_with("::") && i + 2 < text.size() && is_word(text[i + 2])) {
        i += 2;
      } else {
        flush();
      }
    } else {
      brief += text[i++];
    }
  }
  return brief;
}

/// Template arguments deeper than `depth` are left out: "a<b<…>>" at 1.
std::string to_depth(std::string_view text, int depth) {
  std::string brief;
  int level = 0;
  for (const char c : text) {
    if (c == '>') --level;
    if (level <= depth) brief += c;
    if (c == '<' && level++ == depth) brief += kCut;
  }
  return brief;
}

size_t deepest(std::string_view text) {
  int level = 0;
  int most = 0;
  for (const char c : text) most = std::max(most, c == '<' ? ++level : c == '>' ? --level : level);
  return static_cast<size_t>(most);
}

bool is_signature(std::string_view text) {
  return text.starts_with("void ") || (text.ends_with(')') && text.find_first_of("<*&,") != std::string_view::npos) ||
         (text.ends_with('>') && text.find('<') != std::string_view::npos);
}

}  // namespace

std::string brief_kernel_name(std::string_view demangled) {
  if (!is_signature(demangled)) return cut_middle(demangled, kLongestBriefName);
  std::string plain = without(std::string(demangled), kAnonymous);
  plain = without_casts(without_return_type(without_parameters(plain)));
  std::string brief = without_namespaces(plain);
  for (size_t at = brief.find("> >"); at != std::string::npos; at = brief.find("> >")) brief.erase(at + 1, 1);
  if (brief.empty()) return cut_middle(demangled, kLongestBriefName);
  const std::string whole = brief;
  for (size_t depth = deepest(whole); depth-- > 1 && text_width(brief) > kLongestBriefName;) {
    brief = to_depth(whole, static_cast<int>(depth));
  }
  return cut_middle(brief, kLongestBriefName);
}

}  // namespace sonde
