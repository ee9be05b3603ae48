#include "importers/nsys_file.h"

#include <algorithm>

#include <boost/container_hash/hash.hpp>

#include "base/file.h"

namespace sonde {
namespace {

size_t hash_of(auto... values) {
  size_t seed = 0;
  (boost::hash_combine(seed, values), ...);
  return seed;
}

/// Tables of which an Nsight Systems export has at least one.
bool is_nsys_table(std::string_view table) {
  return table == "StringIds" || table == "NVTX_EVENTS" || table == "OSRT_API" ||
         table.starts_with("CUPTI_ACTIVITY_") || table.starts_with("TARGET_INFO_") || table.starts_with("META_DATA_");
}

Error not_an_export(const std::string& path, const std::vector<std::string>& tables) {
  if (tables.empty()) return {fmt::format("{} is a SQLite database without tables; was the export cut off?", path)};
  return {
      fmt::format("{} is a SQLite database, but not an export of Nsight Systems (its tables begin with {}); make one "
                  "with: nsys export --type sqlite -o OUT.sqlite REPORT.nsys-rep",
                  path, tables.front())};
}

}  // namespace

size_t hash_value(const StreamKey& k) { return hash_of(k.process, k.device, k.context, k.green_context, k.stream); }
size_t hash_value(const DomainKey& k) { return hash_of(k.process, k.domain); }

NsysFile::NsysFile(Database database, MappedFile bytes, const std::string& path, const ImportRequest& request,
                   Trace& trace)
    : database_(std::move(database)),
      bytes_(std::move(bytes)),
      pages_(SqlitePages::open(bytes_.bytes())),
      file_(short_path(path)),
      request_(&request),
      trace_(&trace),
      rank_(static_cast<RankId>(trace.ranks.size())) {
  Rank& rank = trace.ranks.emplace_back();
  rank.file = file_;
  rank.format = "nsys_sqlite";
}

Result<NsysFile> NsysFile::open(const std::string& path, const ImportRequest& request, Trace& trace) {
  const auto cut_off = [&](const Error& error) {
    return fail("{} is a SQLite database that cannot be read ({}); it may have been cut off: export it again", path,
                error.message);
  };
  auto database = Database::open_read_only(path);
  if (!database) return cut_off(database.error());
  const auto tables = database->tables();
  if (!tables) return cut_off(tables.error());
  if (std::ranges::none_of(*tables, is_nsys_table)) return std::unexpected(not_an_export(path, *tables));
  auto bytes = MappedFile::open(path);
  if (!bytes) return std::unexpected(bytes.error());
  NsysFile file(std::move(*database), std::move(*bytes), path, request, trace);
  for (const std::string& table : *tables) {
    auto columns = file.database_.columns(table);
    if (!columns) return cut_off(columns.error());
    file.tables_.emplace(table, std::move(*columns));
  }
  return file;
}

bool NsysFile::has_rows(std::string_view table) const {
  if (!has_table(table)) return false;
  auto statement = database_.prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", quote_identifier(table)));
  return statement && statement->next().value_or(false);
}

TableQuery NsysFile::query(std::string_view table) const {
  const auto found = tables_.find(table);
  return {std::string(table), found == tables_.end() ? nullptr : &found->second};
}

ProcessId NsysFile::process(uint64_t global_pid) {
  const auto [found, added] = processes_.try_emplace(global_pid, static_cast<ProcessId>(trace_->processes.size()));
  if (added) trace_->processes.push_back({rank_, global_pid, static_cast<int64_t>(global_pid >> 24 & 0xFFFFFF), kNone});
  return found->second;
}

ThreadId NsysFile::thread(uint64_t global_tid) {
  const ProcessId owner = process(global_tid & ~uint64_t{0xFFFFFF});
  const auto [found, added] = threads_.try_emplace(global_tid, static_cast<ThreadId>(trace_->threads.size()));
  if (added) {
    trace_->threads.push_back({owner, global_tid, static_cast<int64_t>(global_tid & 0xFFFFFF), kNone, std::nullopt});
  }
  return found->second;
}

StreamId NsysFile::stream(const StreamKey& key) {
  const auto [found, added] = streams_.try_emplace(key, static_cast<StreamId>(trace_->streams.size()));
  if (added) {
    Stream& s = trace_->streams.emplace_back();
    s.process = process(key.process);
    s.ordinal = key.device;
    s.context = key.context;
    s.green_context = key.green_context;
    s.stream = key.stream;
  }
  return found->second;
}

DomainId NsysFile::domain(const DomainKey& key) {
  const auto known = domains_.find(key);
  if (known != domains_.end()) return known->second;
  const auto named = domain_names_.find(key);
  const NameId name = trace_->names.intern(named == domain_names_.end() ? std::string_view() : named->second);
  const auto same = std::ranges::find(trace_->domains, name, &Domain::name);
  const auto id = static_cast<DomainId>(same - trace_->domains.begin());
  if (same == trace_->domains.end()) trace_->domains.push_back({name, domain_kind(trace_->names.view(name))});
  domains_.emplace(key, id);
  return id;
}

GlobalKeys NsysFile::adopt(const LocalKeys& keys) {
  GlobalKeys ids;
  for (const uint64_t k : keys.threads.keys()) ids.threads.push_back(thread(k));
  for (const uint64_t k : keys.processes.keys()) ids.processes.push_back(process(k));
  for (const StreamKey& k : keys.streams.keys()) ids.streams.push_back(stream(k));
  for (const DomainKey& k : keys.domains.keys()) ids.domains.push_back(domain(k));
  ids.first_text = static_cast<uint32_t>(inline_names_.size());
  for (NameId id = 0; id < keys.texts.size(); ++id) inline_names_.push_back(trace_->names.intern(keys.texts.view(id)));
  return ids;
}

namespace {

/// What a table's declaration must not hold for its records to have its columns in their order.
bool is_plain_table(std::string declaration) {
  std::ranges::transform(declaration, declaration.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return declaration.find("WITHOUT") == std::string::npos && declaration.find("GENERATED") == std::string::npos &&
         declaration.find("VIRTUAL") == std::string::npos && declaration.find("DEFAULT") == std::string::npos &&
         declaration.find(" AS ") == std::string::npos;
}

/// The column that is another name of the rowid: the only column of the primary key, if its type is INTEGER.
std::optional<uint32_t> rowid_column(const Database& database, const std::string& table) {
  auto keys = database.prepare("SELECT cid, upper(type) FROM pragma_table_info(?) WHERE pk > 0");
  if (!keys) return std::nullopt;
  keys->bind(1, table);
  std::optional<uint32_t> column;
  for (int count = 0; keys->next().value_or(false); ++count) {
    if (count > 0 || keys->text(1) != "INTEGER") return std::nullopt;
    column = static_cast<uint32_t>(keys->integer(0));
  }
  return column;
}

}  // namespace

std::optional<NsysFile::Place> NsysFile::place_of(const TableQuery& query) {
  if (!pages_ || query.is_ordered()) return std::nullopt;
  auto table = database_.prepare("SELECT rootpage, sql FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (!table) return std::nullopt;
  table->bind(1, query.table());
  if (!table->next().value_or(false) || !is_plain_table(std::string(table->text(1)))) return std::nullopt;
  auto leaves = pages_->leaves(static_cast<uint32_t>(table->integer(0)));
  if (leaves) return Place{std::move(*leaves), rowid_column(database_, query.table())};
  note(query, {0, 0, leaves.error().message});
  return Place{};
}

void NsysFile::note(const TableQuery& query, const ScanEnd& end) {
  trace_->log.add(Issue::not_a_number, query.table(), end.wrong_types);
  if (!end.damage.empty()) trace_->log.add(Issue::damaged_table, fmt::format("{}: {}", query.table(), end.damage));
}

void NsysFile::resolve_names() {
  boost::unordered_flat_map<uint32_t, NameId> names;
  const auto want = [&](uint32_t id) {
    if (id != kNone && (id & kInlineText) == 0) names.try_emplace(id, kNone);
  };
  for (const auto& [column, first, end] : name_columns_) {
    uint32_t last = kNone;
    for (size_t row = first; row < end; ++row) {
      if ((*column)[row] != last) want(last = (*column)[row]);
    }
  }
  for (const NameId* slot : name_slots_) want(*slot);
  read_strings(names);
  const auto name_of = [&](uint32_t id) {
    if (id == kNone) return kNone;
    return (id & kInlineText) != 0 ? inline_names_[id & ~kInlineText] : names.at(id);
  };
  for (const auto& [column, first, end] : name_columns_) {
    for (size_t row = first; row < end; ++row) (*column)[row] = name_of((*column)[row]);
  }
  for (NameId* slot : name_slots_) *slot = name_of(*slot);
}

void NsysFile::read_strings(boost::unordered_flat_map<uint32_t, NameId>& wanted) {
  TableQuery strings = query("StringIds");
  const Cell id = strings.column("id");
  const Cell value = strings.column("value");
  int64_t duplicates = 0;
  if (!wanted.empty() && strings.exists()) {
    each_row(strings, [&](auto& row) {
      const auto found = wanted.find(row.string_id(id));
      if (found == wanted.end()) return;
      if (found->second == kNone) {
        found->second = trace_->names.intern(row.text(value));
      } else {
        ++duplicates;
      }
    });
  }
  trace_->log.add(Issue::duplicate_string_id, {}, duplicates);
  int64_t unresolved = 0;
  for (auto& [raw, name] : wanted) {
    if (name != kNone) continue;
    name = trace_->names.intern(fmt::format("[unknown name {}]", raw));
    ++unresolved;
  }
  trace_->log.add(Issue::unresolved_name, {}, unresolved);
}

}  // namespace sonde
