#include <algorithm>
#include <array>

#include "gate/verdict.h"

namespace sonde::gate {
namespace {

struct Text {
  std::string_view id;
  std::string_view text;
};

constexpr auto kTexts = std::to_array<Text>({
#define SONDE_TEXT(id, text) {id, text},
#include "gate/reasons_en.inc"
#undef SONDE_TEXT
});

}  // namespace

std::string_view reason_text(std::string_view id) {
  const auto* const found = std::ranges::find(kTexts, id, &Text::id);
  return found == kTexts.end() ? std::string_view() : found->text;
}

}  // namespace sonde::gate
