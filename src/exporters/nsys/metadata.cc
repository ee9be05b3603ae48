#include <array>

#include "exporters/nsys/sections.h"

namespace sonde::nsys_export {
namespace {

struct Label {
  std::string_view table;
  int64_t id;
  std::string_view name;
  std::string_view label;
};

constexpr auto kLabels = std::to_array<Label>({
#define SONDE_ENUM(table, id, name, label) {#table, id, name, label},
#include "exporters/nsys/enums.inc"
#undef SONDE_ENUM
});

struct Record {
  std::string_view name;
  std::string_view value;
};

/// What a script may ask of the file. Nothing of the machine or the user that wrote it.
constexpr auto kRecords = std::to_array<Record>({
    {"EXPORT_PRODUCT_NAME", "Sonde"},
    {"EXPORT_PRODUCT_VERSION", SONDE_VERSION},
    {"EXPORT_SCHEMA_VERSION", "3.25.0"},
    {"EXPORT_SCHEMA_VERSION_MAJOR", "3"},
    {"EXPORT_SCHEMA_VERSION_MINOR", "25"},
    {"EXPORT_SCHEMA_VERSION_MICRO", "0"},
    {"EXPORT_PARAM_EXPORT_TYPE", "SQLite"},
    {"EXPORT_PARAM_LAZY", "true"},
});

}  // namespace

Status write_enums(Output& out) {
  for (const Label& l : kLabels) {
    SONDE_TRY(out.db.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS {} (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)", l.table)));
    SONDE_TRY(out.db.execute(fmt::format("INSERT INTO {} VALUES ({}, '{}', '{}')", l.table, l.id, l.name, l.label)));
  }
  return {};
}

Status write_metadata(Output& out) {
  SONDE_TRY(out.db.execute("CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT)"));
  for (const Record& r : kRecords) {
    SONDE_TRY(out.db.execute(fmt::format("INSERT INTO META_DATA_EXPORT VALUES ('{}', '{}')", r.name, r.value)));
  }
  return {};
}

}  // namespace sonde::nsys_export
