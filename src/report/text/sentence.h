#pragma once

#include <span>
#include <string>
#include <string_view>

#include "findings/finding.h"

/// Texts of the catalogues for people: arguments written out, lines broken.
namespace sonde {

/// A text of a catalogue with its {named} arguments; "{runs:run}" is a number with its noun, "1 run" or "2 runs".
[[nodiscard]] std::string sentence(std::string_view text, std::span<const Argument> arguments);

/// The same, where a reader compares the numbers: those of one unit that differ read differently, with as many digits
/// as that takes ("200.4 ms, where the budget demands at most 200.0 ms").
[[nodiscard]] std::string comparing_sentence(std::string_view text, std::span<const Argument> arguments);

/// Breaks `text` between words, not between a number and its unit; each line begins with `indent` blanks.
[[nodiscard]] std::string wrapped(std::string_view text, size_t indent, size_t width);

}  // namespace sonde
