#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"

namespace sonde {

/// Names this boot of the machine; empty where the kernel does not tell. Read once.
[[nodiscard]] inline const std::string& boot_id() {
  static const std::string id = [] {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): POSIX
    const Descriptor file(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    std::array<char, 64> text{};
    const ssize_t count = file ? read(file.get(), text.data(), text.size()) : 0;
    const std::string_view whole(text.data(), count > 0 ? static_cast<size_t>(count) : 0);
    return std::string(whole.substr(0, whole.find('\n')));
  }();
  return id;
}

}  // namespace sonde
