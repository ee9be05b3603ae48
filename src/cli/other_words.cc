#include "cli/other_words.h"

#include <string_view>

namespace sonde {
namespace {

constexpr char kGuard = '\x01';

/// Whether it begins and ends in brackets, guards behind the last one not counted.
bool is_bracketed(std::string_view word) {
  return word.starts_with('[') && word.substr(0, word.find_last_not_of(kGuard) + 1).ends_with(']');
}

}  // namespace

std::string guarded_word(std::string word) {
  if (is_bracketed(word)) word += kGuard;
  return word;
}

std::string unguarded_word(std::string word) {
  if (is_bracketed(word) && word.ends_with(kGuard)) word.pop_back();
  return word;
}

}  // namespace sonde
