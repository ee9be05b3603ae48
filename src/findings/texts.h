#pragma once

#include <string_view>

namespace sonde {

/// A text of the catalogue (texts_en.inc), with {named} arguments as fmt writes them. Empty for an id that it does not
/// have.
[[nodiscard]] std::string_view catalogue_text(std::string_view id);

}  // namespace sonde
