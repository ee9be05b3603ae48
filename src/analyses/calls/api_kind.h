#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// What a CUDA API call makes its thread do.
enum class ApiKind : uint8_t {
  launch,         ///< puts a kernel or a graph on a stream
  copy_async,     ///< puts a copy or a set on a stream
  copy_blocking,  ///< a copy or a set that returns when it is done
  synchronize,    ///< waits for the GPU
  allocate,       ///< takes, pins or gives back memory
  load,           ///< loads or compiles device code
  initialize,     ///< sets up the driver, a context or a graph
  other,
};

/// Calls that give memory or code back and wait for the whole device: cudaFree, cudaFreeHost, cuModuleUnload and the
/// like, as they are seen to do; not the asynchronous ones.
[[nodiscard]] bool releases_after_device(std::string_view name);

/// By the longest prefix of its name that api_kinds.inc lists.
[[nodiscard]] ApiKind api_kind(std::string_view name);

/// The kind of each row of `api`: api_kind() once a name.
[[nodiscard]] std::vector<ApiKind> api_kinds(const Trace& trace);

}  // namespace sonde
