#include "monitor/text.h"

#include <algorithm>
#include <array>

namespace sonde::monitor {
namespace {

constexpr auto kTexts = std::to_array<CatalogueText>({
#define SONDE_TEXT(id, text) {id, text},
#include "monitor/anomalies/anomaly_texts_en.inc"
#include "monitor/texts_en.inc"
#include "monitor/xid/xid_texts_en.inc"
#undef SONDE_TEXT
});

}  // namespace

std::string_view incident_text(std::string_view id) { return text_in(kTexts, id); }

std::span<const CatalogueText> incident_texts() { return kTexts; }

std::string filled(std::string_view text, std::span<const Argument> arguments) {
  std::string whole;
  while (!text.empty()) {
    const size_t open = std::min(text.find('{'), text.size());
    whole += text.substr(0, open);
    text.remove_prefix(open);
    const size_t close = text.find('}');
    if (close == std::string_view::npos) return whole.append(text);
    const auto found = std::ranges::find(arguments, text.substr(1, close - 1), &Argument::name);
    whole += found == arguments.end() ? text.substr(0, close + 1) : std::string_view(found->value);
    text.remove_prefix(close + 1);
  }
  return whole;
}

}  // namespace sonde::monitor
