#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "importers/importer.h"
#include "importers/nsys_scan.h"
#include "trace/columns.h"

namespace sonde {

/// What tells one GPU stream from another in an Nsight Systems export.
struct StreamKey {
  uint64_t process = 0;  ///< globalPid
  int32_t device = -1;
  uint32_t context = 0;
  uint32_t green_context = kNone;
  uint32_t stream = kNone;
  bool operator==(const StreamKey&) const = default;
  friend size_t hash_value(const StreamKey& k);
};

/// A domain id means something in its process only.
struct DomainKey {
  uint64_t process = 0;
  int64_t domain = 0;
  auto operator<=>(const DomainKey&) const = default;
  friend size_t hash_value(const DomainKey& k);
};

/// The ids that rows use, as one thread of a scan met them.
struct LocalKeys {
  LocalIds<uint64_t> threads;    ///< globalTid
  LocalIds<uint64_t> processes;  ///< globalPid
  LocalIds<StreamKey> streams;
  LocalIds<DomainKey> domains;
  StringPool texts;  ///< texts that stand in the rows themselves
};

/// Rows of one table as one thread of a scan read them.
template <typename Table>
struct Part : LocalKeys {
  Table rows;
};

/// How the ids of a part map to the trace's.
struct GlobalKeys {
  std::vector<uint32_t> threads, processes, streams, domains;
  uint32_t first_text = 0;  ///< what is added to a kInlineText id
};

/// One export while it is being read: the database, the trace that it goes into, and how the file's ids map to the
/// trace's. Name columns hold ids of the file's string table until resolve_names().
class NsysFile {
 public:
  [[nodiscard]] static Result<NsysFile> open(const std::string& path, const ImportRequest& request, Trace& trace);

  [[nodiscard]] Trace& trace() { return *trace_; }
  [[nodiscard]] const Database& database() const { return database_; }
  [[nodiscard]] bool wants(Field field) const { return request_->fields.has(field); }
  [[nodiscard]] RankId rank() const { return rank_; }
  [[nodiscard]] bool has_table(std::string_view table) const { return tables_.contains(table); }
  [[nodiscard]] bool has_rows(std::string_view table) const;
  [[nodiscard]] const std::map<std::string, std::vector<std::string>, std::less<>>& tables() const { return tables_; }
  [[nodiscard]] TableQuery query(std::string_view table) const;

  [[nodiscard]] ProcessId process(uint64_t global_pid);
  [[nodiscard]] ThreadId thread(uint64_t global_tid);
  [[nodiscard]] StreamId stream(const StreamKey& key);
  [[nodiscard]] DomainId domain(const DomainKey& key);
  void name_domain(const DomainKey& key, std::string_view name) { domain_names_[key] = name; }

  [[nodiscard]] boost::unordered_flat_map<uint64_t, ProcessId>& processes() { return processes_; }
  [[nodiscard]] boost::unordered_flat_map<uint64_t, ThreadId>& threads() { return threads_; }

  /// Reads a table from its pages, in as many parts as there are workers; parts come back in the order of the file. A
  /// table whose pages do not tell it all (a view, say) is read by SQL. `row(reader, part)` appends one row, whatever
  /// the reader's type is. Damage and wrong types go to the import log.
  template <typename PartT, typename Row>
  [[nodiscard]] std::vector<PartT> scan(const TableQuery& query, Row&& row);

  /// Gives the ids of a part their place in the trace; parts must come in the order of the file.
  [[nodiscard]] GlobalKeys adopt(const LocalKeys& keys);
  /// Appends rows whose ids `keys` maps. `name_columns` are those that hold ids of the string table.
  template <typename Table>
  void append(std::type_identity_t<Table>&& rows, const GlobalKeys& keys, Table& table,
              std::initializer_list<Ids Table::*> name_columns);
  /// scan(), adopt() and append(): what a table without peculiarities needs.
  template <typename Table, typename Row>
  void read_table(const TableQuery& query, Table& table, std::initializer_list<Ids Table::*> name_columns, Row&& row);

  /// A whole small table by one statement, in file order.
  template <typename Row>
  void each_row(const TableQuery& query, Row&& row);

  /// The names of one entity, such as a thread, to be filled in with the text of a string id.
  void name_later(NameId& slot) { name_slots_.push_back(&slot); }
  /// A column of `trace` that holds ids of the string table from row `first` to its present end.
  void names_from(Ids& column, size_t first) { name_columns_.push_back({&column, first, column.size()}); }
  /// Takes back names_from() for a column whose rows changed.
  void forget_names(const Ids& column) {
    std::erase_if(name_columns_, [&](const NameRows& rows) { return rows.column == &column; });
  }
  /// Turns all ids of the string table into NameIds: one pass over the table, reading only the texts that are used.
  void resolve_names();

