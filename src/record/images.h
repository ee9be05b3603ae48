#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/rounds/slices.h"

namespace sonde::record {

/// A program in a process: exec() puts a new one in its place, which numbers its strings, domains and ranges again.
struct Image {
  uint32_t process;
  int64_t since;
  std::string name;
  uint32_t parent;
  uint32_t event_cost_ns;
  std::optional<wire::ProcessRankBody> rank = {};  ///< in a distributed job, where its environment says
};

/// Where a process said that it has code of a file.
struct ReportedMapping {
  uint32_t process;
  int64_t time;  ///< it was there then
  wire::CodeMappingBody place;
  std::string_view path;  ///< in the slices
};

/// The images of a recording, in the order of their processes and times.
class Images {
 public:
  /// Of all process records; a process without one (it was dropped) has an image without a name.
  explicit Images(const Slices& slices);

  /// The place in all() of the image that was in a process at a time.
  [[nodiscard]] uint32_t at(uint32_t process, int64_t time) const;
  [[nodiscard]] const std::vector<Image>& all() const { return all_; }
  /// In the order of time.
  [[nodiscard]] const std::vector<ReportedMapping>& code() const { return code_; }

 private:
  std::vector<Image> all_;
  std::vector<ReportedMapping> code_;
};

}  // namespace sonde::record
