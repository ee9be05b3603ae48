#include "cli/record/nvtx_filter.h"

#include <string>
#include <utility>
#include <vector>

#include "cli/record/expression.h"

namespace sonde::record_cli {
namespace {

using record::RangeElement;
using record::RangeFilter;
using Kind = RangeElement::Kind;

constexpr std::string_view kQuantifiers = "@,[]/*+";
constexpr std::string_view kExpressionMark = "regex:";

/// A letter, and whether a backslash took its meaning as a quantifier.
struct Letter {
  char c;
  bool escaped;
};
using Letters = std::vector<Letter>;

Letters letters_of(std::string_view text) {
  Letters letters;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escapes = text[i] == '\\' && i + 1 < text.size() && kQuantifiers.contains(text[i + 1]);
    if (escapes) ++i;
    letters.push_back({text[i], escapes});
  }
  return letters;
}

bool is(const Letter& letter, char quantifier) { return letter.c == quantifier && !letter.escaped; }

std::string text_of(const Letters& letters) {
  std::string text;
  for (const Letter& letter : letters) text += letter.c;
  return text;
}

/// A bracket of an expression that was escaped is its own, as anywhere in one.
std::string expression_of(const Letters& letters) {
  constexpr std::string_view kOfExpressions = "[]*+";
  std::string text;
  for (const Letter& letter : letters) {
    if (letter.escaped && kOfExpressions.contains(letter.c)) text += '\\';
    text += letter.c;
  }
  return text.substr(kExpressionMark.size());
}

/// The parts between quantifiers of that kind.
std::vector<Letters> split(const Letters& letters, char quantifier) {
  std::vector<Letters> parts(1);
  for (const Letter& letter : letters) {
    if (is(letter, quantifier)) {
      parts.emplace_back();
    } else {
      parts.back().push_back(letter);
    }
  }
  return parts;
}

class Reader {
 public:
  Reader(std::string_view option, std::string_view text) : option_(option), text_(text) {}

  Result<RangeFilter> read() {
    filter_.text = text_;
    if (text_.contains('\n')) return wrong("a name cannot contain a line break");
    std::vector<Letters> parts = split(letters_of(text_), '@');
    if (parts.size() > 2) return wrong("only one domain may precede @; repeat the option for ranges of another domain");
    if (parts.size() == 2 && !parts.front().empty()) SONDE_TRY(read_element(parts.front(), filter_.domain));
    SONDE_TRY(read_ranges(std::move(parts.back())));
    return std::move(filter_);
  }

 private:
  [[nodiscard]] std::unexpected<Error> wrong(std::string_view reason) const {
    return fail("{} '{}': {}", option_, text_, reason);
  }

  Status read_ranges(Letters ranges) {
    filter_.bottom = !ranges.empty() && is(ranges.front(), '[');
    if (filter_.bottom) ranges.erase(ranges.begin());
    filter_.top = !ranges.empty() && is(ranges.back(), ']');
    if (filter_.top) ranges.pop_back();
    std::vector<Letters> parts = split(ranges, '/');
    filter_.push_pop = filter_.bottom || filter_.top || parts.size() > 1;
    if (!filter_.push_pop) parts = split(ranges, ',');
    if (filter_.push_pop && parts.size() > 1 && parts.back().empty()) parts.pop_back();
    for (const Letters& part : parts) SONDE_TRY(add_range(part));
    return {};
  }

  Status add_range(const Letters& part) {
    RangeElement& range = filter_.ranges.emplace_back();
    const bool alone = filter_.push_pop && part.size() == 1;
    if (alone && is(part.front(), '*')) return set_kind(range, Kind::any_number);
    if (alone && is(part.front(), '+')) return set_kind(range, Kind::one);
    if (part.empty()) return wrong("a range needs a name");
    return read_element(part, range);
  }

  static Status set_kind(RangeElement& range, Kind kind) {
    range.kind = kind;
    return {};
  }

  /// The name of a range or a domain.
  Status read_element(const Letters& part, RangeElement& element) {
    element.text = text_of(part);
    if (element.text.starts_with(kExpressionMark)) return read_expression(part, element);
    for (const Letter& letter : part) {
      if (is(letter, ',')) {
        return wrong(
            "commas separate start/end ranges, and '/' separates push/pop ranges; write \\, for a comma in a name");
      }
      if (is(letter, '[') || is(letter, ']')) {
        return wrong(
            "[ precedes the outermost push/pop range and ] follows the innermost; write \\[ and \\] for brackets in a "
            "name");
      }
    }
    return {};
  }

  Status read_expression(const Letters& part, RangeElement& element) {
    element.kind = Kind::regex;
    element.text = expression_of(part);
    const auto compiled = Expression::compile(element.text);
    return compiled ? Status() : wrong(compiled.error().message);
  }

  std::string_view option_;
  std::string_view text_;
  RangeFilter filter_;
};

}  // namespace

Result<RangeFilter> parse_range_filter(std::string_view option, std::string_view text) {
  return Reader(option, text).read();
}

}  // namespace sonde::record_cli
