#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/call_result.h"

/// What is used of CUPTI: the types of its C interface under names of our own, so that no NVIDIA header is needed.
/// Values and layouts are those of cupti_result.h, cupti_callbacks.h and cupti_activity.h of CUDA 13.0; the layouts of
/// activity records are in layouts.cc.
namespace sonde::inject::cupti {

/// CUptiResult.
enum class Result : int32_t {
  ok = 0,
  max_limit_reached = 12,  ///< no further record in a buffer
  not_ready = 13,
  multiple_subscribers = 39,
  // Sonde's own:
  absent = wire::kAbsent,
  threw = wire::kThrew,
  too_late = wire::kTooLate,
};

/// CUpti_SubscriberHandle.
using Subscriber = struct SubscriberOfCupti*;

/// CUpti_CallbackDomain.
enum class Domain : uint32_t { driver = 1, runtime = 2, resource = 3 };

/// CUpti_CallbackFunc.
using Callback = void (*)(void* user, Domain domain, uint32_t id, const void* data);

/// CUpti_CallbackData, for the domains of the driver's and the runtime's calls.
struct CallbackData {
  uint32_t site;  ///< 0: the call begins, 1: it comes back
  const char* function_name;
  const void* parameters;
  void* return_value;  ///< of the call's own type; when it comes back
  const char* symbol;  ///< of the kernel that is launched
  void* context;
  uint32_t context_id;
  uint64_t* correlation_data;  ///< one word that the callbacks before and after a call share
  uint32_t correlation;
};
static_assert(offsetof(CallbackData, correlation) == 64);

using RequestBuffer = void (*)(uint8_t** buffer, size_t* bytes, size_t* most_records);
using TakeBuffer = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);
using Clock = uint64_t (*)();

}  // namespace sonde::inject::cupti
