#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::doctor {

/// Numbers with dots between them. 12.4 is before 12.4.1.
struct Version {
  std::vector<int> parts;
  std::string text;  ///< as it was written: drivers have zeros in front, "450.80.02"

  [[nodiscard]] int major() const { return parts.empty() ? 0 : parts[0]; }
  [[nodiscard]] bool known() const { return !parts.empty(); }
  friend auto operator<=>(const Version& a, const Version& b) { return a.parts <=> b.parts; }
  friend bool operator==(const Version& a, const Version& b) { return a.parts == b.parts; }
};

/// The first version in a text: "release 12.4, V12.4.131" is 12.4; without parts where there is none.
[[nodiscard]] Version first_version(std::string_view text);

/// The driver that programs made for a CUDA need at least, whatever the minor version; without parts where it is not
/// known. CUDA Compatibility, table of minor version compatibility (11 to 13).
[[nodiscard]] Version min_driver(int cuda_major);

}  // namespace sonde::doctor
