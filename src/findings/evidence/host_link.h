#pragma once

#include <optional>
#include <string>

#include "findings/facts.h"

namespace sonde {

/// What large pinned copies reach over the link between host and GPU, for the GPU with the slowest link: three quarters
/// of what PCIe x16 carries in one direction, generation 5 from compute capability 9 on, 4 from 8 on and 3 before
/// (NVIDIA H100, A100, T4 and V100 data sheets: 64, 32, 16 GB/s). Absent if the file does not contain a GPU's
/// capability.
[[nodiscard]] std::optional<double> usual_bytes_per_second(const Facts& facts);

/// What no copy over the link exceeds: the data sheet's rate less the headers of its packets (24 bytes beside 256 to
/// 512 of data). 55 GB/s were measured on an H100 with generation 5.
[[nodiscard]] std::optional<double> best_bytes_per_second(const Facts& facts);

/// "60.16, 30.08 or 15.04 GB/s by the generation of the link".
[[nodiscard]] std::string best_rates_in_words();

/// "48 GB/s from compute capability 9 on, 24 GB/s from 8 on, 12 GB/s before".
[[nodiscard]] std::string usual_rates_in_words();

}  // namespace sonde