 private:
  NsysFile(Database database, MappedFile bytes, const std::string& path, const ImportRequest& request, Trace& trace);
  /// Where the pages of a table are, and which of its columns is the rowid.
  struct Place {
    std::vector<uint32_t> leaves;
    std::optional<uint32_t> rowid_column;
  };
  /// Absent when only SQL can read the table.
  [[nodiscard]] std::optional<Place> place_of(const TableQuery& query);
  void note(const TableQuery& query, const ScanEnd& end);
  /// Fills in the NameIds of the wanted string ids; ids that the table does not hold are named by number.
  void read_strings(boost::unordered_flat_map<uint32_t, NameId>& wanted);

  Database database_;
  MappedFile bytes_;
  std::optional<SqlitePages> pages_;
  std::string file_;  ///< what may be shown of its path
  const ImportRequest* request_;
  Trace* trace_;
  RankId rank_;
  std::map<std::string, std::vector<std::string>, std::less<>> tables_;
  boost::unordered_flat_map<uint64_t, ProcessId> processes_;
  boost::unordered_flat_map<uint64_t, ThreadId> threads_;
  boost::unordered_flat_map<StreamKey, StreamId> streams_;
  std::map<DomainKey, std::string> domain_names_;
  std::map<DomainKey, DomainId> domains_;
  struct NameRows {
    Ids* column;
    size_t first;
    size_t end;
  };
  std::vector<NameRows> name_columns_;
  std::vector<NameId*> name_slots_;
  std::vector<NameId> inline_names_;  ///< NameIds of texts that stood in rows; index = id without kInlineText
};

/// Leaf pages below which a second thread costs more than it saves: a page is read in some 10 us.
inline constexpr size_t kLeavesWorthAThread = 64;

template <typename PartT, typename Row>
std::vector<PartT> NsysFile::scan(const TableQuery& query, Row&& row) {
  const auto place = place_of(query);
  if (!place) {
    std::vector<PartT> whole(1);
    each_row(query, [&](auto& reader) { row(reader, whole.front()); });
    return whole;
  }
  const std::span leaves(place->leaves);
  const size_t count = std::clamp(leaves.size() / kLeavesWorthAThread, size_t{1}, worker_count());
  std::vector<PartT> parts(count);
  request_->progress->begin(fmt::format("reading {}, {}", file_, query.table()),
                            static_cast<int64_t>(leaves.size() * pages_->page_bytes()), "bytes");
  std::vector<ScanEnd> ends(count);
  parallel_for(count, [&](size_t i) {
    const size_t first = leaves.size() * i / count;
    const size_t end = leaves.size() * (i + 1) / count;
    const auto mine = leaves.subspan(first, end - first);
    const auto read = [&](auto& reader) { row(reader, parts[i]); };
    const SqliteRow source(query.selected(), place->rowid_column);
    ends[i] = scan_leaves(*pages_, mine.first(std::min<size_t>(1, mine.size())), source, *request_->progress, read);
    // One leaf tells how long the columns will be: growing them step by step would copy them as often.
    reserve_rows(parts[i].rows, row_count(parts[i].rows) * mine.size());
    ends[i] += scan_leaves(*pages_, mine.subspan(std::min<size_t>(1, mine.size())), source, *request_->progress, read);
  });
  for (const ScanEnd& end : ends) note(query, end);
  return parts;
}

template <typename Row>
void NsysFile::each_row(const TableQuery& query, Row&& row) {
  auto statement = database_.prepare(query.sql());
  if (!statement) {
    note(query, {0, 0, statement.error().message});
    return;
  }
  note(query, scan_statement(*statement, row));
}

namespace nsys {

/// Puts global ids in the place of local ones; kNone, being none of them, stays.
template <typename Id>
void remap(std::vector<Id>& column, const std::vector<uint32_t>& ids) {
  for (Id& id : column) {
    if (id < ids.size()) id = static_cast<Id>(ids[id]);
  }
}

}  // namespace nsys

template <typename Table>
void NsysFile::append(std::type_identity_t<Table>&& rows, const GlobalKeys& keys, Table& table,
                      std::initializer_list<Ids Table::*> name_columns) {
  if constexpr (requires { rows.thread; }) nsys::remap(rows.thread, keys.threads);
  if constexpr (requires { rows.end_thread; }) nsys::remap(rows.end_thread, keys.threads);
  if constexpr (requires { rows.process; }) nsys::remap(rows.process, keys.processes);
  if constexpr (requires { rows.stream; }) nsys::remap(rows.stream, keys.streams);
  if constexpr (requires { rows.domain; }) nsys::remap(rows.domain, keys.domains);
  const size_t first = row_count(table);
  for (const auto column : name_columns) {
    for (uint32_t& id : rows.*column) {
      if (id != kNone && (id & kInlineText) != 0) id += keys.first_text;
    }
  }
  append_rows(table, std::move(rows));
  for (const auto column : name_columns) names_from(table.*column, first);
}

template <typename Table, typename Row>
void NsysFile::read_table(const TableQuery& query, Table& table, std::initializer_list<Ids Table::*> name_columns,
                          Row&& row) {
  for (Part<Table>& part : scan<Part<Table>>(query, row)) {
    const GlobalKeys keys = adopt(part);
    append(std::move(part.rows), keys, table, name_columns);
  }
}

}  // namespace sonde
