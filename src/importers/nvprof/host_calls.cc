#include <map>
#include <set>

#include "importers/nsys/rules.h"
#include "importers/nvprof/call_names.h"
#include "importers/nvprof/session.h"

/// API calls, the profiler's own overhead, and NVTX ranges and marks of a database of nvprof.
namespace sonde::nvprof {
namespace {

void read_calls(NsysFile& file, const Session& session, std::string_view table, CallClass call_class,
                std::string (*name_of)(int64_t)) {
  TableQuery query = file.query(table);
  if (!query.exists()) return;
  const Cell start = query.column("start");
  const Cell end = query.column("end");
  const Cell callback = query.column("cbid");
  const Cell process = query.column("processId");
  const Cell thread = query.column("threadId");
  const Cell correlation = query.column_if(file.wants(Field::launches), "correlationId");
  const Cell result = query.column_if(file.wants(Field::api_results), "returnValue");
  file.read_table(query, file.trace().api, {&Calls::name}, [&](auto& row, Part<Calls>& part) {
    Calls& c = part.rows;
    row.put(start, c.start, int64_t{0});
    // A call that the program's end cut off has no end.
    const int64_t stop = row.integer(end, 0);
    c.end.push_back(stop == 0 ? c.start.back() : stop);
    c.name.push_back(part.texts.intern(name_of(row.integer(callback, -1))) | kInlineText);
    c.thread.push_back(part.threads.id(session.known_thread(row.integer(process, 0), row.integer(thread, 0))));
    c.call_class.push_back(static_cast<uint8_t>(call_class));
    row.put(correlation, c.correlation, 0U);
    row.put(result, c.result, kUnknown);
  });
}

/// CUpti_ActivityOverheadKind.
std::string_view overhead_name(int64_t kind) {
  switch (kind) {
    case 1: return "CUDA driver compiler";
    case 1 << 16: return "CUPTI buffer flush";
    case 2 << 16: return "CUPTI instrumentation";
    case 3 << 16: return "CUPTI resource";
    default: return "CUPTI overhead";
  }
}

/// The records of NVTX: one for a mark, two for a range, with the same number.
class MarkerReader {
 public:
  MarkerReader(NsysFile& file, Session& session, TableQuery& q)
      : file_(file),
        session_(session),
        flags_(q.column("flags")),
        time_(q.column("timestamp")),
        id_(q.column("id")),
        kind_(q.column("objectKind")),
        object_(q.column("objectId")),
        name_(q.column("name")),
        domain_(q.column("domain")) {}

  void read(auto& row) {
    // CUPTI_ACTIVITY_FLAG_MARKER_*
    constexpr int64_t kInstant = 1;
    constexpr int64_t kStart = 2;
    constexpr int64_t kEnd = 4;
    const int64_t flags = row.integer(flags_, 0);
    if ((flags & kInstant) != 0 && file_.wants(Field::marks)) mark(row);
    if ((flags & kStart) != 0 && file_.wants(Field::ranges)) open(row);
    if ((flags & kEnd) != 0) close(row);
  }

  nsys::NvtxPart part;

