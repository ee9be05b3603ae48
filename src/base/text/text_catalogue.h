#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace sonde {

/// A text for people, and the name that code knows it by.
struct CatalogueText {
  std::string_view id;
  std::string_view text;
};

/// Empty for an id that the catalogue does not have.
[[nodiscard]] constexpr std::string_view text_in(std::span<const CatalogueText> catalogue, std::string_view id) {
  const auto found = std::ranges::find(catalogue, id, &CatalogueText::id);
  return found == catalogue.end() ? std::string_view() : found->text;
}

}  // namespace sonde
