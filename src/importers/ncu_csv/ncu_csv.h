#pragma once

#include <string>
#include <string_view>

#include "importers/importer.h"

namespace sonde::ncu_csv {

/// Appends the tables of what `ncu --csv` printed to `trace` as one more rank. Values are put into base units. A label
/// of the details page becomes its metric's name by the tables of sections; a label that these do not have becomes
/// "label:SECTION/LABEL" and a note in the log. A metric that is in several sections counts where it comes first.
[[nodiscard]] Status read_text(std::string_view text, const std::string& path, const ImportRequest& request,
                               Trace& trace);

}  // namespace sonde::ncu_csv
