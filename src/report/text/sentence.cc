#include "report/text/sentence.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text_width.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace {

/// A name in at most `width` characters; of names with shares ("NAME 12 %, NAME 3 %") the long ones are cut, each for
/// itself.
std::string cut_names(std::string_view text, size_t width) {
  constexpr std::string_view kBetween = " %, ";
  std::vector<std::string> names;
  for (const auto name : std::views::split(text, kBetween)) names.emplace_back(std::string_view(name));
  const auto joined = [&](size_t room) {
    std::vector<std::string> cut;
    for (const std::string& name : names) cut.push_back(cut_middle(name, room));
    return fmt::format("{}", fmt::join(cut, kBetween));
  };
  size_t room = width;
  while (room > 1 && text_width(joined(room)) > width) --room;
  return joined(room);
}

std::string text_with_digits(const Argument& a, int digits) {
  constexpr size_t kLongestName = 210;
  return a.text.empty() ? amount_text(a.number, a.unit, digits) : cut_names(a.text, kLongestName);
}

struct ShownArgument {
  const Argument* argument;
  int digits;
};

/// "1 run", "2 runs".
std::string with_noun(const ShownArgument& shown, std::string_view noun) {
  std::string number = text_with_digits(*shown.argument, shown.digits);
  if (noun.empty()) return number;
  const std::string one = counted(1, noun);
  const std::string many = counted(2, noun);
  return number + (number == "1" ? one : many).substr(1);
}

bool read_alike(const Argument& a, const Argument& b, int digits) {
  return a.text.empty() && b.text.empty() && a.unit == b.unit && a.number != b.number &&
         text_with_digits(a, digits) == text_with_digits(b, digits);
}

bool any_read_alike(std::span<const Argument> arguments, int digits) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (size_t k = i + 1; k < arguments.size(); ++k) {
      if (read_alike(arguments[i], arguments[k], digits)) return true;
    }
  }
  return false;
}

bool is_number(std::string_view word) { return word.find_first_not_of("0123456789.,") == std::string_view::npos; }

}  // namespace

}  // namespace sonde

/// Of "{runs:run}" the noun is what stands behind the colon.
template <>
struct fmt::formatter<sonde::ShownArgument> {
  constexpr auto parse(fmt::format_parse_context& context) {
    const auto* const end = std::find(context.begin(), context.end(), '}');
    noun_ = {context.begin(), end};
    return end;
  }
  auto format(const sonde::ShownArgument& shown, fmt::format_context& context) const {
    return std::ranges::copy(sonde::with_noun(shown, noun_), context.out()).out;
  }

 private:
  std::string_view noun_;
};

namespace sonde {
namespace {

std::string filled(std::string_view text, std::span<const Argument> arguments, int digits) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const Argument& a : arguments) store.push_back(fmt::arg(a.name.c_str(), ShownArgument{&a, digits}));
  return fmt::vformat(text, store);
}

}  // namespace

std::string sentence(std::string_view text, std::span<const Argument> arguments) {
  return filled(text, arguments, kDefaultDigits);
}

std::string comparing_sentence(std::string_view text, std::span<const Argument> arguments) {
  constexpr int kMostDigits = 9;  // beyond it numbers differ by rounding
  int digits = kDefaultDigits;
  while (digits < kMostDigits && any_read_alike(arguments, digits)) ++digits;
  return filled(text, arguments, digits);
}

std::string wrapped(std::string_view text, size_t indent, size_t width) {
  std::string lines;
  std::string line;
  const auto end_line = [&] {
    lines += std::string(indent, ' ') + line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    size_t blank = std::min(text.find(' '), text.size());
    if (is_number(text.substr(0, blank))) blank = std::min(text.find(' ', blank + 1), text.size());
    const std::string_view word = text.substr(0, blank);
    if (!line.empty() && indent + text_width(line) + 1 + text_width(word) > width) end_line();
    line += fmt::format("{}{}", line.empty() ? "" : " ", word);
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  if (!line.empty()) end_line();
  return lines;
}

}  // namespace sonde
