#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/fields.h"
#include "device/parallel_reader.h"

/// What `sonde gpus` prints of GPUs.
namespace sonde::gpus {

/// One look at the chosen GPUs.
struct View {
  const device::SourceInfo* info = nullptr;
  std::vector<device::GpuState> states;  ///< each with its index, also where it could not be read
  int64_t moment_ns = 0;                 ///< since 1970
  int64_t utc_offset_s = 0;              ///< of the machine's time zone
};

/// For people. `width` in characters; more columns from 120 on; 0: 100.
[[nodiscard]] std::string table_text(const View& view, size_t width);

/// Index, name and UUID of each GPU and its MIG devices, as `nvidia-smi -L` prints them.
[[nodiscard]] std::string names_text(const View& view);

/// docs/schemas/gpus.schema.json.
[[nodiscard]] std::string json_text(const View& view);

/// What --query-gpu and --format ask for.
struct Query {
  std::vector<const device::ValueRow*> fields;
  bool header = true;
  bool units = true;
  device::ValueGroups groups = 0;  ///< that the fields are read with
};
[[nodiscard]] Result<Query> parse_query(std::string_view fields, std::string_view format);
[[nodiscard]] std::string query_header(const Query& query);
/// A line a GPU, as nvidia-smi prints it.
[[nodiscard]] std::string query_lines(const Query& query, const View& view);
/// What --help-query-gpu prints.
[[nodiscard]] std::string query_help();

/// Columns of `nvidia-smi dmon` in the order in which they were chosen.
class Dmon {
 public:
  /// `groups`: letters of p u c v m e t; `stamp`: D and T for date and time.
  [[nodiscard]] static Result<Dmon> parse(std::string_view groups, std::string_view stamp);
  [[nodiscard]] device::ValueGroups groups() const;
  [[nodiscard]] std::string header() const;
  /// A line a GPU. Shares of time are those since the call before; absent at the first.
  [[nodiscard]] std::string lines(const View& view);

 private:
  [[nodiscard]] std::string cell(std::string_view title, size_t gpu, const View& view) const;
  std::vector<std::string_view> columns_;
  std::vector<std::string_view> units_;
  bool date_ = false;
  bool time_ = false;
  View before_;
};

}  // namespace sonde::gpus
