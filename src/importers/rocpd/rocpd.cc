#include <algorithm>
#include <array>
#include <map>

#include "importers/files/kernel_names.h"
#include "importers/nsys/rules.h"
#include "importers/nsys/streams.h"
#include "importers/nsys/tables.h"
#include "importers/rocpd/queries.h"
#include "trace/align.h"
#include "trace/columns.h"

/// rocpd databases of AMD's rocprofv3 (schema version 3: rocpd_tables.sql of rocprofiler-sdk). Each table has a name
/// with the run's id behind it and a view without; the views are read.
namespace sonde {
namespace rocpd {
namespace {

uint64_t global_process(int64_t pid) { return (static_cast<uint64_t>(pid) & 0xFFFFFF) << 24; }
uint64_t global_thread(int64_t pid, int64_t tid) {
  return global_process(pid) | (static_cast<uint64_t>(tid) & 0xFFFFFF);
}

/// Of the "stack id": the number that a call and what it put on a queue share.
uint32_t correlation_of(int64_t id) { return std::in_range<uint32_t>(id) ? static_cast<uint32_t>(id) : 0; }

bool recognizes(const Probe& probe) {
  return std::ranges::any_of(probe.tables(),
                             [](std::string_view table) { return table.starts_with("rocpd_kernel_dispatch"); });
}

/// Calls `f(row)` with each row of a query; damage goes to the log.
void each_row(NsysFile& file, std::string_view table, const char* sql, auto&& f) {
  const auto damaged = [&](const Error& error) {
    file.trace().log.add(Issue::damaged_table, fmt::format("{}: {}", table, error.message));
  };
  auto rows = file.database().prepare(sql);
  if (!rows) return damaged(rows.error());
  for (;;) {
    const auto next = rows->next();
    if (!next) return damaged(next.error());
    if (!*next) return;
    f(*rows);
  }
}

template <typename Table>
void append(NsysFile& file, Part<Table>& part, Table& table, std::initializer_list<Ids Table::*> names) {
  const IdMap keys = file.adopt(part);
  file.append(std::move(part.rows), keys, table, names);
}

int64_t or_else(const Statement& row, int column, int64_t absent) {
  return row.is_null(column) ? absent : row.integer(column);
}

int32_t small(const Statement& row, int column) {
  const int64_t value = or_else(row, column, kUnknown);
  return std::in_range<int32_t>(value) ? static_cast<int32_t>(value) : kUnknown32;
}

/// The first columns of each query of GPU work: start, end, pid, device, stream, stack id.
enum Column : int { kStart, kEnd, kPid, kDevice, kStream, kStack, kFirstOwn };

template <typename Table>
void put_operation(const NsysFile& file, const Statement& row, Part<Table>& part) {
  part.rows.start.push_back(row.integer(kStart));
  part.rows.end.push_back(row.integer(kEnd));
  if (file.wants(Field::launches)) part.rows.correlation.push_back(correlation_of(or_else(row, kStack, 0)));
  if (!file.wants(Field::streams)) return;
  StreamKey key;
  key.process = global_process(or_else(row, kPid, 0));
  key.device = static_cast<int32_t>(or_else(row, kDevice, -1));
  key.stream = static_cast<uint32_t>(or_else(row, kStream, 0));
  part.rows.stream.push_back(part.streams.id(key));
}

/// The grid of a dispatch is in work-items: its groups are counted, the last one of an axis may be partial.
Dim3 groups_of(const Dim3& work_items, const Dim3& group) {
  Dim3 groups{};
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i] = group[i] == 0 ? 0 : static_cast<uint32_t>((uint64_t{work_items[i]} + group[i] - 1) / group[i]);
  }
  return groups;
}

void read_kernels(NsysFile& file) {
  if (!file.wants(Field::kernels)) return;
  Part<Kernels> part;
  each_row(file, "rocpd_kernel_dispatch", kKernelQuery, [&](const Statement& row) {
    int column = kFirstOwn;
    const auto shape = [&] {
      const int first = std::exchange(column, column + 3);
      const auto axis = [&](int i) { return static_cast<uint32_t>(or_else(row, first + i, 0)); };
      return Dim3{axis(0), axis(1), axis(2)};
    };
    Kernels& k = part.rows;
    put_operation(file, row, part);
    k.name.push_back(row.is_null(column) ? kNone : part.texts.intern(row.text(column)) | kInlineText);
    ++column;
    const Dim3 group = shape();
    const Dim3 work_items = shape();
    if (file.wants(Field::kernel_grid)) {
      k.grid.push_back(groups_of(work_items, group));
      k.block.push_back(group);
    }
    if (!file.wants(Field::kernel_resources)) return;
    k.shared_bytes.push_back(small(row, column));
    k.local_bytes_per_thread.push_back(small(row, column + 1));
    k.registers.push_back(small(row, column + 2));
  });
  append(file, part, file.trace().kernels, {&Kernels::name});
}

/// "MEMORY_COPY_HOST_TO_DEVICE" and the like.
CopyKind copy_kind(std::string_view name) {
  if (name.ends_with("HOST_TO_DEVICE")) return CopyKind::host_to_device;
  if (name.ends_with("DEVICE_TO_HOST")) return CopyKind::device_to_host;
  if (name.ends_with("DEVICE_TO_DEVICE")) return CopyKind::device_to_device;
  if (name.ends_with("HOST_TO_HOST")) return CopyKind::host_to_host;
  return CopyKind::unknown;
}

void read_copies(NsysFile& file) {
  if (!file.wants(Field::copies) || !file.has_table("rocpd_memory_copy")) return;
  Part<Copies> part;
  each_row(file, "rocpd_memory_copy", kCopyQuery, [&](const Statement& row) {
    put_operation(file, row, part);
    part.rows.bytes.push_back(or_else(row, kFirstOwn, kUnknown));
    part.rows.kind.push_back(static_cast<uint8_t>(copy_kind(row.text(kFirstOwn + 1))));
  });
  append(file, part, file.trace().copies, {});
}

/// What the rows of rocpd_region are: calls of several APIs, and ranges of the program (rocTX).
struct Regions {
  Part<Calls> api;
  Part<Calls> library;
  nsys::NvtxPart ranges;
  std::map<std::string, int64_t, std::less<>> unknown;  ///< rows by category
};

void put_call(const NsysFile& file, const Statement& row, CallClass call_class, Part<Calls>& part) {
  Calls& c = part.rows;
  c.start.push_back(row.integer(0));
  c.end.push_back(row.integer(1));
  c.thread.push_back(part.threads.id(global_thread(or_else(row, 2, 0), or_else(row, 3, 0))));
  c.name.push_back(part.texts.intern(row.text(5)) | kInlineText);
  c.call_class.push_back(static_cast<uint8_t>(call_class));
  if (file.wants(Field::launches)) c.correlation.push_back(correlation_of(or_else(row, 4, 0)));
}

void put_range(const Statement& row, nsys::NvtxPart& part) {
  Ranges& r = part.rows;
  const int64_t pid = or_else(row, 2, 0);
  r.start.push_back(row.integer(0));
  r.end.push_back(row.integer(1));
  r.thread.push_back(part.threads.id(global_thread(pid, or_else(row, 3, 0))));
  r.end_thread.push_back(r.thread.back());
  r.name.push_back(part.texts.intern(row.text(row.is_null(7) ? 5 : 7)) | kInlineText);
  r.domain.push_back(static_cast<DomainId>(part.domains.id({global_process(pid), 0})));
  const bool of_thread = row.text(5) != "roctxProcessRangeA";
  r.style.push_back(static_cast<uint8_t>(of_thread ? RangeStyle::push_pop : RangeStyle::start_end));
}

/// By the category of the record: MARKER_CORE_RANGE_API, HIP_RUNTIME_API, HSA_CORE_API, RCCL_API and so on.
void put_region(const NsysFile& file, const Statement& row, Regions& regions) {
  const std::string_view category = row.text(6);
  if (category.starts_with("MARKER")) {
    if (file.wants(Field::ranges)) put_range(row, regions.ranges);
  } else if (category.starts_with("HIP") || category.starts_with("HSA")) {
    const CallClass api = category.starts_with("HIP") ? CallClass::runtime : CallClass::driver;
    if (file.wants(Field::api)) put_call(file, row, api, regions.api);
  } else if (category.starts_with("RCCL")) {
    if (file.wants(Field::library_calls)) put_call(file, row, CallClass::nccl, regions.library);
  } else {
    ++regions.unknown[std::string(category)];
  }
}

void read_regions(NsysFile& file) {
  if (!file.has_table("rocpd_region")) return;
  if (!file.wants(Field::api) && !file.wants(Field::ranges) && !file.wants(Field::library_calls)) return;
  Regions regions;
  each_row(file, "rocpd_region", kRegionQuery, [&](const Statement& row) { put_region(file, row, regions); });
  for (const auto& [category, count] : regions.unknown) file.trace().log.add(Issue::unknown_category, category, count);
  append(file, regions.api, file.trace().api, {&Calls::name});
  append(file, regions.library, file.trace().library_calls, {&Calls::name});
  nsys::append_ranges(file, {&regions.ranges, 1});
}

void read_agents(NsysFile& file) {
  if (!file.wants(Field::streams)) return;
  each_row(file, "rocpd_info_agent", kAgentQuery, [&](const Statement& row) {
    Device& d = file.trace().devices.emplace_back();
    d.rank = file.rank();
    d.id = row.integer(0);
    d.cuda_ordinal = row.integer(1);
    d.name = row.text(2);
    d.chip = row.text(3);
  });
  nsys::place_streams(file, {});
}

void name_processes(NsysFile& file) {
  each_row(file, "rocpd_info_process", kProcessQuery, [&](const Statement& row) {
    const auto known = file.processes().find(global_process(row.integer(0)));
    if (known != file.processes().end()) {
      file.trace().processes[known->second].name = file.trace().names.intern(row.text(1));
    }
  });
}

void read_about(NsysFile& file) {
  Rank& rank = file.trace().ranks[file.rank()];
  rank.product = "AMD rocprofv3";
  each_row(file, "rocpd_metadata", kVersionQuery, [&](const Statement& row) { rank.schema_version = row.text(0); });
}

/// Of the views, whose names have no run's id behind them.
bool is_known(std::string_view table) {
  constexpr std::array<std::string_view, 4> kUnread = {"rocpd_pmc_event", "rocpd_sample", "rocpd_memory_allocate",
                                                       "rocpd_graph_launch"};
  return std::ranges::find(kUnread, table) == kUnread.end();
}

/// Rows of the views that hold events. The tables behind them, and views for people, would repeat these.
void count_views(NsysFile& file) {
  constexpr std::array<std::string_view, 7> kViews = {
      "rocpd_kernel_dispatch", "rocpd_memory_copy",     "rocpd_region",      "rocpd_pmc_event",
      "rocpd_sample",          "rocpd_memory_allocate", "rocpd_graph_launch"};
  for (const std::string_view view : kViews) {
    if (!file.has_rows(view)) continue;
    auto rows = file.database().prepare(fmt::format("SELECT count(*) FROM {}", view));
    if (!rows || !rows->next().value_or(false)) continue;
    file.trace().ranks[file.rank()].holds.emplace_back(view, rows->integer(0));
    if (!is_known(view)) file.trace().log.add(Issue::unknown_table, view);
  }
}

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  const std::vector<size_t> rows = row_counts(trace);
  const size_t first_kernel = row_count(trace.kernels);
  auto file = NsysFile::open(path, request, trace, {.format = "rocpd"});
  if (!file) return std::unexpected(file.error());
  const auto dispatches = file->tables().find("rocpd_kernel_dispatch");
  if (dispatches == file->tables().end() ||
      std::ranges::find(dispatches->second, "agent_id") == dispatches->second.end()) {
    return fail(
        "{} is a rocpd database whose schema Sonde does not support; it supports version 3, which rocprofv3 of "
        "ROCm 7 writes",
        path);
  }
  read_about(*file);
  if (file->wants(Field::inventory)) count_views(*file);
  read_kernels(*file);
  read_copies(*file);
  read_regions(*file);
  read_agents(*file);
  name_processes(*file);
  file->resolve_names();
  spread_kernel_names(trace, first_kernel);
  constexpr std::array<NsysFile::TimeColumn, 3> kTimes = {
      {{"rocpd_kernel_dispatch", "start"}, {"rocpd_memory_copy", "start"}, {"rocpd_region", "start"}}};
  file->begin_at_zero(rows, kTimes);
  return {};
}

}  // namespace
}  // namespace rocpd

extern const Importer rocpd_importer;
constinit const Importer rocpd_importer{
    .name = "rocpd",
    .description = "rocpd databases of AMD's rocprofv3 (.db, schema version 3)",
    .recognizes = rocpd::recognizes,
    .picks = rocpd::recognizes,
    .read = rocpd::read,
};

}  // namespace sonde
