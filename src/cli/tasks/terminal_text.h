#pragma once

#include <string>
#include <string_view>

namespace sonde::tasks {

/// Output of other programs on its way to a terminal, piece by piece: text, line ends, tabs, the carriage return and
/// backspace of progress bars, colours and "erase to the end of the line" pass; everything else that a terminal takes
/// for a command (titles, colours of the whole, moves, answers) is left out, so that a log cannot forge what stands
/// above it or type into the shell.
class TerminalText {
 public:
  [[nodiscard]] std::string clean(std::string_view part);
  /// What puts colours back, where some were set.
  [[nodiscard]] std::string end() const;

 private:
  enum class State { text, escape, sequence, title, title_escape, second };
  void take(char c, std::string& out);
  void take_text(char c, std::string& out);
  void take_escape(char c);
  void take_sequence(char c, std::string& out);
  void take_title(char c);

  State state_ = State::text;
  std::string sequence_;
  bool coloured_ = false;
};

}  // namespace sonde::tasks
