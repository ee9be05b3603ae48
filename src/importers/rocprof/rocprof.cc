#include <algorithm>
#include <array>

#include "importers/files/kernel_names.h"
#include "importers/nsys/rules.h"
#include "importers/nsys/streams.h"
#include "importers/nsys/tables.h"
#include "trace/align.h"
#include "trace/columns.h"

/// Databases of AMD's rocprof (versions 1 and 2): one table a kind of record, with texts in the rows. The tables and
/// columns are those of the tool's script tblextr.py.
namespace sonde {
namespace rocprof {
namespace {

uint64_t global_process(int64_t pid) { return (static_cast<uint64_t>(pid) & 0xFFFFFF) << 24; }
uint64_t global_thread(int64_t pid, int64_t tid) {
  return global_process(pid) | (static_cast<uint64_t>(tid) & 0xFFFFFF);
}

/// Of "Index", which joins an operation to the call that put it on a queue.
uint32_t correlation_of(int64_t index) { return std::in_range<uint32_t>(index) ? static_cast<uint32_t>(index) : 0; }

bool has_table(const Probe& probe, std::string_view name) {
  return std::ranges::find(probe.tables(), name) != probe.tables().end();
}

bool has_columns(const std::string& path, std::string_view table, std::initializer_list<std::string_view> wanted) {
  const auto database = Database::open_read_only(path);
  const auto columns = database ? database->columns(table) : std::unexpected(database.error());
  return columns && std::ranges::all_of(wanted, [&](std::string_view column) {
           return std::ranges::find(*columns, column) != columns->end();
         });
}

/// A table's name alone says little: any program may have a table "COPY".
bool recognizes(const Probe& probe) {
  if (has_table(probe, "KERN")) return has_columns(probe.path(), "KERN", {"KernelName", "gpu-id"});
  for (const std::string_view table : {"OPS", "HIP", "HSA"}) {
    if (has_table(probe, table)) return has_columns(probe.path(), table, {"BeginNs", "EndNs", "__section"});
  }
  return false;
}

/// Times, and where an operation ran.
class OpCells {
 public:
  OpCells(const NsysFile& file, TableQuery& q, std::string_view device)
      : wants_stream_(file.wants(Field::streams)),
        wants_launch_(file.wants(Field::launches)),
        begin_(q.column("BeginNs")),
        end_(q.column("EndNs")),
        index_(q.column("Index")),
        pid_(q.column("pid")),
        device_(q.column(device)),
        queue_(q.column("queue-id")) {}

  /// With `is_joined`, "Index" is that of a call.
  template <typename Table>
  void read(auto& row, Part<Table>& part, bool is_joined) const {
    row.put(begin_, part.rows.start, int64_t{0});
    row.put(end_, part.rows.end, part.rows.start.back());
    if (wants_launch_) part.rows.correlation.push_back(is_joined ? correlation_of(row.integer(index_, 0)) : 0);
    if (!wants_stream_) return;
    StreamKey key;
    key.process = global_process(row.integer(pid_, 0));
    key.device = static_cast<int32_t>(row.integer(device_, -1));
    key.stream = static_cast<uint32_t>(row.integer(queue_, 0));
    part.rows.stream.push_back(part.streams.id(key));
  }

