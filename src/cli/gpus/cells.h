#pragma once

#include <string>

#include "device/parallel_reader.h"

/// Values of a GPU as tables for people have them; "-" for what it does not give.
namespace sonde::gpus {

[[nodiscard]] std::string name_text(const device::GpuReading& reading);    ///< without the maker: all are of the same
[[nodiscard]] std::string memory_text(const device::GpuReading& reading);  ///< "60.0/80.0 GiB"
[[nodiscard]] std::string temperature_text(const device::GpuReading& reading);     ///< "68 C"
[[nodiscard]] std::string power_text(const device::GpuReading& reading);           ///< "512/700 W"
[[nodiscard]] std::string sm_clock_text(const device::GpuReading& reading);        ///< "1980 MHz"
[[nodiscard]] std::string process_memory_text(const device::GpuProcess& process);  ///< "4.0 GiB"
/// What holds a GPU down or keeps it from being read; "idle".
[[nodiscard]] std::string state_text(const device::GpuState& state);

}  // namespace sonde::gpus
