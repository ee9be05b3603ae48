#include <array>

#include <fmt/format.h>

#include "device/nvml/readers.h"

namespace sonde::device::nvml {
namespace {

using R = GpuReading;
using L = Library;

/// A call that gives whether something is on.
template <auto kFunction, auto kValue>
Return on_off(const Asked& a) {
  unsigned on = 0;
  const Return code = call(a.library.*kFunction, a.device, &on);
  store(code, a.reading.*kValue, on != 0);
  return code;
}

/// A call that gives whether something is on now, and after the next reset.
template <auto kFunction, auto kNow, auto kPending>
Return mode(const Asked& a) {
  unsigned now = 0;
  unsigned pending = 0;
  const Return code = call(a.library.*kFunction, a.device, &now, &pending);
  store(code, a.reading.*kNow, now != 0);
  store(code, a.reading.*kPending, pending != 0);
  return code;
}

Return read_bar1(const Asked& a) {
  Bar1Memory memory{};
  const Return code = call(a.library.bar1, a.device, &memory);
  store(code, a.reading.bar1_total_bytes, memory.total);
  store(code, a.reading.bar1_used_bytes, memory.used);
  return code;
}

Return read_encoder(const Asked& a) {
  unsigned sessions = 0;
  unsigned frames = 0;
  unsigned latency_us = 0;
  const Return code = call(a.library.encoder_stats, a.device, &sessions, &frames, &latency_us);
  store(code, a.reading.encoder_sessions, sessions);
  store(code, a.reading.encoder_frames_per_s, frames);
  store(code, a.reading.encoder_latency_us, latency_us);
  return code;
}

template <unsigned kType, unsigned kCounter, unsigned kLocation, auto kValue>
Return memory_errors(const Asked& a) {
  unsigned long long count = 0;
  const Return code = call(a.library.memory_errors, a.device, kType, kCounter, kLocation, &count);
  store(code, a.reading.*kValue, count);
  return code;
}

template <unsigned kType, unsigned kCounter, auto kValue>
Return total_errors(const Asked& a) {
  unsigned long long count = 0;
  const Return code = call(a.library.total_ecc, a.device, kType, kCounter, &count);
  store(code, a.reading.*kValue, count);
  return code;
}

Return read_sram(const Asked& a) {
  SramErrors errors{};
  errors.version = version_of<SramErrors>(1);
  const Return code = call(a.library.sram_errors, a.device, &errors);
  store(code, a.reading.sram_volatile_parity, errors.volatile_parity);
  store(code, a.reading.sram_volatile_secded, errors.volatile_secded);
  store(code, a.reading.sram_aggregate_parity, errors.aggregate_parity);
  store(code, a.reading.sram_aggregate_secded, errors.aggregate_secded);
  store(code, a.reading.sram_threshold_exceeded, errors.threshold_exceeded != 0);
  store(code, a.reading.sram_aggregate_l2, errors.aggregate_l2);
  store(code, a.reading.sram_aggregate_sm, errors.aggregate_sm);
  store(code, a.reading.sram_aggregate_mcu, errors.aggregate_mcu);
  store(code, a.reading.sram_aggregate_pcie, errors.aggregate_pcie);
  store(code, a.reading.sram_aggregate_other, errors.aggregate_other);
  return code;
}

/// Asked for no address, the call says how many there are.
template <unsigned kCause, auto kValue>
Return retired_pages(const Asked& a) {
  unsigned count = 0;
  Return code = call(a.library.retired_pages, a.device, kCause, &count, static_cast<unsigned long long*>(nullptr));
  if (code == Return::insufficient_size) code = Return::success;
  store(code, a.reading.*kValue, count);
  return code;
}

Return read_rows(const Asked& a) {
  unsigned correctable = 0;
  unsigned uncorrectable = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  const Return code = call(a.library.remapped_rows, a.device, &correctable, &uncorrectable, &pending, &failed);
  store(code, a.reading.remapped_rows_correctable, correctable);
  store(code, a.reading.remapped_rows_uncorrectable, uncorrectable);
  store(code, a.reading.remapped_rows_pending, pending != 0);
  store(code, a.reading.remapped_rows_failure, failed != 0);
  return code;
}

Return read_row_histogram(const Asked& a) {
  RowHistogram banks{};
  const Return code = call(a.library.row_histogram, a.device, &banks);
  store(code, a.reading.remap_banks_max, banks.max);
  store(code, a.reading.remap_banks_high, banks.high);
  store(code, a.reading.remap_banks_partial, banks.partial);
  store(code, a.reading.remap_banks_low, banks.low);
  store(code, a.reading.remap_banks_none, banks.none);
  return code;
}

std::string uuid_text(const std::array<unsigned char, 16>& bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

/// By NVML's numbers; 0 is a GPU without a fabric.
constexpr auto kFabricStates = std::to_array<std::string_view>({"", "Not Started", "In Progress", "Completed"});

Return read_fabric(const Asked& a) {
  FabricInfo info{};
  info.version = version_of<FabricInfo>(2);
  const Return code = call(a.library.fabric_info, a.device, &info);
  const bool has = code == Return::success && info.state > 0 && info.state < kFabricStates.size();
  const Return given = has ? code : Return::not_supported;
  store(given, a.reading.fabric_state, has ? kFabricStates[info.state] : "");
  store(given, a.reading.fabric_status, info.status == Return::success ? "Success" : return_text(info.status));
  store(given, a.reading.fabric_clique_id, info.clique_id);
  store(given, a.reading.fabric_cluster_uuid, uuid_text(info.cluster_uuid));
  return code;
}

Return read_platform(const Asked& a) {
  PlatformInfo info{};
  info.version = version_of<PlatformInfo>(2);
  const Return code = call(a.library.platform_info, a.device, &info);
  const auto* const serial = reinterpret_cast<const char*>(info.chassis_serial.data());
  store(code, a.reading.chassis_serial, std::string(serial, strnlen(serial, info.chassis_serial.size())));
  store(code, a.reading.slot_number, info.slot_number);
  store(code, a.reading.tray_index, info.tray_index);
  store(code, a.reading.host_id, info.host_id);
  store(code, a.reading.module_id, info.module_id);
  return code;
}

#define SONDE_ECC(type, Type, counter, Counter, location, Location) \
  {"nvmlDeviceGetMemoryErrorCounter", slow,                         \
   memory_errors<kError##Type, kEcc##Counter, kLocation##Location, &R::ecc_##type##_##counter##_##location>},
#define SONDE_ECC_LOCATIONS(type, Type, counter, Counter)              \
  SONDE_ECC(type, Type, counter, Counter, device_memory, DeviceMemory) \
  SONDE_ECC(type, Type, counter, Counter, dram, DeviceMemory)          \
  SONDE_ECC(type, Type, counter, Counter, register_file, Registers)    \
  SONDE_ECC(type, Type, counter, Counter, l1_cache, L1)                \
  SONDE_ECC(type, Type, counter, Counter, l2_cache, L2)                \
  SONDE_ECC(type, Type, counter, Counter, texture_memory, Texture)     \
  SONDE_ECC(type, Type, counter, Counter, cbu, Cbu)                    \
  SONDE_ECC(type, Type, counter, Counter, sram, Sram){                 \
      "nvmlDeviceGetTotalEccErrors", slow,                             \
      total_errors<kError##Type, kEcc##Counter, &R::ecc_##type##_##counter##_total>},

constexpr auto kSlowReaders = std::to_array<Reader>({
    {"nvmlDeviceGetComputeMode", slow, one<&L::compute_mode, &R::compute_mode>},
    {"nvmlDeviceGetPersistenceMode", slow, on_off<&L::persistence_mode, &R::persistence_mode>},
    {"nvmlDeviceGetDisplayMode", slow, on_off<&L::display_mode, &R::display_attached>},
    {"nvmlDeviceGetDisplayActive", slow, on_off<&L::display_active, &R::display_active>},
    {"nvmlDeviceGetAccountingMode", slow, on_off<&L::accounting_mode, &R::accounting_mode>},
    {"nvmlDeviceGetAccountingBufferSize", slow, one<&L::accounting_size, &R::accounting_buffer_size>},
    {"nvmlDeviceGetCurrPcieLinkGeneration", slow, one<&L::pcie_generation, &R::pcie_generation>},
    {"nvmlDeviceGetCurrPcieLinkWidth", slow, one<&L::pcie_width, &R::pcie_width>},
    {"nvmlDeviceGetPcieReplayCounter", slow, one<&L::pcie_replays, &R::pcie_replays>},
    {"nvmlDeviceGetPcieThroughput", slow, one_of<&L::pcie_throughput, kPcieTx, &R::pcie_tx_kbytes_per_s>},
    {"nvmlDeviceGetPcieThroughput", slow, one_of<&L::pcie_throughput, kPcieRx, &R::pcie_rx_kbytes_per_s>},
    {"nvmlDeviceGetBAR1MemoryInfo", slow, read_bar1},
    {"nvmlDeviceGetEncoderStats", slow, read_encoder},
    {"nvmlDeviceGetEccMode", slow, mode<&L::ecc_mode, &R::ecc_mode, &R::ecc_mode_pending>},
    SONDE_ECC_LOCATIONS(corrected, Corrected, volatile, Volatile)
        SONDE_ECC_LOCATIONS(corrected, Corrected, aggregate, Aggregate)
            SONDE_ECC_LOCATIONS(uncorrected, Uncorrected, volatile, Volatile) SONDE_ECC_LOCATIONS(
                uncorrected, Uncorrected, aggregate, Aggregate){"nvmlDeviceGetSramEccErrorStatus", slow, read_sram},
    {"nvmlDeviceGetRetiredPages", slow, retired_pages<kRetiredSingleBit, &R::retired_pages_single_bit>},
    {"nvmlDeviceGetRetiredPages", slow, retired_pages<kRetiredDoubleBit, &R::retired_pages_double_bit>},
    {"nvmlDeviceGetRetiredPagesPendingStatus", slow, on_off<&L::retired_pending, &R::retired_pages_pending>},
    {"nvmlDeviceGetRemappedRows", slow, read_rows},
    {"nvmlDeviceGetRowRemapperHistogram", slow, read_row_histogram},
    {"nvmlDeviceGetMigMode", slow, mode<&L::mig_mode, &R::mig_mode, &R::mig_mode_pending>},
    {"nvmlDeviceGetGpuFabricInfoV", slow, read_fabric},
    {"nvmlDeviceGetPlatformInfo", slow, read_platform},
    {"nvmlDeviceGetApplicationsClock", slow,
     one_of<&L::applications_clock, kClockGraphics, &R::application_graphics_clock_mhz>},
    {"nvmlDeviceGetApplicationsClock", slow,
     one_of<&L::applications_clock, kClockMemory, &R::application_memory_clock_mhz>},
});
#undef SONDE_ECC
#undef SONDE_ECC_LOCATIONS

}  // namespace

std::span<const Reader> slow_readers() { return kSlowReaders; }

}  // namespace sonde::device::nvml
