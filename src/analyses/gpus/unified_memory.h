#pragma once

#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace sonde {

/// Bytes that the driver moved between host and device on its own, and the time that it took.
struct Migrations {
  int64_t to_device_bytes = 0;
  int64_t to_host_bytes = 0;
  int64_t time_ns = 0;

  [[nodiscard]] int64_t bytes() const { return to_device_bytes + to_host_bytes; }
};

/// Whether a copy is a migration between host and device.
[[nodiscard]] bool is_migration(const Copies& copies, Row row);

void add_migration(const Copies& copies, Row row, Migrations& sum);

/// Page faults that the CPU and the GPU had on managed memory; kUnknown where none were recorded at all.
struct FaultCounts {
  int64_t cpu = kUnknown;
  int64_t gpu = kUnknown;
};

[[nodiscard]] inline bool is_cpu_fault(const PageFaults& faults, Row row) { return faults.device[row] < 0; }

/// A record of the GPU can stand for many faults; one of the CPU is one.
void add_fault(const PageFaults& faults, Row row, FaultCounts& sum);

/// Nsight's megabytes, 10^6 bytes.
[[nodiscard]] inline double megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

/// "0x7F9C80000000"
[[nodiscard]] std::string address_text(int64_t address);

}  // namespace sonde
