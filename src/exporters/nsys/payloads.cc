#include <array>

#include "exporters/nsys/sections.h"

/// What binary payloads are made of. What is 0 is unknown, and is NULL.
namespace sonde::nsys_export {
namespace {

using Schemas = std::vector<PayloadSchema>;
using SchemaColumn = ColumnOf<Schemas>;

Cell number(uint64_t value) { return Cell(static_cast<int64_t>(value)); }
Cell if_told(uint64_t value) { return value == 0 ? Cell() : number(value); }
Cell if_told(const std::string& value) { return value.empty() ? Cell() : Cell(value); }

template <auto member>
Cell known_field(const Context&, const Schemas& all, size_t row) {
  return if_told(all[row].*member);
}

Cell domain_of_schema(const Context& c, const Schemas& all, size_t row) { return c.domain_ids[all[row].domain]; }
Cell id_of_schema(const Context&, const Schemas& all, size_t row) { return number(all[row].id); }
Cell entries_of_schema(const Context&, const Schemas& all, size_t row) { return number(all[row].entries.size()); }

constexpr std::array kSchemaColumns = {
    SchemaColumn{"domainId", kInteger, domain_of_schema},
    SchemaColumn{"schemaId", kInteger, id_of_schema},
    SchemaColumn{"name", kText, known_field<&PayloadSchema::name>},
    SchemaColumn{"type", kInteger, known_field<&PayloadSchema::type>},
    SchemaColumn{"flags", kInteger, known_field<&PayloadSchema::flags>},
    SchemaColumn{"numEntries", kInteger, entries_of_schema},
    SchemaColumn{"payloadSize", kInteger, known_field<&PayloadSchema::bytes>},
    SchemaColumn{"alignTo", kInteger, known_field<&PayloadSchema::align>},
};

constexpr std::array kEnumColumns = {
    SchemaColumn{"domainId", kInteger, domain_of_schema},
    SchemaColumn{"schemaId", kInteger, id_of_schema},
    SchemaColumn{"name", kText, known_field<&PayloadSchema::name>},
    SchemaColumn{"numEntries", kInteger, entries_of_schema},
    SchemaColumn{"size", kInteger, known_field<&PayloadSchema::bytes>},
};

/// An entry of a schema, with what its row says of that.
struct EntryRow {
  const PayloadSchema* schema;
  size_t index;

  [[nodiscard]] const PayloadEntry& entry() const { return schema->entries[index]; }
};
using EntryRows = std::vector<EntryRow>;
using EntryColumn = ColumnOf<EntryRows>;

Cell domain_of_entry(const Context& c, const EntryRows& all, size_t row) {
  return c.domain_ids[all[row].schema->domain];
}
Cell schema_of_entry(const Context&, const EntryRows& all, size_t row) { return number(all[row].schema->id); }
Cell index_of_entry(const Context&, const EntryRows& all, size_t row) { return number(all[row].index); }
Cell type_of_entry(const Context&, const EntryRows& all, size_t row) { return number(all[row].entry().type); }

template <auto member>
Cell known_entry_field(const Context&, const EntryRows& all, size_t row) {
  return if_told(all[row].entry().*member);
}

constexpr std::array kEntryColumns = {
    EntryColumn{"domainId", kIntegerSet, domain_of_entry},
    EntryColumn{"schemaId", kIntegerSet, schema_of_entry},
    EntryColumn{"idx", kIntegerSet, index_of_entry},
    EntryColumn{"flags", kInteger, known_entry_field<&PayloadEntry::flags>},
    EntryColumn{"type", kInteger, type_of_entry},
    EntryColumn{"name", kText, known_entry_field<&PayloadEntry::name>},
    EntryColumn{"description", kText, known_entry_field<&PayloadEntry::description>},
    EntryColumn{"arrayOrUnionDetail", kInteger, known_entry_field<&PayloadEntry::detail>},
    EntryColumn{"offset", kInteger, known_entry_field<&PayloadEntry::offset>},
};

constexpr std::array kEnumValueColumns = {
    EntryColumn{"domainId", kIntegerSet, domain_of_entry},
    EntryColumn{"schemaId", kIntegerSet, schema_of_entry},
    EntryColumn{"idx", kIntegerSet, index_of_entry},
    EntryColumn{"name", kText, known_entry_field<&PayloadEntry::name>},
    EntryColumn{"value", kInteger, type_of_entry},
    EntryColumn{"isFlag", kInteger,
                [](const Context&, const EntryRows& all, size_t row) { return number(all[row].entry().flags); }},
};

EntryRows entries_of(const Schemas& schemas, bool of_enums) {
  EntryRows rows;
  for (const PayloadSchema& schema : schemas) {
    for (size_t i = 0; schema.is_enum == of_enums && i < schema.entries.size(); ++i) rows.push_back({&schema, i});
  }
  return rows;
}

}  // namespace

Status write_payload_schemas(Output& out, const Context& c) {
  const Schemas& all = c.trace.payload_schemas;
  const EntryRows entries = entries_of(all, false);
  const EntryRows values = entries_of(all, true);
  SONDE_TRY(write_rows<Schemas>(out, "NVTX_PAYLOAD_SCHEMAS", kSchemaColumns, c, all, all.size(),
                                [&](size_t row) { return !all[row].is_enum; }));
  SONDE_TRY(write_rows<EntryRows>(out, "NVTX_PAYLOAD_SCHEMA_ENTRIES", kEntryColumns, c, entries, entries.size()));
  SONDE_TRY(write_rows<Schemas>(out, "NVTX_PAYLOAD_ENUMS", kEnumColumns, c, all, all.size(),
                                [&](size_t row) { return all[row].is_enum; }));
  return write_rows<EntryRows>(out, "NVTX_PAYLOAD_ENUM_ENTRIES", kEnumValueColumns, c, values, values.size());
}

}  // namespace sonde::nsys_export
