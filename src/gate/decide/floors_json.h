#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "gate/decide/decision.h"

namespace sonde::gate {

/// Calibrated floors as a JSON document (schema: docs/schemas/floors.schema.json), a metric of a subject a line.
[[nodiscard]] std::string floors_json(const CalibratedFloors& floors);

/// The error says what is wrong and in which key. Keys that are not known are passed over; a document of a later schema
/// version is an error.
[[nodiscard]] Result<CalibratedFloors> parse_floors(std::string_view json);

/// The same from a file; the error names it.
[[nodiscard]] Result<CalibratedFloors> load_floors(const std::string& file);

}  // namespace sonde::gate
