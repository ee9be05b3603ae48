#include "inject/cupti/cheap_calls.h"

#include <algorithm>

namespace sonde::inject::cupti {
namespace {

/// cupti_driver_cbid.h, cupti_runtime_cbid.h: the same numbers in all versions.
struct Call {
  Domain domain;
  uint32_t id;
};
constexpr Call kCheap[] = {
    {Domain::runtime, 10},   // cudaGetLastError
    {Domain::runtime, 11},   // cudaPeekAtLastError
    {Domain::runtime, 17},   // cudaGetDevice
    {Domain::runtime, 200},  // cudaDeviceGetAttribute
    {Domain::runtime, 317},  // cudaStreamIsCapturing
    {Domain::driver, kCurrentContextCall},
    {Domain::driver, 310},  // cuPointerGetAttribute
    {Domain::driver, 392},  // cuDevicePrimaryCtxGetState
    {Domain::driver, 450},  // cuPointerGetAttributes
    {Domain::driver, 499},  // cuStreamIsCapturing
    {Domain::driver, 686},  // cuKernelGetAttribute
};

}  // namespace

void disable_cheap_calls(const Library& library) noexcept {
  for (const Call& call : kCheap) {
    const auto& choose = call.domain == Domain::driver ? library.choose_driver_call : library.choose_runtime_call;
    static_cast<void>(choose(call.id, uint8_t{0}));
  }
}

bool is_cheap(Domain domain, uint32_t call) noexcept {
  return std::ranges::any_of(kCheap, [&](const Call& cheap) { return cheap.domain == domain && cheap.id == call; });
}

}  // namespace sonde::inject::cupti
