#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/cupti/library.h"

/// CUPTI's SASS metrics: its types under names of our own. Layouts are those of cupti_sass_metrics.h of CUDA 12.6 to
/// 13.0. Each structure of parameters begins with its size up to the last field.
namespace sonde::inject::instructions {

using cupti::Result;

struct Metric {
  uint64_t id = 0;
  const char* name = nullptr;
  const char* description = nullptr;
};

struct PropertiesParams {
  size_t size = sizeof(PropertiesParams);
  void* reserved = nullptr;
  const char* chip = nullptr;
  const char* name = nullptr;
  Metric metric{};
};

struct MetricConfig {
  uint64_t metric = 0;
  uint8_t granularity = 0;  ///< 0: one value for the GPU
};

struct SetConfigParams {
  size_t size = offsetof(SetConfigParams, device) + sizeof device;
  void* reserved = nullptr;
  size_t count = 0;
  MetricConfig* configs = nullptr;
  uint32_t device = 0;
};

struct UnsetConfigParams {
  size_t size = offsetof(UnsetConfigParams, device) + sizeof device;
  void* reserved = nullptr;
  uint32_t device = 0;
};

struct EnableParams {
  size_t size = offsetof(EnableParams, lazy) + sizeof lazy;
  void* reserved = nullptr;
  void* context = nullptr;
  uint8_t lazy = 0;  ///< 1: a function is patched when it is launched; 0: all code of the context at once
};

struct DisableParams {
  size_t size = sizeof(DisableParams);
  void* reserved = nullptr;
  void* context = nullptr;
  size_t dropped = 0;
};

struct ExtentParams {
  size_t size = sizeof(ExtentParams);
  void* reserved = nullptr;
  void* context = nullptr;
  size_t records = 0;
  size_t instances = 0;  ///< values of a record
};

struct Value {
  uint64_t metric = 0;
  uint64_t value = 0;
};

/// Of one instruction. Its name is CUPTI's: it may be that of other records, too, and is left alone.
struct Data {
  size_t size = sizeof(Data);
  void* reserved = nullptr;
  uint32_t cubin_crc = 0;
  uint32_t function_index = 0;
  const char* function = nullptr;
  uint32_t offset = 0;  ///< bytes from the begin of the function
  Value* values = nullptr;
};

struct FlushParams {
  size_t size = offsetof(FlushParams, instances) + sizeof instances;
  void* reserved = nullptr;
  void* context = nullptr;
  size_t records = 0;
  size_t instances = 0;
  Data* data = nullptr;
};

struct Functions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the parameter is a type.
#define SONDE_SASS_METRICS(member, symbol, parameters) Guarded<Result(parameters*)> member;
#include "inject/instructions/sass_metrics.inc"
};

/// The functions of a CUPTI. The name of the first that it lacks; null where all can be used.
[[nodiscard]] const char* find_functions(Functions& functions, const cupti::Library& library) noexcept;

}  // namespace sonde::inject::instructions
