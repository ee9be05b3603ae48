#include "base/text/command_words.h"

#include <algorithm>

namespace sonde {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

/// Reads a line from its front.
class WordReader {
 public:
  explicit WordReader(std::string_view line) : left_(line) {}

  Result<std::vector<std::string>> read() {
    for (skip_blanks(); !left_.empty(); skip_blanks()) {
      SONDE_TRY(read_word());
      words_.push_back(std::move(word_));
      word_.clear();
    }
    return std::move(words_);
  }

 private:
  void skip_blanks() { left_.remove_prefix(std::min(left_.find_first_not_of(kBlanks), left_.size())); }

  char take() {
    const char c = left_.front();
    left_.remove_prefix(1);
    return c;
  }

  Status read_word() {
    while (!left_.empty() && kBlanks.find(left_.front()) == std::string_view::npos) {
      const char c = take();
      if (c == '\'' || c == '"') {
        SONDE_TRY(read_quoted(c));
      } else if (c != '\\') {
        word_ += c;
      } else if (!left_.empty()) {
        word_ += take();
      } else {
        return fail("the command ends with a backslash");
      }
    }
    return {};
  }

  /// Up to the closing quote. Between double quotes a backslash is one unless it stands before a quote or another.
  Status read_quoted(char quote) {
    while (!left_.empty()) {
      const char c = take();
      if (c == quote) return {};
      const bool escapes = c == '\\' && quote == '"' && !left_.empty() && (left_[0] == '"' || left_[0] == '\\');
      word_ += escapes ? take() : c;
    }
    return fail("the command has an unclosed quote {}", quote);
  }

  std::string_view left_;
  std::string word_;
  std::vector<std::string> words_;
};

bool plain(char c) {
  constexpr std::string_view kOthers = "_-+=:,./@%{}^";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kOthers.contains(c);
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

Result<std::vector<std::string>> command_words(std::string_view line) { return WordReader(line).read(); }

std::string command_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

}  // namespace sonde
