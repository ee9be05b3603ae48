#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/page/blobs.h"

namespace sonde {

/// Columns of numbers behind one another in one blob (ColumnsBlob of web/src/data/format.ts).
class ColumnBlob {
 public:
  /// Numbers from 0 to 2^53 as LEB128.
  void varints(std::string_view name, std::span<const int64_t> values);
  /// Numbers whose differences are within +-2^52, as LEB128 of the zigzag of these.
  void deltas(std::string_view name, std::span<const int64_t> values);
  /// Doubles, NaN where absent.
  void reals(std::string_view name, std::span<const double> values);

  /// Puts the columns into a blob; gives its place.
  [[nodiscard]] nlohmann::ordered_json finish(Blobs& blobs) &&;

 private:
  void add_entry(std::string_view name, std::string_view encoding, size_t count, size_t offset);

  std::string bytes_;
  nlohmann::ordered_json entries_ = nlohmann::ordered_json::array();
};

}  // namespace sonde
