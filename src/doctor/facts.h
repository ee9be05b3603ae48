#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "doctor/check.h"
#include "doctor/version.h"

/// What several checks ask of a host.
namespace sonde::doctor {

/// A number that stands alone in a file of /proc/sys or /sys.
[[nodiscard]] std::optional<int64_t> number_in(const Host& host, const std::string& path);

/// The newest CUDA that the driver runs; without parts where there is no driver.
[[nodiscard]] Version cuda_of_driver(const Host& host);
[[nodiscard]] Version driver_version(const Host& host);

/// Whether this process has a capability: its bit in CapEff of /proc/self/status.
[[nodiscard]] bool has_capability(const Host& host, int bit);

/// "12.3 GB".
[[nodiscard]] std::string bytes_in_words(int64_t bytes);

/// The first line of a text.
[[nodiscard]] std::string first_line(std::string_view text);

/// Where a program is, in PATH or below a folder such as /opt/nvidia; empty where it is not.
[[nodiscard]] std::string in_path(const Host& host, std::string_view program);

}  // namespace sonde::doctor
