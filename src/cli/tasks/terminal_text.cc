#include "cli/tasks/terminal_text.h"

namespace sonde::tasks {
namespace {

constexpr char kEscape = 0x1b;
constexpr char kBell = 0x07;
constexpr size_t kMostSequence = 64;

bool is_terminal_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

}  // namespace

std::string TerminalText::clean(std::string_view part) {
  std::string out;
  for (const char c : part) take(c, out);
  return out;
}

std::string TerminalText::end() const { return coloured_ ? "\x1b[0m" : ""; }

void TerminalText::take(char c, std::string& out) {
  switch (state_) {
    case State::text: return take_text(c, out);
    case State::escape: return take_escape(c);
    case State::sequence: return take_sequence(c, out);
    case State::title:
    case State::title_escape: return take_title(c);
    case State::second:  // U+0080 to U+009F are commands too
      state_ = State::text;
      if (static_cast<unsigned char>(c) >= 0xA0) out += std::string{'\xC2', c};
      return;
  }
}

void TerminalText::take_text(char c, std::string& out) {
  if (c == kEscape) {
    state_ = State::escape;
  } else if (c == '\xC2') {
    state_ = State::second;
  } else if (!is_terminal_control(c) || c == '\n' || c == '\t' || c == '\r' || c == '\b') {
    out += c;
  }
}

void TerminalText::take_escape(char c) {
  sequence_.clear();
  const bool titled = c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_';
  state_ = c == '[' ? State::sequence : (titled ? State::title : State::text);
}

/// Up to its final character; only those that colour and erase are passed on.
void TerminalText::take_sequence(char c, std::string& out) {
  const bool final = c >= '@' && c <= '~';
  if (!final && !is_terminal_control(c) && sequence_.size() < kMostSequence) {
    sequence_ += c;
    return;
  }
  state_ = State::text;
  if (c == '\n') out += c;
  if (sequence_.find_first_not_of("0123456789;:") != std::string::npos) return;
  if (c == 'm' || c == 'K') out += "\x1b[" + sequence_ + c;
  coloured_ = coloured_ || c == 'm';
}

/// A title and its like end with a bell or ESC \; a line end ends them here too, so that no log is swallowed whole.
void TerminalText::take_title(char c) {
  if (c == kBell || c == '\n' || state_ == State::title_escape) {
    state_ = State::text;
  } else if (c == kEscape) {
    state_ = State::title_escape;
  }
}

}  // namespace sonde::tasks
