#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/text/text_catalogue.h"
#include "monitor/detector.h"

namespace sonde::monitor {

/// A text of the catalogues (texts_en.inc, xid/texts_en.inc), with {named} arguments. Empty for an unknown id.
[[nodiscard]] std::string_view incident_text(std::string_view id);
/// All of them, in the order of the files.
[[nodiscard]] std::span<const CatalogueText> incident_texts();

/// Puts each argument's value in the place of its {name}. A name without an argument stays as it is.
[[nodiscard]] std::string filled(std::string_view text, std::span<const Argument> arguments);

}  // namespace sonde::monitor
