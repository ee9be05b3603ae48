#include "device/nvml/field_values.h"

#include <vector>

namespace sonde::device::nvml {

std::optional<int64_t> integer_of(const FieldValue& field) {
  if (field.status != Return::success) return std::nullopt;
  switch (field.type) {  // NVML's numbers of its types
    case 0: return static_cast<int64_t>(field.value.real);
    case 1: return field.value.unsigned_int;
    case 2: return static_cast<int64_t>(field.value.unsigned_long);
    case 3: return static_cast<int64_t>(field.value.unsigned_long_long);
    case 4: return field.value.signed_long_long;
    case 5: return field.value.signed_int;
    case 6: return field.value.unsigned_short;
    default: return std::nullopt;
  }
}

Return read_fields(const Asked& asked, std::span<const FieldOf> fields) {
  std::vector<FieldValue> values(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    values[i].field = fields[i].field;
    values[i].status = Return::not_supported;  // of a library that leaves one out
  }
  Return code = call(asked.library.field_values, asked.device, static_cast<int>(values.size()), values.data());
  for (size_t i = 0; i < fields.size(); ++i) {
    asked.reading.*fields[i].value = code == Return::success ? integer_of(values[i]) : std::nullopt;
    // A lost GPU can show in a single field only.
    if (code == Return::success && ends_reading(values[i].status)) code = values[i].status;
  }
  return code;
}

}  // namespace sonde::device::nvml
