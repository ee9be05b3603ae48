#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "device/reading.h"

/// The rows of values.inc as data: JSON keys, nvidia-smi's fields and its way to print them.
namespace sonde::device {

using Scalar = std::variant<int64_t, double, bool, std::string>;

enum class SmiFormat {
  plain,
  bare,  ///< absent prints as N/A without brackets
  percent,
  mib,
  watts,
  mhz,
  microseconds,
  hex1,
  hex2,
  hex4,
  hex8,
  hex16,
  yes_no,
  enabled,
  version,
  pstate,
  recovery,
  compute_mode,
  bit,       ///< "Active" where the row's bit is set
  timestamp  ///< the moment of the reading
};

struct ValueRow {
  std::string_view member = {};  ///< of GpuReading and in JSON; empty for a field that is not read
  ValueGroup group = identity;
  std::string_view smi = {};  ///< empty where nvidia-smi has no such field
  SmiFormat format = SmiFormat::plain;
  int64_t bit = 0;
  std::string_view description = {};
  bool own = false;  ///< the row of the value itself, not a further field made of it
  std::optional<Scalar> (*get)(const GpuReading&) = nullptr;
};

[[nodiscard]] std::span<const ValueRow> value_rows();

/// The row of a field by the name or the older name that nvidia-smi has for it. The error is nvidia-smi's, with the
/// nearest name.
[[nodiscard]] Result<const ValueRow*> find_field(std::string_view name);

/// "memory.used [MiB]"; without the unit where `units` is false.
[[nodiscard]] std::string field_header(const ValueRow& row, bool units);
/// "1024 MiB", "[N/A]": as nvidia-smi prints it.
[[nodiscard]] std::string field_text(const ValueRow& row, const GpuReading& reading, bool units);
/// "2026/11/22 01:02:03.123", in UTC offset by `utc_offset_s`.
[[nodiscard]] std::string smi_timestamp(int64_t moment_ns, int64_t utc_offset_s);

/// A bit of clocks_event_reasons in words; all active ones, separated by commas; empty for none.
[[nodiscard]] std::string clock_reasons_text(int64_t mask);

}  // namespace sonde::device