 private:
  struct Place {
    uint64_t thread;
    uint32_t domain;
    bool of_process;  ///< a start/end range, which belongs to no thread
  };
  Place place(auto& row) {
    const Object object = object_of(row.integer(kind_, 0), row.text(object_));
    const bool of_process = object.thread < 0;
    const uint64_t thread = session_.thread(object.process, of_process ? object.process : object.thread);
    const uint64_t process = thread & ~uint64_t{0xFFFFFF};
    return {thread, part.domains.id({process, row.integer(domain_, 0)}), of_process};
  }
  void mark(auto& row) {
    const Place at = place(row);
    part.marks.start.push_back(row.integer(time_, 0));
    part.marks.name.push_back(text_id(row, name_));
    part.marks.thread.push_back(part.threads.id(at.thread));
    part.marks.domain.push_back(static_cast<DomainId>(at.domain));
  }
  void open(auto& row) {
    const Place at = place(row);
    Ranges& r = part.rows;
    open_[row.integer(id_, 0)] = r.start.size();
    r.start.push_back(row.integer(time_, 0));
    r.end.push_back(kUnknown);
    r.name.push_back(text_id(row, name_));
    r.thread.push_back(part.threads.id(at.thread));
    r.end_thread.push_back(r.thread.back());
    r.domain.push_back(static_cast<DomainId>(at.domain));
    r.style.push_back(static_cast<uint8_t>(at.of_process ? RangeStyle::start_end : RangeStyle::push_pop));
  }
  void close(auto& row) {
    const auto range = open_.find(row.integer(id_, 0));
    if (range == open_.end()) return;
    part.rows.end[range->second] = row.integer(time_, 0);
    open_.erase(range);
  }

  NsysFile& file_;
  Session& session_;
  Cell flags_, time_, id_, kind_, object_, name_, domain_;
  std::map<int64_t, size_t> open_;
};

/// Texts of the domains: a domain's number is that of its name in StringTable.
std::map<int64_t, std::string> domain_names(const NsysFile& file) {
  std::map<int64_t, std::string> names;
  auto rows = file.database().prepare(
      "SELECT DISTINCT m.domain, s.value FROM CUPTI_ACTIVITY_KIND_MARKER m JOIN StringTable s ON s._id_ = m.domain "
      "WHERE m.domain <> 0");
  while (rows && rows->next().value_or(false)) names[rows->integer(0)] = rows->text(1);
  return names;
}

}  // namespace

void read_calls(NsysFile& file, const Session& session) {
  if (!file.wants(Field::api)) return;
  read_calls(file, session, "CUPTI_ACTIVITY_KIND_RUNTIME", CallClass::runtime, runtime_call_name);
  read_calls(file, session, "CUPTI_ACTIVITY_KIND_DRIVER", CallClass::driver, driver_call_name);
}

void read_overheads(NsysFile& file, Session& session) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_OVERHEAD");
  if (!file.wants(Field::overheads) || !query.exists()) return;
  const Cell start = query.column("start");
  const Cell end = query.column("end");
  const Cell kind = query.column("overheadKind");
  const Cell object_kind = query.column("objectKind");
  const Cell object = query.column("objectId");
  Part<Calls> part;
  file.each_row(query, [&](auto& row) {
    const Object owner = object_of(row.integer(object_kind, 0), row.text(object));
    Calls& c = part.rows;
    row.put(start, c.start, int64_t{0});
    row.put(end, c.end, c.start.back());
    c.name.push_back(part.texts.intern(overhead_name(row.integer(kind, 0))) | kInlineText);
    c.thread.push_back(owner.thread < 0 ? kNone : part.threads.id(session.thread(owner.process, owner.thread)));
    c.call_class.push_back(static_cast<uint8_t>(CallClass::overhead));
  });
  const IdMap keys = file.adopt(part);
  file.append(std::move(part.rows), keys, file.trace().overheads, {&Calls::name});
}

void read_markers(NsysFile& file, Session& session) {
  TableQuery query = file.query("CUPTI_ACTIVITY_KIND_MARKER");
  if (!query.exists() || (!file.wants(Field::ranges) && !file.wants(Field::marks))) return;
  MarkerReader markers(file, session, query);
  query.order_by(" ORDER BY timestamp, rowid");
  file.each_row(query, [&](auto& row) { markers.read(row); });
  const auto names = domain_names(file);
  for (const DomainKey& key : markers.part.domains.keys()) {
    const auto name = names.find(key.domain);
    if (name != names.end()) markers.part.domain_names.push_back({key, name->second});
  }
  nsys::append_ranges(file, {&markers.part, 1});
}

}  // namespace sonde::nvprof
