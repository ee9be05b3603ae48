#include "importers/files/not_a_profile.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

struct Known {
  std::string_view mark;
  std::string_view what_and_remedy;
};

constexpr std::array kKnown = {
    Known{"version https://git-lfs", "a Git LFS pointer instead of the file; fetch the file with: git lfs pull"},
    Known{"PK\x03\x04", "a ZIP archive without PyTorch traces; unpack it and pass the profile in it"},
    Known{"\x28\xb5\x2f\xfd",
          "compressed with zstd, and not a profile that Sonde reads compressed; decompress it with: "
          "unzstd FILE"},
    Known{"\x1f\x8b",
          "compressed with gzip, and not a profile that Sonde reads compressed; decompress it with: gunzip "
          "FILE"},
    Known{"BZh", "compressed with bzip2; decompress it with: bunzip2 FILE"},
    Known{"\xfd"
          "7zXZ",
          "compressed with xz; decompress it with: unxz FILE"},
    Known{"7z\xbc\xaf", "a 7z archive; unpack it and pass the profile in it"},
    Known{"Rar!", "a RAR archive; unpack it and pass the profile in it"},
    Known{"<!DOCTYPE", "a web page, perhaps saved instead of the download; fetch the file again"},
    Known{"<html", "a web page, perhaps saved instead of the download; fetch the file again"},
    Known{"\x7f"
          "ELF",
          "a program or library; record it with: sonde record -- PROGRAM"},
    Known{"PERFILE2",
          "a recording of Linux perf, which has no GPU work; record the program with: sonde record -- PROGRAM"},
    Known{"QDTEXT00",
          "the event section of an Nsight Systems report without the rest; pass the whole report (.nsys-rep)"},
    Known{"\x89HDF",
          "an HDF5 file, such as an export of Nsight Systems; export it with: nsys export --type sqlite -o "
          "OUT.sqlite REPORT.nsys-rep"},
    Known{"PAR1",
          "a Parquet file, such as an export of Nsight Systems; export it with: nsys export --type sqlite -o "
          "OUT.sqlite REPORT.nsys-rep"},
    Known{"ARROW1",
          "an Arrow file, such as an export of Nsight Systems; export it with: nsys export --type sqlite -o "
          "OUT.sqlite REPORT.nsys-rep"},
    Known{"\x80\x02",
          "a Python pickle that is not a memory snapshot of PyTorch; pass a profile, or a snapshot of "
          "torch.cuda.memory._dump_snapshot()"},
    Known{"\x80\x04",
          "a Python pickle that is not a memory snapshot of PyTorch; pass a profile, or a snapshot of "
          "torch.cuda.memory._dump_snapshot()"},
    Known{"==", "text output of a tool such as nvprof; pass the database that it writes with: nvprof -o FILE PROGRAM"},
    Known{"%PDF", "a PDF document; pass the profile that it was made from"},
    Known{"\x89PNG", "an image; pass the profile that it was made from"},
};

/// What only a word in the first bytes tells.
constexpr std::array kTelling = {
    Known{"/device:GPU:",
          "a profile of TensorFlow or JAX (xplane.pb), which Sonde does not support; record the program with "
          "Nsight Systems or with: sonde record -- PROGRAM"},
    Known{"/host:CPU",
          "a profile of TensorFlow or JAX (xplane.pb), which Sonde does not support; record the program with "
          "Nsight Systems or with: sonde record -- PROGRAM"},
    Known{"NVPROF is profiling",
          "text output of nvprof; pass the database that it writes with: nvprof -o FILE PROGRAM"},
};

/// Programs that keep a SQLite database, by a table that only theirs have.
struct KnownDatabase {
  std::string_view table;
  std::string_view what;
};

