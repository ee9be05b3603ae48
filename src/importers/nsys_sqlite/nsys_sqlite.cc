#include <algorithm>
#include <filesystem>

#include "base/files/file.h"
#include "importers/files/not_a_profile.h"
#include "importers/nsys/tables.h"
#include "importers/nsys_sqlite/torch_memory.h"

namespace sonde {
namespace nsys_sqlite {
namespace {

/// Tables of which an export has at least one.
bool is_nsys_table(std::string_view table) {
  return table == "StringIds" || table == "NVTX_EVENTS" || table == "OSRT_API" ||
         table.starts_with("CUPTI_ACTIVITY_") || table.starts_with("TARGET_INFO_") || table.starts_with("META_DATA_");
}

bool recognizes(const Probe& probe) { return std::ranges::any_of(probe.tables(), is_nsys_table); }

/// A damaged or empty database is picked too: it may be an export that broke off, and the reader must report it.
bool picks(const Probe& probe) { return probe.is_sqlite() && (probe.tables().empty() || recognizes(probe)); }

uint32_t big_endian(std::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

/// The size that a SQLite header states (https://sqlite.org/fileformat.html, 1.3): pages times page size, where the
/// header's change counter says that the number of pages is current; else 0.
uint64_t stated_size(std::string_view head) {
  constexpr size_t kHeaderBytes = 100;
  if (head.size() < kHeaderBytes || big_endian(head, 24, 4) != big_endian(head, 92, 4)) return 0;
  const uint32_t page = big_endian(head, 16, 2);
  return uint64_t{page == 1 ? 65536 : page} * big_endian(head, 28, 4);
}

/// Whether bytes are missing at the end of the file.
Status check_length(const std::string& path, Trace& trace) {
  const auto head = read_head(path, kHeadBytes);
  if (!head) return std::unexpected(head.error());
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  const uint64_t stated = stated_size(*head);
  if (!error && size < stated) trace.log.add(Issue::truncated, fmt::format("{} of {} bytes exist", size, stated));
  return {};
}

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  SONDE_TRY(check_length(path, trace));
  auto file = NsysFile::open(path, request, trace);
  if (!file) return std::unexpected(file.error());
  const nsys::EventRows before{row_count(trace.api), row_count(trace.os_calls), row_count(trace.samples),
                               row_count(trace.python_samples)};
  nsys::read_source(*file);
  nsys::read_gpu_work(*file);
  nsys::read_host_calls(*file);
  nsys::read_ranges(*file);
  nsys::read_payload_schemas(*file);
  nsys::read_cpu_activity(*file);
  nsys::read_nccl(*file);
  nsys::read_call_chains(*file, before);
  nsys::read_counters(*file);
  nsys::read_memory(*file);
  nsys::read_diagnostics(*file);
  nsys::read_measured_processes(*file);
  nsys::read_entities(*file);
  nsys::read_kernel_profiles(*file);
  file->resolve_names();
  nsys::order_metrics(*file);
  nsys::read_torch_memory(*file);
  return {};
}

/// Counters that stand beside what else was recorded make a report of kernels; kernels with their times a timeline.
FileContent content_of(const std::string& path) {
  auto database = Database::open_read_only(path);
  const auto holds = [&](std::string_view table) {
    auto rows = database->prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", table));
    return rows && rows->next().value_or(false);
  };
  if (!database || !holds("SONDE_KERNEL_PROFILE")) return {};
  const bool timeline = holds("CUPTI_ACTIVITY_KIND_KERNEL") || holds("CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
  return {.timeline = timeline, .kernel_report = true};
}

}  // namespace
}  // namespace nsys_sqlite

extern const Importer nsys_sqlite_importer;
const Importer nsys_sqlite_importer{
    .name = "nsys_sqlite",
    .description = "Nsight Systems SQLite export (nsys export --type sqlite), 2021 to 2026",
    .recognizes = nsys_sqlite::recognizes,
    .picks = nsys_sqlite::picks,
    .read = nsys_sqlite::read,
    .content = nsys_sqlite::content_of,
};

}  // namespace sonde
