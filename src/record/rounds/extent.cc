#include "record/rounds/extent.h"

#include "wire/definitions.h"

namespace sonde::record {

bool Extent::holds(const wire::Record& record) const {
  if (wire::is_definition(record.head.kind)) return true;
  const uint32_t of = wire::wanted_by(record.head.kind);
  return holds_time(record.head.time) && (of == 0 || (of & wanted) != 0);
}

}  // namespace sonde::record
