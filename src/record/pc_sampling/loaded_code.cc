#include "record/pc_sampling/loaded_code.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>

namespace sonde::record {

void LoadedCode::add(uint32_t process, const wire::CodePartBody& part, std::span<const std::byte> bytes) {
  File& file = files_[{process, part.code}];
  if (file.parts.empty()) {
    file.bytes = part.file_bytes;
    file.kept_bytes = part.kept_bytes;
  }
  if (part.file_bytes != file.bytes) return;
  file.parts.emplace_back(part.offset, std::string(reinterpret_cast<const char*>(bytes.data()), part.bytes));
}

void LoadedCode::read(File& file) {
  file.is_read = true;
  const uint64_t kept = std::accumulate(file.parts.begin(), file.parts.end(), uint64_t{0},
                                        [](uint64_t sum, const auto& part) { return sum + part.second.size(); });
  if (kept != file.kept_bytes) {
    ++incomplete_;
    return;
  }
  // What lies between the parts costs no memory: pages that calloc() gets and nobody touches.
  // NOLINTBEGIN(cppcoreguidelines-no-malloc): a container would write zeros into all of it
  const std::unique_ptr<char, decltype(&std::free)> image(
      static_cast<char*>(std::calloc(1, std::max<uint64_t>(file.bytes, 1))), &std::free);
  // NOLINTEND(cppcoreguidelines-no-malloc)
  if (!image) return;
  for (const auto& [offset, bytes] : file.parts) std::memcpy(image.get() + offset, bytes.data(), bytes.size());
  file.parts.clear();
  auto code = read_device_code({image.get(), file.bytes}, true, [&](std::string_view text) {
    file.names.emplace_back(text);
    return static_cast<NameId>(file.names.size() - 1);
  });
  if (code) file.code = *std::move(code);
}

std::optional<DeviceFunction> LoadedCode::function(uint32_t process, uint64_t code, std::string_view mangled,
                                                   StringPool& names) {
  const auto found = files_.find({process, code});
  if (found == files_.end()) return std::nullopt;
  File& file = found->second;
  if (!file.is_read) read(file);
  const auto one = std::ranges::find_if(file.code.functions, [&](const DeviceFunction& function) {
    return file.names[function.mangled_name] == mangled;
  });
  if (one == file.code.functions.end()) return std::nullopt;
  DeviceFunction function = *one;
  function.mangled_name = names.intern(mangled);
  for (DeviceFunction::Line& line : function.lines) line.file = names.intern(file.names[line.file]);
  return function;
}

}  // namespace sonde::record
