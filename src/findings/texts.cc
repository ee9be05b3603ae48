#include "findings/texts.h"

#include <array>

#include "base/text/text_catalogue.h"

namespace sonde {
namespace {

constexpr auto kTexts = std::to_array<CatalogueText>({
#define SONDE_TEXT(id, text) {id, text},
#include "findings/texts_en.inc"
#undef SONDE_TEXT
});

}  // namespace

std::string_view catalogue_text(std::string_view id) { return text_in(kTexts, id); }

}  // namespace sonde
