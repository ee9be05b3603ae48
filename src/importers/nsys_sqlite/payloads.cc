#include <algorithm>
#include <map>
#include <utility>

#include "importers/nsys/tables.h"

/// NVTX_PAYLOAD_*: what binary payloads of ranges and marks are made of.
namespace sonde::nsys {
namespace {

using Key = std::pair<int64_t, uint64_t>;  ///< domainId, schemaId

uint64_t number(auto& row, Cell cell) { return static_cast<uint64_t>(row.integer(cell, 0)); }

class Schemas {
 public:
  Schemas(NsysFile& file, bool enums) : file_(file), enums_(enums) {}

  void read(std::string_view table) {
    TableQuery query = file_.query(table);
    if (!query.exists()) return;
    const Cell domain = query.column("domainId");
    const Cell id = query.column("schemaId");
    const Cell name = query.column("name");
    const Cell type = query.column("type");
    const Cell flags = query.column("flags");
    const Cell bytes = query.column({"payloadSize", "size"});
    const Cell align = query.column("alignTo");
    file_.each_row(query, [&](auto& row) {
      PayloadSchema* const schema = add(row.integer(domain, 0), number(row, id));
      if (schema == nullptr) return;
      schema->name = row.text(name);
      schema->type = number(row, type);
      schema->flags = number(row, flags);
      schema->bytes = number(row, bytes);
      schema->align = number(row, align);
    });
  }

  /// In the order of their indexes.
  void read_entries(std::string_view table) {
    TableQuery query = file_.query(table);
    if (!query.exists()) return;
    const Cell domain = query.column("domainId");
    const Cell id = query.column("schemaId");
    const Cell name = query.column("name");
    const Cell description = query.column("description");
    const Cell type = query.column({"type", "value"});
    const Cell flags = query.column({"flags", "isFlag"});
    const Cell detail = query.column("arrayOrUnionDetail");
    const Cell offset = query.column("offset");
    query.order_by("ORDER BY domainId, schemaId, idx");
    file_.each_row(query, [&](auto& row) {
      const auto schema = rows_.find({row.integer(domain, 0), number(row, id)});
      if (schema == rows_.end()) return;
      file_.trace().payload_schemas[schema->second].entries.push_back(
          {std::string(row.text(name)), std::string(row.text(description)), number(row, type), number(row, flags),
           number(row, detail), number(row, offset)});
    });
  }

 private:
  /// Null for one that this or another file has reported already.
  PayloadSchema* add(int64_t domain_number, uint64_t id) {
    auto& all = file_.trace().payload_schemas;
    const DomainId domain = file_.domain_of_any(domain_number);
    const auto is_it = [&](const PayloadSchema& s) { return s.domain == domain && s.id == id && s.is_enum == enums_; };
    if (std::ranges::any_of(all, is_it)) return nullptr;
    rows_[{domain_number, id}] = all.size();
    all.push_back({.domain = domain, .id = id, .is_enum = enums_, .name = {}, .entries = {}});
    return &all.back();
  }

  NsysFile& file_;
  bool enums_;
  std::map<Key, size_t> rows_;
};

}  // namespace

void read_payload_schemas(NsysFile& file) {
  if (!file.wants(Field::range_details)) return;
  Schemas schemas(file, false);
  schemas.read("NVTX_PAYLOAD_SCHEMAS");
  schemas.read_entries("NVTX_PAYLOAD_SCHEMA_ENTRIES");
  Schemas enums(file, true);
  enums.read("NVTX_PAYLOAD_ENUMS");
  enums.read_entries("NVTX_PAYLOAD_ENUM_ENTRIES");
}

}  // namespace sonde::nsys
