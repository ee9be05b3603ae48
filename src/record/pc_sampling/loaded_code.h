#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace/device_code.h"
#include "trace/string_pool.h"
#include "wire/pc_record.h"

namespace sonde::record {

/// The code that programs loaded, as far as its source lines take it. Parts come in any order.
class LoadedCode {
 public:
  void add(uint32_t process, const wire::CodePartBody& part, std::span<const std::byte> bytes);

  /// A function of it, its names given to `names`; absent where the code was loaded without lines. After all parts.
  [[nodiscard]] std::optional<DeviceFunction> function(uint32_t process, uint64_t code, std::string_view mangled,
                                                       StringPool& names);
  /// Files of which parts are missing, of those that were asked for.
  [[nodiscard]] int64_t incomplete() const { return incomplete_; }

 private:
  struct File {
    uint64_t bytes = 0;       ///< of the whole
    uint64_t kept_bytes = 0;  ///< that the program has reported, if nothing was lost
    std::vector<std::pair<uint64_t, std::string>> parts;
    bool is_read = false;
    DeviceCode code;                 ///< with names of its own
    std::vector<std::string> names;  ///< those
  };
  void read(File& file);

  std::map<std::pair<uint32_t, uint64_t>, File> files_;
  int64_t incomplete_ = 0;
};

}  // namespace sonde::record
