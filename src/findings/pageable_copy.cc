#include <algorithm>

#include "findings/rule.h"
#include "trace/columns.h"

/// Copies between host and GPU from or to pageable memory: the driver moves them through buffers of its own, more
/// slowly and with the host's help.
namespace sonde {
namespace {

constexpr double kLeastPercent = 0.5;
/// What pinned copies reach where the run has none to compare with: three quarters of PCIe 4.0 x16.
constexpr double kUsualBytesPerSecond = 24e9;

struct Copied {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t ns = 0;
  void add(const Copies& c, Row row) {
    ++count;
    bytes += c.bytes[row];
    ns += c.end[row] - c.start[row];
  }
  [[nodiscard]] double bytes_per_second() const {
    return ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(ns) : 0;
  }
};

bool crosses_link(uint8_t kind) {
  return kind == static_cast<uint8_t>(CopyKind::host_to_device) ||
         kind == static_cast<uint8_t>(CopyKind::device_to_host);
}

bool is(uint8_t memory, MemoryKind kind) { return memory == static_cast<uint8_t>(kind); }

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Copies& c = facts.trace.copies;
  Copied pageable;
  Copied pinned;
  std::vector<Row> rows;
  bool told = false;
  for (Row row = 0; row < row_count(c); ++row) {
    if (!crosses_link(c.kind[row]) || c.bytes[row] == kUnknown || !facts.judged(c.start[row])) continue;
    told = told || !is(c.source[row], MemoryKind::absent);
    if (is(c.source[row], MemoryKind::pageable) || is(c.destination[row], MemoryKind::pageable)) {
      pageable.add(c, row);
      rows.push_back(row);
    } else if (is(c.source[row], MemoryKind::pinned) || is(c.destination[row], MemoryKind::pinned)) {
      pinned.add(c, row);
    }
  }
  if (!told && row_count(c) > 0) {
    diagnosis.abstentions.push_back({"pageable_copy", "pageable_copy.no_memory_kinds", {}});
    return;
  }
  const double could = std::max(pinned.bytes_per_second(), kUsualBytesPerSecond);
  const double saved = static_cast<double>(pageable.ns) - static_cast<double>(pageable.bytes) * 1e9 / could;
  const int64_t ceiling = facts.per_gpu(std::max<int64_t>(0, static_cast<int64_t>(saved)));
  if (facts.percent_of_wall(ceiling) < kLeastPercent) return;
  std::ranges::stable_sort(rows, std::greater(), [&](Row row) { return c.end[row] - c.start[row]; });
  rows.resize(std::min<size_t>(rows.size(), 10));
  Finding finding{.id = "pageable_copy",
                  .arguments = {{"count", Unit::none, static_cast<double>(pageable.count), {}},
                                {"bytes", Unit::bytes, static_cast<double>(pageable.bytes), {}},
                                {"time", Unit::nanoseconds, static_cast<double>(pageable.ns), {}},
                                {"rate", Unit::gigabytes_per_second, pageable.bytes_per_second() / 1e9, {}}},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  for (const Row row : rows) {
    const uint32_t gpu = facts.gpus.of_stream[c.stream[row]];
    finding.evidence.push_back({c.start[row], c.end[row], facts.gpus.gpus[gpu].place, {}});
  }
  diagnosis.findings.push_back(std::move(finding));
}

}  // namespace

extern const Rule pageable_copy_rule;
const Rule pageable_copy_rule{
    "pageable_copy", "copies between host and GPU that use pageable memory", {Field::copies, Field::streams}, &judge};

}  // namespace sonde
