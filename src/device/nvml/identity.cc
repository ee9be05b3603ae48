#include <array>

#include <fmt/format.h>

#include "device/nvml/field_values.h"
#include "device/nvml/readers.h"

namespace sonde::device::nvml {
namespace {

using R = GpuReading;
using L = Library;

Return read_pci(const Asked& a) {
  PciInfo pci{};
  const Return code = call(a.library.pci_info, a.device, &pci);
  store(code, a.reading.pci_bus_id, std::string(pci.bus_id.data()));
  store(code, a.reading.pci_domain, pci.domain);
  store(code, a.reading.pci_bus, pci.bus);
  store(code, a.reading.pci_device, pci.device);
  store(code, a.reading.pci_device_id, pci.device_id);
  store(code, a.reading.pci_sub_device_id, pci.subsystem_id);
  return code;
}

Return read_pci_class(const Asked& a) {
  PciInfoExt pci{};
  pci.version = version_of<PciInfoExt>(1);
  const Return code = call(a.library.pci_info_ext, a.device, &pci);
  store(code, a.reading.pci_base_class, pci.base_class);
  store(code, a.reading.pci_sub_class, pci.sub_class);
  return code;
}

template <unsigned kObject, auto kValue>
Return inforom(const Asked& a) {
  std::array<char, 32> value{};
  const Return code = call(a.library.inforom_version, a.device, kObject, value.data(), 31U);
  store(code, a.reading.*kValue, std::string(value.data()));
  return code;
}

Return read_capability(const Asked& a) {
  int major = 0;
  int minor = 0;
  const Return code = call(a.library.compute_capability, a.device, &major, &minor);
  store(code, a.reading.compute_capability, 100 * major + minor);
  return code;
}

/// By NVML's numbers.
constexpr auto kArchitectures = std::to_array<std::string_view>(
    {"", "", "Kepler", "Maxwell", "Pascal", "Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell"});

Return read_architecture(const Asked& a) {
  unsigned number = 0;
  const Return code = call(a.library.architecture, a.device, &number);
  a.reading.architecture.reset();
  if (code != Return::success) return code;
  if (number < kArchitectures.size() && !kArchitectures[number].empty()) {
    a.reading.architecture = kArchitectures[number];
  }
  return code;
}

Return read_supported_reasons(const Asked& a) {
  unsigned long long mask = 0;
  Return code = call(a.library.supported_reasons, a.device, &mask);
  if (code == Return::function_not_found) code = call(a.library.supported_reasons_older, a.device, &mask);
  store(code, a.reading.clocks_event_reasons_supported, mask);
  return code;
}

Return read_margins(const Asked& a) {
  return read_fields(a, std::to_array<FieldOf>({{kFieldShutdownMargin, &R::shutdown_margin_celsius},
                                                {kFieldSlowdownMargin, &R::slowdown_margin_celsius}}));
}

Return read_gsp(const Asked& a) {
  unsigned enabled = 0;
  unsigned by_default = 0;
  const Return code = call(a.library.gsp_mode, a.device, &enabled, &by_default);
  store(code, a.reading.gsp_firmware_enabled, enabled != 0);
  store(code, a.reading.gsp_firmware_default, by_default != 0);
  return code;
}

constexpr auto kIdentityReaders = std::to_array<Reader>({
    {"nvmlDeviceGetName", identity, text<&L::name, &R::name>},
    {"nvmlDeviceGetUUID", identity, text<&L::uuid, &R::uuid>},
    {"nvmlDeviceGetPciInfo_v3", identity, read_pci},
    {"nvmlDeviceGetPciInfoExt", identity, read_pci_class},
    {"nvmlDeviceGetSerial", identity, text<&L::serial, &R::serial>},
    {"nvmlDeviceGetVbiosVersion", identity, text<&L::vbios_version, &R::vbios_version>},
    {"nvmlDeviceGetInforomImageVersion", identity, text<&L::inforom_image, &R::inforom_image_version>},
    {"nvmlDeviceGetInforomVersion", identity, inforom<kInforomOem, &R::inforom_oem_version>},
    {"nvmlDeviceGetInforomVersion", identity, inforom<kInforomEcc, &R::inforom_ecc_version>},
    {"nvmlDeviceGetInforomVersion", identity, inforom<kInforomPower, &R::inforom_power_version>},
    {"nvmlDeviceGetCudaComputeCapability", identity, read_capability},
    {"nvmlDeviceGetArchitecture", identity, read_architecture},
    {"nvmlDeviceGetNumGpuCores", identity, one<&L::cuda_cores, &R::cuda_cores>},
    {"nvmlDeviceGetMemoryBusWidth", identity, one<&L::memory_bus_bits, &R::memory_bus_bits>},
    {"nvmlDeviceGetMinorNumber", identity, one<&L::minor_number, &R::minor_number>},
    {"nvmlDeviceGetMaxClockInfo", identity, one_of<&L::max_clock, kClockGraphics, &R::max_graphics_clock_mhz>},
    {"nvmlDeviceGetMaxClockInfo", identity, one_of<&L::max_clock, kClockSm, &R::max_sm_clock_mhz>},
    {"nvmlDeviceGetMaxClockInfo", identity, one_of<&L::max_clock, kClockMemory, &R::max_memory_clock_mhz>},
    {"nvmlDeviceGetPowerManagementDefaultLimit", identity,
     one<&L::power_default_limit, &R::power_default_limit_milliwatts>},
    {"nvmlDeviceGetPowerManagementLimitConstraints", identity,
     two<&L::power_limits, &R::power_min_limit_milliwatts, &R::power_max_limit_milliwatts>},
    {"nvmlDeviceGetMaxPcieLinkGeneration", identity, one<&L::pcie_max_generation, &R::pcie_max_generation>},
    {"nvmlDeviceGetGpuMaxPcieLinkGeneration", identity, one<&L::pcie_gpu_max_generation, &R::pcie_gpu_max_generation>},
    {"nvmlDeviceGetMaxPcieLinkWidth", identity, one<&L::pcie_max_width, &R::pcie_max_width>},
    {"nvmlDeviceGetSupportedClocksEventReasons", identity, read_supported_reasons},
    {"nvmlDeviceGetGspFirmwareMode", identity, read_gsp},
    {"nvmlDeviceGetFieldValues", identity, read_margins},
});

}  // namespace

std::span<const Reader> identity_readers() { return kIdentityReaders; }

}  // namespace sonde::device::nvml
