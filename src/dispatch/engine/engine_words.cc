#include "dispatch/engine/engine_words.h"

#include <array>

#include "base/text/text_catalogue.h"
#include "monitor/detectors/shared_shown.h"
#include "monitor/text.h"

namespace sonde::dispatch {
namespace {

constexpr auto kTexts = std::to_array<CatalogueText>({
#define SONDE_TEXT(id, text) {id, text},
#include "dispatch/engine/texts_en.inc"
#undef SONDE_TEXT
});

}  // namespace

std::string words(std::string_view id, std::initializer_list<monitor::Argument> arguments) {
  return monitor::filled(text_in(kTexts, id), arguments);
}

std::string shown_ns(int64_t ns) { return monitor::shown_time(static_cast<double>(ns) / 1e9); }

}  // namespace sonde::dispatch
