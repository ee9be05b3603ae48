#pragma once

#include <string>

namespace sonde {

/// CLI11 takes a word "[a,b]" apart, wherever it stands. One behind "--" is another program's, and is guarded on its
/// way through: main() guards such words, and options that take them say transform(unguarded_word).
[[nodiscard]] std::string guarded_word(std::string word);
[[nodiscard]] std::string unguarded_word(std::string word);

}  // namespace sonde
