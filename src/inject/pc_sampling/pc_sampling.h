#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/cupti/library.h"

/// CUPTI's PC sampling: its types under names of our own. Layouts are those of cupti_pcsampling.h of CUDA 12.4 to 13.0
/// (before, data of an instruction were shorter). Each structure begins with its size up to the last field that the
/// caller knows.
namespace sonde::inject::pc_sampling {

using cupti::Result;

/// What CUPTI gives beside cupti::Result (cupti_result.h): a buffer of its own is full.
inline constexpr auto kOutOfMemory = static_cast<Result>(8);

/// CUPTI_API_VERSION of CUDA 12.4.
inline constexpr uint32_t kMinVersion = 22;

struct StallReason {
  uint32_t index = 0;
  uint32_t samples = 0;
};

/// Of one instruction. Its name is CUPTI's: it may be that of other records, too, and is left alone.
struct PcData {
  size_t size = sizeof(PcData);
  uint64_t cubin_crc = 0;
  uint64_t offset = 0;  ///< bytes from the begin of the function
  uint32_t function_index = 0;
  uint32_t padding = 0;
  const char* function = nullptr;
  size_t reason_count = 0;
  StallReason* reasons = nullptr;  ///< the caller's; room for all that the GPU has
  uint32_t correlation = 0;
};

struct Data {
  size_t size = sizeof(Data);
  size_t room = 0;  ///< for instructions
  uint64_t total = 0;
  uint64_t dropped = 0;
  size_t count = 0;
  size_t remaining = 0;
  uint64_t range = 0;
  PcData* instructions = nullptr;
  uint64_t other_kernels = 0;
  uint8_t is_full = 0;
};

/// CUpti_PCSamplingConfigurationAttributeType.
enum class Attribute : uint32_t {
  period = 1,
  scratch_bytes = 3,
  hardware_bytes = 4,
  mode = 5,
  start_stop = 6,
  buffer = 8,
};
inline constexpr uint64_t kContinuous = 1;  ///< of Attribute::mode

struct Config {
  Attribute attribute = Attribute::period;
  int32_t status = 0;
  union {
    uint64_t words[3] = {};
    uint64_t number;  ///< or less of it, from its lowest byte on
    void* pointer;
  };
};

struct ContextParams {
  size_t size = sizeof(ContextParams);
  void* reserved = nullptr;
  void* context = nullptr;
};

struct ConfigParams {
  size_t size = sizeof(ConfigParams);
  void* reserved = nullptr;
  void* context = nullptr;
  size_t count = 0;
  Config* configs = nullptr;
};

struct GetDataParams {
  size_t size = sizeof(GetDataParams);
  void* reserved = nullptr;
  void* context = nullptr;
  Data* data = nullptr;
};

struct ReasonCountParams {
  size_t size = sizeof(ReasonCountParams);
  void* reserved = nullptr;
  void* context = nullptr;
  size_t* count = nullptr;
};

inline constexpr size_t kReasonNameBytes = 128;  ///< CUPTI_STALL_REASON_STRING_SIZE

struct ReasonsParams {
  size_t size = sizeof(ReasonsParams);
  void* reserved = nullptr;
  void* context = nullptr;
  size_t count = 0;
  uint32_t* indices = nullptr;
  char** names = nullptr;  ///< the caller's, kReasonNameBytes each
};

struct CubinCrcParams {
  size_t size = sizeof(CubinCrcParams);
  size_t cubin_bytes = 0;
  const void* cubin = nullptr;
  uint64_t crc = 0;
};

struct Functions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the parameter is a type.
#define SONDE_PC_SAMPLING(member, symbol, parameters) Guarded<Result(parameters*)> member;
#include "inject/pc_sampling/pc_sampling.inc"
};

/// The functions of a CUPTI. The name of the first that it lacks, or of one that is of another layout there; null where
/// all can be used.
[[nodiscard]] const char* find_functions(Functions& functions, const cupti::Library& library) noexcept;

}  // namespace sonde::inject::pc_sampling
