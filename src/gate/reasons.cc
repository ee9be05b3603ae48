#include <array>

#include "base/text/text_catalogue.h"
#include "gate/verdict.h"

namespace sonde::gate {
namespace {

constexpr auto kReasons = std::to_array<CatalogueText>({
#define SONDE_TEXT(id, text) {id, text},
#include "gate/reasons_en.inc"
#undef SONDE_TEXT
});

constexpr auto kGroupTexts = std::to_array<CatalogueText>({
#define SONDE_TEXT(id, text) {id, text},
#include "gate/group_reasons_en.inc"
#undef SONDE_TEXT
});

}  // namespace

std::string_view reason_text(std::string_view id) { return text_in(kReasons, id); }

std::string_view group_reason_text(std::string_view id) { return text_in(kGroupTexts, id); }

}  // namespace sonde::gate
