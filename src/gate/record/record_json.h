#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "gate/record/run_record.h"

namespace sonde::gate {

/// A record as a JSON document (schema: docs/schemas/record.schema.json), one group a line, so that git can show what
/// changed.
[[nodiscard]] std::string record_json(const RunRecord& record);

/// The error says what is wrong and in which key. Keys that are not known are passed over; a record of a later schema
/// version is an error.
[[nodiscard]] Result<RunRecord> parse_record(std::string_view json);

/// Whether a file's beginning is that of a record, not of a profile.
[[nodiscard]] bool is_record(std::string_view beginning);

}  // namespace sonde::gate