 private:
  bool wants_stream_, wants_launch_;
  Cell begin_, end_, index_, pid_, device_, queue_;
};

/// The tool puts names in quotes, and the loader's mark behind them.
std::string_view kernel_name(std::string_view text) {
  if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"')) text = text.substr(1, text.size() - 2);
  for (const std::string_view mark : {" [clone .kd]", ".kd"}) {
    if (text.ends_with(mark)) return text.substr(0, text.size() - mark.size());
  }
  return text;
}

template <typename Table>
void append(NsysFile& file, Part<Table>& part, Table& table, std::initializer_list<Ids Table::*> names) {
  const IdMap keys = file.adopt(part);
  file.append(std::move(part.rows), keys, table, names);
}

/// Kernels with what they use. "grd" and "wgr" are work-items, all axes multiplied.
void read_kernels(NsysFile& file) {
  TableQuery query = file.query("KERN");
  const OpCells common(file, query, "gpu-id");
  const Cell name = query.column("KernelName");
  const Cell work_items = query.column("grd");
  const Cell group = query.column("wgr");
  const bool resources = file.wants(Field::kernel_resources);
  const Cell registers = query.column_if(resources, "arch_vgpr");
  const Cell shared = query.column_if(resources, "lds");
  const Cell scratch = query.column_if(resources, "scr");
  Part<Kernels> part;
  file.each_row(query, [&](auto& row) {
    Kernels& k = part.rows;
    common.read(row, part, false);
    k.name.push_back(part.texts.intern(kernel_name(row.text(name))) | kInlineText);
    if (file.wants(Field::kernel_grid)) {
      const int64_t threads = std::max<int64_t>(row.integer(group, 1), 1);
      const int64_t groups = std::max<int64_t>(row.integer(work_items, 0) / threads, 1);
      k.grid.push_back({static_cast<uint32_t>(groups), 1, 1});
      k.block.push_back({static_cast<uint32_t>(threads), 1, 1});
    }
    row.put(registers, k.registers, kUnknown32);
    row.put(shared, k.shared_bytes, kUnknown32);
    row.put(scratch, k.local_bytes_per_thread, kUnknown32);
  });
  append(file, part, file.trace().kernels, {&Kernels::name});
}

/// Kernels of a trace of HIP calls, where the tool counted none.
void read_operations(NsysFile& file) {
  TableQuery query = file.query("OPS");
  if (!query.exists()) return;
  const OpCells common(file, query, "dev-id");
  const Cell name = query.column("Name");
  Part<Kernels> part;
  file.each_row(query, [&](auto& row) {
    const std::string_view text = kernel_name(row.text(name));
    if (text == "<barrier packet>") return;
    part.rows.name.push_back(part.texts.intern(text) | kInlineText);
    common.read(row, part, true);
  });
  append(file, part, file.trace().kernels, {&Kernels::name});
}

/// "CopyHostToDevice" and the like of HIP; HSA's "async-copy" does not say more.
CopyKind copy_kind(std::string_view name) {
  if (name.contains("HostToDevice")) return CopyKind::host_to_device;
  if (name.contains("DeviceToHost")) return CopyKind::device_to_host;
  if (name.contains("DeviceToDevice")) return CopyKind::device_to_device;
  return CopyKind::unknown;
}

void read_copies(NsysFile& file) {
  TableQuery query = file.query("COPY");
  if (!query.exists()) return;
  const OpCells common(file, query, "dev-id");
  const Cell name = query.column("Name");
  const bool is_joined = file.has_rows("HIP");
  Part<Copies> copies;
  Part<Sets> sets;
  file.each_row(query, [&](auto& row) {
    const std::string_view text = row.text(name);
    if (text.contains("Fill")) {
      if (!file.wants(Field::sets)) return;
      sets.rows.bytes.push_back(kUnknown);
      common.read(row, sets, is_joined);
    } else if (file.wants(Field::copies)) {
      copies.rows.kind.push_back(static_cast<uint8_t>(copy_kind(text)));
      copies.rows.bytes.push_back(kUnknown);
      common.read(row, copies, is_joined && text != "async-copy");
    }
  });
  append(file, copies, file.trace().copies, {});
  append(file, sets, file.trace().sets, {});
}

/// HSA calls are numbered like HIP calls: only HIP's numbers join.
void read_calls(NsysFile& file, std::string_view table, CallClass call_class, bool is_joined) {
  TableQuery query = file.query(table);
  if (!file.wants(Field::api) || !query.exists()) return;
  const Cell begin = query.column("BeginNs");
  const Cell end = query.column("EndNs");
  const Cell name = query.column("Name");
  const Cell pid = query.column("pid");
  const Cell tid = query.column("tid");
  const Cell index = query.column("Index");
  Part<Calls> part;
  file.each_row(query, [&](auto& row) {
    Calls& c = part.rows;
    row.put(begin, c.start, int64_t{0});
    row.put(end, c.end, c.start.back());
    c.name.push_back(part.texts.intern(row.text(name)) | kInlineText);
    c.thread.push_back(part.threads.id(global_thread(row.integer(pid, 0), row.integer(tid, 0))));
    c.call_class.push_back(static_cast<uint8_t>(call_class));
    if (file.wants(Field::launches)) c.correlation.push_back(is_joined ? correlation_of(row.integer(index, 0)) : 0);
  });
  append(file, part, file.trace().api, {&Calls::name});
}

/// rocTX: a mark lasts for 1 ns; a range that belongs to no thread has the lane 0.
void read_markers(NsysFile& file) {
  TableQuery query = file.query("rocTX");
  if (!file.wants(Field::ranges) || !query.exists()) return;
  const Cell begin = query.column("BeginNs");
  const Cell end = query.column("EndNs");
  const Cell name = query.column("Name");
  const Cell pid = query.column("pid");
  const Cell tid = query.column("tid");
  const Cell lane = query.column("__lane");
  nsys::NvtxPart part;
  file.each_row(query, [&](auto& row) {
    Ranges& r = part.rows;
    const int64_t process = row.integer(pid, 0);
    const bool of_thread = row.integer(lane, 0) != 0;
    row.put(begin, r.start, int64_t{0});
    row.put(end, r.end, kUnknown);
    r.name.push_back(part.texts.intern(row.text(name)) | kInlineText);
    r.thread.push_back(part.threads.id(global_thread(process, row.integer(tid, 0))));
    r.end_thread.push_back(r.thread.back());
    r.domain.push_back(static_cast<DomainId>(part.domains.id({global_process(process), 0})));
    r.style.push_back(static_cast<uint8_t>(of_thread ? RangeStyle::push_pop : RangeStyle::start_end));
  });
  nsys::append_ranges(file, {&part, 1});
}

/// The database names no GPU: it has the numbers that the driver gives them.
void read_devices(NsysFile& file) {
  std::vector<int64_t> numbers;
  for (const Stream& stream : file.trace().streams) {
    const bool is_mine = file.trace().processes[stream.process].rank == file.rank();
    if (is_mine && stream.ordinal >= 0 && std::ranges::find(numbers, stream.ordinal) == numbers.end()) {
      numbers.push_back(stream.ordinal);
    }
  }
  for (const int64_t number : numbers) {
    Device& d = file.trace().devices.emplace_back();
    d.rank = file.rank();
    d.id = number;
    d.cuda_ordinal = number;
    d.name = fmt::format("AMD GPU {}", number);
  }
  nsys::place_streams(file, {});
}

bool is_known(std::string_view table) {
  constexpr std::array<std::string_view, 6> kKnown = {"KERN", "OPS", "COPY", "HIP", "HSA", "rocTX"};
  return std::ranges::find(kKnown, table) != kKnown.end();
}

Status read_all(NsysFile& file, const std::string& path) {
  file.trace().ranks[file.rank()].product = "AMD rocprof";
  if (file.wants(Field::inventory)) nsys::count_tables(file, is_known);
  const bool has_times = has_columns(path, "KERN", {"BeginNs", "EndNs"});
  if (file.has_rows("KERN") && !has_times && !file.has_rows("OPS")) {
    return fail("{} has counters of rocprof without times; record it again with --timestamp on", path);
  }
  if (file.wants(Field::kernels)) {
    if (has_times && file.has_rows("KERN")) {
      read_kernels(file);
    } else {
      read_operations(file);
    }
  }
  read_copies(file);
  read_calls(file, "HIP", CallClass::runtime, true);
  read_calls(file, "HSA", CallClass::driver, false);
  read_markers(file);
  if (file.wants(Field::streams)) read_devices(file);
  return {};
}

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  const std::vector<size_t> rows = row_counts(trace);
  const size_t first_kernel = row_count(trace.kernels);
  auto file = NsysFile::open(path, request, trace, {.format = "rocprof"});
  if (!file) return std::unexpected(file.error());
  SONDE_TRY(read_all(*file, path));
  file->resolve_names();
  spread_kernel_names(trace, first_kernel);
  constexpr std::array<NsysFile::TimeColumn, 6> kTimes = {{{"KERN", "BeginNs"},
                                                           {"OPS", "BeginNs"},
                                                           {"COPY", "BeginNs"},
                                                           {"HIP", "BeginNs"},
                                                           {"HSA", "BeginNs"},
                                                           {"rocTX", "BeginNs"}}};
  file->begin_at_zero(rows, kTimes);
  return {};
}

}  // namespace
}  // namespace rocprof

extern const Importer rocprof_importer;
constinit const Importer rocprof_importer{
    .name = "rocprof",
    .description = "databases of AMD's rocprof (results.db of versions 1 and 2)",
    .recognizes = rocprof::recognizes,
    .picks = rocprof::recognizes,
    .read = rocprof::read,
};

}  // namespace sonde