constexpr std::array kKnownDatabases = {
    KnownDatabase{"rocpd_op", "a database of rocmProfileData (.rpd)"},
    KnownDatabase{"keyword_search_terms", "the browsing history of Chrome"},
    KnownDatabase{"moz_places", "the browsing history of Firefox"},
    KnownDatabase{"history_visits", "the browsing history of Safari"},
    KnownDatabase{"experiment_tags", "a database of MLflow"},
    KnownDatabase{"study_directions", "a database of Optuna"},
    KnownDatabase{"output_history", "the command history of IPython"},
    KnownDatabase{"nbsignatures", "the signatures of Jupyter notebooks"},
    KnownDatabase{"django_migrations", "a database of a Django application"},
    KnownDatabase{"android_metadata", "a database of an Android application"},
    KnownDatabase{"gpkg_contents", "a GeoPackage of geographic data"},
    KnownDatabase{"dd_thread", "a result of Intel VTune or Advisor"},
};

/// A damaged or hostile database may have a name of any length.
constexpr size_t kMaxShownName = 60;

bool ends_with(std::string_view path, std::string_view ending) { return path.ends_with(ending); }

/// The first tables by name, so that people recognize their file.
std::string shown_tables(std::span<const std::string> tables) {
  constexpr size_t kMaxShown = 3;
  std::string shown;
  for (const std::string& table : tables.first(std::min(kMaxShown, tables.size()))) {
    if (!shown.empty()) shown += ", ";
    shown += table.substr(0, kMaxShownName);
  }
  return shown + (tables.size() > kMaxShown ? ", ..." : "");
}

constexpr std::string_view kReadDatabases =
    "it reads SQLite exports of Nsight Systems (nsys export --type sqlite -o OUT.sqlite REPORT.nsys-rep) and "
    "databases of nvprof, rocprof and rocprofv3";

/// Of a SQLite database that has none of the tables that an importer reads.
Error unknown_database(const Probe& probe) {
  const std::string& path = probe.path();
  if (const auto error = probe.database_error()) return unreadable_database(path, *error);
  const auto tables = probe.tables();
  if (tables.empty()) return {fmt::format("{} is a SQLite database without tables; was the export interrupted?", path)};
  for (const KnownDatabase& known : kKnownDatabases) {
    if (std::ranges::find(tables, known.table) == tables.end()) continue;
    return {fmt::format("{} is {}, which Sonde does not read; {}", path, known.what, kReadDatabases)};
  }
  return {fmt::format("{} is a SQLite database of another program (tables: {}), which Sonde does not read; {}", path,
                      shown_tables(tables), kReadDatabases)};
}

}  // namespace

Error unreadable_database(const std::string& path, const Error& error) {
  return {fmt::format("{} is a SQLite database that cannot be read ({}); it may be truncated, so export it again", path,
                      error.message)};
}

Error not_a_profile(const Probe& probe) {
  const std::string& path = probe.path();
  const std::string_view head = probe.head();
  if (head.empty()) return {fmt::format("{} is empty; was the recording interrupted?", path)};
  for (const Known& known : kKnown) {
    if (head.starts_with(known.mark)) return {fmt::format("{} is {}", path, known.what_and_remedy)};
  }
  if (probe.is_sqlite()) return unknown_database(probe);
  for (const Known& known : kTelling) {
    if (head.contains(known.mark)) return {fmt::format("{} is {}", path, known.what_and_remedy)};
  }
  if (ends_with(path, ".qdstrm")) {
    return {
        fmt::format("{} is a raw recording of Nsight Systems that was never imported; open it once in the Nsight "
                    "Systems GUI, or run QdstrmImporter on it, then export the report",
                    path)};
  }
  return {fmt::format(
      "{} is not in a supported format (Nsight Systems reports and SQLite exports, Nsight Compute "
      "reports and CSV, PyTorch traces as .json, .json.gz, .json.zst or in an archive, databases of nvprof, "
      "rocprof and rocprofv3); the content decides the format, not the file name",
      path)};
}

}  // namespace sonde
