#include "cli/words/help_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ranges>

namespace sonde {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

/// Where CLI11 lets the meaning of an option begin.
constexpr size_t kMeaningAt = 30;

/// Less would leave no room for meanings.
constexpr size_t kNarrowest = kMeaningAt + 20;
constexpr size_t kWidthOfPipe = 80;  // as man pages have

/// Of the lines that go on with this one.
size_t hanging_indent(std::string_view line) {
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (first == 0) return 0;
  const bool has_meaning = line.size() > kMeaningAt && line[kMeaningAt - 1] == ' ' && line[kMeaningAt] != ' ';
  return has_meaning ? kMeaningAt : first + 2;
}

/// The last blank behind `least` that leaves no more than `room` before it, else the first one behind that.
size_t place_to_break(std::string_view line, size_t least, size_t room) {
  const size_t place = line.rfind(' ', room);
  if (place != kNowhere && place > least) return place;
  return line.find(' ', std::max(least + 1, room));
}

void add_wrapped(std::string& text, std::string_view line, size_t width) {
  const size_t indent = hanging_indent(line);
  size_t least = indent;
  size_t room = width;
  while (line.size() > room) {
    const size_t place = place_to_break(line, least, room);
    if (place == kNowhere) break;
    text.append(line.substr(0, place)).append("\n").append(indent, ' ');
    line.remove_prefix(place + 1);
    least = 0;
    room = width - indent;
  }
  text.append(line);
}

}  // namespace

std::string wrapped_help(std::string_view text, size_t width) {
  std::string wrapped;
  for (const auto line : text | std::views::split('\n')) {
    if (!wrapped.empty()) wrapped += '\n';
    add_wrapped(wrapped, std::string_view(line), std::max(width, kNarrowest));
  }
  return wrapped;
}

size_t help_width() {
  const char* const columns = std::getenv("COLUMNS");  // NOLINT(concurrency-mt-unsafe): nothing changes it here
  const std::string_view text = columns == nullptr ? "" : columns;
  size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error == std::errc() && end == text.data() + text.size() && width > 0) return width;
  for (const int terminal : {STDOUT_FILENO, STDERR_FILENO}) {  // the second one where a pager reads
    winsize size{};
    if (ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  return kWidthOfPipe;
}

}  // namespace sonde
