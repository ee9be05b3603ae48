#include "importers/nsys_sqlite/torch_memory.h"

#include "importers/torch_snapshot/torch_snapshot.h"

namespace sonde::nsys {

void read_torch_memory(NsysFile& file) {
  constexpr std::string_view kTable = "SONDE_TORCH_MEMORY";
  const bool wanted = file.wants(Field::allocations) || file.wants(Field::marks);
  if (!wanted || !file.has_table(kTable)) return;
  Trace& trace = file.trace();
  auto rows = file.database().prepare(fmt::format("SELECT pid, snapshot FROM {} ORDER BY pid", kTable));
  bool readable = rows.has_value();
  while (readable) {
    const auto next = rows->next();
    readable = next.has_value();
    if (!readable || !*next) break;
    const Status added = torch_snapshot::add_to_rank(rows->blob(1), rows->integer(0), trace.fields, trace);
    if (!added) trace.log.add(Issue::damaged_table, fmt::format("{}: a snapshot {}", kTable, added.error().message));
  }
  if (!readable) trace.log.add(Issue::damaged_table, kTable);
}

}  // namespace sonde::nsys
