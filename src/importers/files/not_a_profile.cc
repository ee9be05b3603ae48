#include "importers/files/not_a_profile.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

struct Known {
  std::string_view begins_with;
  std::string_view what_and_remedy;
};

constexpr std::array kKnown = {
    Known{"version https://git-lfs", "a Git LFS pointer instead of the file; fetch the file with: git lfs pull"},
    Known{"PK\x03\x04", "a ZIP archive; unpack it and pass the profile in it"},
    Known{"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it with: unzstd FILE"},
    Known{"<!DOCTYPE", "a web page, perhaps saved instead of the download; fetch the file again"},
    Known{"<html", "a web page, perhaps saved instead of the download; fetch the file again"},
};

/// A damaged or hostile database may have a name of any length.
constexpr size_t kMaxShownName = 60;

bool ends_with(std::string_view path, std::string_view ending) { return path.ends_with(ending); }

/// Of a SQLite database that has none of the tables that an importer reads.
Error unknown_database(const Probe& probe) {
  const std::string& path = probe.path();
  if (const auto error = probe.database_error()) return unreadable_database(path, *error);
  const auto tables = probe.tables();
  if (tables.empty()) return {fmt::format("{} is a SQLite database without tables; was the export interrupted?", path)};
  if (const auto format = unread_database(tables); !format.empty()) {
    return {fmt::format("{} is {}; Sonde does not read this format yet", path, format)};
  }
  return {
      fmt::format("{} is a SQLite database, but not an Nsight Systems export (its tables begin with {}); create one "
                  "with: nsys export --type sqlite -o OUT.sqlite REPORT.nsys-rep",
                  path, tables.front().substr(0, kMaxShownName))};
}

}  // namespace

Error unreadable_database(const std::string& path, const Error& error) {
  return {fmt::format("{} is a SQLite database that cannot be read ({}); it may be truncated, so export it again", path,
                      error.message)};
}

std::string_view unread_database(std::span<const std::string> tables) {
  const auto has = [&](std::string_view name) { return std::ranges::find(tables, name) != tables.end(); };
  const auto has_prefix = [&](std::string_view prefix) {
    return std::ranges::any_of(tables, [&](std::string_view table) { return table.starts_with(prefix); });
  };
  if (has_prefix("rocpd_")) return "a rocpd database of AMD's rocprofv3";
  // nvprof's table of strings is StringTable, Nsight's is StringIds; the names of their CUPTI tables are partly the
  // same.
  const bool is_nvprof = has("StringTable") && !has("StringIds") && has_prefix("CUPTI_ACTIVITY_KIND_");
  return is_nvprof ? "a database of nvprof or the NVIDIA Visual Profiler" : "";
}

Error not_a_profile(const Probe& probe) {
  const std::string& path = probe.path();
  const std::string_view head = probe.head();
  if (head.empty()) return {fmt::format("{} is empty; was the recording interrupted?", path)};
  for (const Known& known : kKnown) {
    if (head.starts_with(known.begins_with)) return {fmt::format("{} is {}", path, known.what_and_remedy)};
  }
  if (probe.is_sqlite()) return unknown_database(probe);
  if (ends_with(path, ".qdstrm")) {
    return {
        fmt::format("{} is a raw recording of Nsight Systems that was never imported; open it once in the Nsight "
                    "Systems GUI, or run QdstrmImporter on it, then export the report",
                    path)};
  }
  return {
      fmt::format("{} is not in a supported format (Nsight Systems reports and SQLite exports, Nsight Compute "
                  "reports and CSV, "
                  "PyTorch traces as .json or .json.gz); the content decides the format, not the file name",
                  path)};
}

}  // namespace sonde
