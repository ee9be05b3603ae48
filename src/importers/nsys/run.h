#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "importers/importer.h"
#include "importers/nsys/ids.h"
#include "trace/columns.h"

namespace sonde {

/// How the ids of a part map to those of the trace, or of a larger part.
struct IdMap {
  std::vector<uint32_t> threads, processes, streams, domains;
  std::vector<uint32_t> texts;  ///< without kInlineText
};

/// One recording of Nsight Systems on its way into a trace, whatever form its file has: how the file's ids map to the
/// trace's. Name columns hold ids of the file's string table until resolve_names().
class NsysRun {
 public:
  [[nodiscard]] Trace& trace() { return *trace_; }
  [[nodiscard]] bool wants(Field field) const { return request_->fields.has(field); }
  [[nodiscard]] RankId rank() const { return rank_; }
  [[nodiscard]] Progress& progress() const { return *request_->progress; }
  /// What may be shown of the file's path.
  [[nodiscard]] const std::string& file() const { return file_; }

  [[nodiscard]] ProcessId process(uint64_t global_pid);
  [[nodiscard]] ThreadId thread(uint64_t global_tid);
  /// Keys that do not name the device must come after those that do: the context tells it.
  [[nodiscard]] StreamId stream(const StreamKey& key);
  [[nodiscard]] DomainId domain(const DomainKey& key);
  /// Of the first process that has a domain of this number, for tables that name no process.
  [[nodiscard]] DomainId domain_of_any(int64_t number);
  void name_domain(const DomainKey& key, std::string_view name) { domain_names_[key] = name; }

  [[nodiscard]] boost::unordered_flat_map<uint64_t, ProcessId>& processes() { return processes_; }
  [[nodiscard]] boost::unordered_flat_map<uint64_t, ThreadId>& threads() { return threads_; }

  /// Gives the ids of a part their place in the trace; parts must come in the order of the file.
  [[nodiscard]] IdMap adopt(const LocalKeys& keys);
  /// Appends rows whose ids `keys` maps. `name_columns` are those that hold ids of the string table.
  template <typename Table>
  void append(std::type_identity_t<Table>&& rows, const IdMap& keys, Table& table,
              std::initializer_list<Ids Table::*> name_columns);

  /// The names of one entity, such as a thread, to be filled in with the text of a string id.
  void name_later(NameId& slot) { name_slots_.push_back(&slot); }
  /// A column of `trace` that holds ids of the string table from row `first` to its present end.
  void names_from(Ids& column, size_t first) { name_columns_.push_back({&column, first, column.size()}); }
  /// Takes back names_from() for a column whose rows changed.
  void forget_names(const Ids& column) {
    std::erase_if(name_columns_, [&](const NameRows& rows) { return rows.column == &column; });
  }

  /// Calls its argument with each id and text of the file's string table, in the file's order.
  using EachString = std::function<void(const std::function<void(uint32_t, std::string_view)>&)>;
  /// Turns all ids of the string table into NameIds: one pass over the table, keeping only the texts that are used.
  void resolve_names(const EachString& each_string);

 protected:
  NsysRun(const std::string& path, std::string_view format, const ImportRequest& request, Trace& trace);

 private:
  class NameTable;
  [[nodiscard]] StreamId add_stream(const StreamKey& key);
  /// The stream that a key means which does not name the device.
  [[nodiscard]] StreamId stream_of_number(StreamKey key);
  /// Fills in the NameIds of the wanted string ids; ids that the table does not hold are named by number.
  void read_strings(NameTable& wanted, const EachString& each_string);

  std::string file_;
  const ImportRequest* request_;
  Trace* trace_;
  RankId rank_;
  boost::unordered_flat_map<uint64_t, ProcessId> processes_;
  boost::unordered_flat_map<uint64_t, ThreadId> threads_;
  boost::unordered_flat_map<StreamKey, StreamId> streams_;
  boost::unordered_flat_map<StreamNumber, StreamId> stream_of_number_;  ///< kNone of numbers that several streams have
  boost::unordered_flat_map<std::pair<uint64_t, uint32_t>, int32_t> device_of_context_;  ///< by process
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

namespace nsys {

/// Puts global ids in the place of local ones; kNone, being none of them, stays.
template <typename Id>
void remap(std::vector<Id>& column, const std::vector<uint32_t>& ids) {
  for (Id& id : column) {
    if (id < ids.size()) id = static_cast<Id>(ids[id]);
  }
}

/// Puts mapped ids in the place of a part's own. `text_columns` are those that may hold kInlineText ids.
template <typename Table>
void place_ids(Table& rows, const IdMap& ids, std::initializer_list<Ids Table::*> text_columns) {
  if constexpr (requires { rows.thread; }) remap(rows.thread, ids.threads);
  if constexpr (requires { rows.end_thread; }) remap(rows.end_thread, ids.threads);
  if constexpr (requires { rows.process; }) remap(rows.process, ids.processes);
  if constexpr (requires { rows.stream; }) remap(rows.stream, ids.streams);
  if constexpr (requires { rows.domain; }) remap(rows.domain, ids.domains);
  if (ids.texts.empty()) return;
  for (const auto column : text_columns) {
    for (uint32_t& id : rows.*column) {
      if (id != kNone && (id & kInlineText) != 0) id = kInlineText | ids.texts[id & ~kInlineText];
    }
  }
}

}  // namespace nsys

template <typename Table>
void NsysRun::append(std::type_identity_t<Table>&& rows, const IdMap& keys, Table& table,
                     std::initializer_list<Ids Table::*> name_columns) {
  nsys::place_ids(rows, keys, name_columns);
  const size_t first = row_count(table);
  append_rows(table, std::move(rows));
  for (const auto column : name_columns) names_from(table.*column, first);
}

}  // namespace sonde
