#include "gate/decide/decision_words.h"

#include <array>

#include "base/text/text_catalogue.h"

namespace sonde::gate {
namespace {

constexpr auto kDecisionTexts = std::to_array<CatalogueText>({
#define SONDE_TEXT(id, text) {id, text},
#include "gate/decide/decision_words_en.inc"
#undef SONDE_TEXT
});

}  // namespace

std::string_view word_text(std::string_view id) { return text_in(kDecisionTexts, id); }

}  // namespace sonde::gate
