#include "findings/coverage.h"

#include "trace/columns.h"

namespace sonde {
namespace {

template <typename Table>
bool has_no_row(const Table& table) {
  return row_count(table) == 0;
}

}  // namespace

std::vector<std::string_view> not_recorded_of(const Trace& trace, const Fields& fields) {
  std::vector<std::string_view> names;
#define SONDE_SOURCE(field, table, text) \
  if (fields.has(Field::field) && has_no_row(trace.table)) names.emplace_back(text);
#include "findings/coverage.inc"
#undef SONDE_SOURCE
  return names;
}

}  // namespace sonde
