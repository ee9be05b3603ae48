#include "synth/program.h"

#include <array>

namespace sonde::synth {
namespace {

/// Host times are those of a server CPU with an H100: a launch costs about 5 us, waiting calls little beside the wait.
constexpr std::array<ApiCallInfo, static_cast<size_t>(ApiCall::count_)> kCalls = {{
    {"cudaLaunchKernel_v7000", CallClass::runtime, 4600},
    {"cuLaunchKernelEx", CallClass::driver, 4100},
    {"cudaLaunchKernelExC_v11060", CallClass::runtime, 6200},
    {"cudaMemcpyAsync_v3020", CallClass::runtime, 5300},
    {"cudaMemcpy_v3020", CallClass::runtime, 5600},
    {"cudaMemsetAsync_v3020", CallClass::runtime, 4200},
    {"cudaEventRecord_v3020", CallClass::runtime, 1500},
    {"cudaStreamWaitEvent_v3020", CallClass::runtime, 1300},
    {"cudaEventSynchronize_v3020", CallClass::runtime, 1600},
    {"cudaStreamSynchronize_v3020", CallClass::runtime, 1700},
    {"cudaDeviceSynchronize_v3020", CallClass::runtime, 2100},
    {"cudaMalloc_v3020", CallClass::runtime, 140000},
    {"cudaFree_v3020", CallClass::runtime, 95000},
    {"cudaHostAlloc_v3020", CallClass::runtime, 1900000},
    {"cudaStreamCreateWithPriority_v5050", CallClass::runtime, 26000},
    {"cudaEventCreateWithFlags_v3020", CallClass::runtime, 900},
    {"cudaGraphLaunch_v10000", CallClass::runtime, 11000},
    {"cudaGraphInstantiateWithFlags_v11040", CallClass::runtime, 420000},
    {"cuLibraryLoadData", CallClass::driver, 2000000},
    {"cudaMallocAsync_v11020", CallClass::runtime, 3200},
}};

}  // namespace

const ApiCallInfo& info_of(ApiCall call) { return kCalls[static_cast<size_t>(call)]; }

}  // namespace sonde::synth
