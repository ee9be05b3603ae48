#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/slices.h"

namespace sonde::record {

/// A program in a process: exec() puts a new one in its place, which numbers its strings, domains and ranges anew.
struct Image {
  uint32_t process;
  int64_t since;
  std::string name;
  uint32_t parent;
  uint32_t event_cost_ns;
};

/// The images of a recording, in the order of their processes and times.
class Images {
 public:
  /// Of all process records; a process without one (it was dropped) has an image without a name.
  explicit Images(const Slices& slices);

  /// The place in all() of the image that was in a process at a time.
  [[nodiscard]] uint32_t at(uint32_t process, int64_t time) const;
  [[nodiscard]] const std::vector<Image>& all() const { return all_; }

 private:
  std::vector<Image> all_;
};

}  // namespace sonde::record
