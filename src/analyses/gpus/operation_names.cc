#include "analyses/gpus/operation_names.h"

#include <array>

namespace sonde {
namespace {

/// By CopyKind.
constexpr std::array<std::string_view, 14> kCopies = {"[CUDA memcpy Unknown]",
                                                      "[CUDA memcpy Host-to-Device]",
                                                      "[CUDA memcpy Device-to-Host]",
                                                      "[CUDA memcpy Host-to-Array]",
                                                      "[CUDA memcpy Array-to-Host]",
                                                      "[CUDA memcpy Array-to-Array]",
                                                      "[CUDA memcpy Array-to-Device]",
                                                      "[CUDA memcpy Device-to-Array]",
                                                      "[CUDA memcpy Device-to-Device]",
                                                      "[CUDA memcpy Host-to-Host]",
                                                      "[CUDA memcpy Peer-to-Peer]",
                                                      "[CUDA memcpy Unified Host-to-Device]",
                                                      "[CUDA memcpy Unified Device-to-Host]",
                                                      "[CUDA memcpy Unified Device-to-Device]"};

/// By MemoryKind.
constexpr std::array<std::string_view, 8> kMemories = {"Pageable", "Pinned",        "Device",         "Array",
                                                       "Managed",  "Device Static", "Managed Static", "Unknown"};

}  // namespace

std::string_view copy_operation(uint8_t copy_kind) { return kCopies[copy_kind < kCopies.size() ? copy_kind : 0]; }

std::string_view copy_direction(uint8_t copy_kind) {
  constexpr std::string_view kBefore = "[CUDA memcpy ";
  const std::string_view operation = copy_operation(copy_kind);
  return operation.substr(kBefore.size(), operation.size() - kBefore.size() - 1);
}

std::string_view set_operation() { return "[CUDA memset]"; }

std::string_view memory_kind_name(uint8_t memory_kind) {
  return memory_kind < kMemories.size() ? kMemories[memory_kind] : std::string_view();
}

}  // namespace sonde
