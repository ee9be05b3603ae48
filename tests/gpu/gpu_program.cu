// What a test wants to see recorded on a real GPU: gpu_program SCENARIO COUNT. Prints what it did as JSON, by construction:
// kernels and copies by count and bytes, and the milliseconds between CUDA events around each kernel.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Long beside what events cost.
constexpr long long kSpinNs = 2'000'000;
constexpr size_t kBytes = 1 << 20;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "gpu_program: %s\n", cudaGetErrorString(error));
  exit(1);
}

__device__ long long timer() {
  long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

struct Account {
  std::map<std::string, long> kernels;
  std::map<int, std::pair<long, long>> copies;  ///< by CUPTI's kind: count, bytes
  long sets = 0;
  long graph_launches = 0;
  double event_ms = 0;  ///< around the spinning kernels of the timed scenario
};
Account account;

}  // namespace

extern "C" __global__ void spin(long long ns) {
  const long long end = timer() + ns;
  while (timer() < end) continue;
}

template <int N>
__global__ void axpy(float* y, const float* x, float a, int count) {
  const int i = blockIdx.x * N + threadIdx.x;
  if (i < count) y[i] += a * x[i];
}

namespace {

constexpr const char* kAxpy = "_Z4axpyILi128EEvPfPKffi";
constexpr int kCount = 1 << 20;

struct Buffers {
  float* x = nullptr;
  float* y = nullptr;
  Buffers() {
    check(cudaMalloc(&x, kCount * sizeof(float)));
    check(cudaMalloc(&y, kCount * sizeof(float)));
  }
};

void run_axpy(const Buffers& buffers, cudaStream_t stream) {
  axpy<128><<<kCount / 128, 128, 0, stream>>>(buffers.y, buffers.x, 2.0F, kCount);
}

/// Kernels of known length, each between two events.
void timed(int count) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  spin<<<1, 1>>>(1);  // what the first launch loads is no part of it
  check(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) {
    float ms = 0;
    nvtxRangePushA("timed");
    check(cudaEventRecord(begin));
    spin<<<1, 1>>>(kSpinNs);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    nvtxRangePop();
    check(cudaEventElapsedTime(&ms, begin, end));
    account.event_ms += ms;
  }
  account.kernels["spin"] = count + 1;
}

void work(int count) {
  const Buffers buffers;
  std::vector<char> host(kBytes);
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("step");
    check(cudaMemcpy(buffers.x, host.data(), kBytes, cudaMemcpyHostToDevice));
    run_axpy(buffers, nullptr);
    check(cudaMemsetAsync(buffers.y, 0, 4096));
    check(cudaMemcpy(host.data(), buffers.y, kBytes, cudaMemcpyDeviceToHost));
    check(cudaMemcpyAsync(buffers.x, buffers.y, kBytes, cudaMemcpyDeviceToDevice));
    nvtxRangePop();
  }
  check(cudaDeviceSynchronize());
  account.kernels[kAxpy] += count;
  for (int kind : {1, 2, 8}) account.copies[kind] = {count, long(count) * long(kBytes)};
  account.sets += count;
}

void in_streams(int count) {
  const Buffers buffers;
  auto run = [&] {
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    for (int i = 0; i < count; ++i) run_axpy(buffers, stream);
    check(cudaStreamSynchronize(stream));
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(run);
  for (auto& thread : threads) thread.join();
  account.kernels[kAxpy] = 4L * count;
}

void graph(int count) {
  const Buffers buffers;
  cudaStream_t stream;
  cudaGraph_t captured;
  cudaGraphExec_t exec;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  run_axpy(buffers, stream);
  run_axpy(buffers, stream);
  check(cudaStreamEndCapture(stream, &captured));
  check(cudaGraphInstantiateWithFlags(&exec, captured, 0));
  for (int i = 0; i < count; ++i) check(cudaGraphLaunch(exec, stream));
  check(cudaStreamSynchronize(stream));
  account.kernels[kAxpy] = 2L * count;
  account.graph_launches = count;
}

void profiler(int count) {
  const Buffers buffers;
  for (int i = 0; i < count; ++i) spin<<<1, 1>>>(1000);
  check(cudaDeviceSynchronize());
  check(cudaProfilerStart());
  for (int i = 0; i < count; ++i) run_axpy(buffers, nullptr);
  check(cudaDeviceSynchronize());
  check(cudaProfilerStop());
  for (int i = 0; i < count; ++i) spin<<<1, 1>>>(1000);
  check(cudaDeviceSynchronize());
  account.kernels[kAxpy] = count;
}

void many(int count) {
  const Buffers buffers;
  for (int i = 0; i < count; ++i) axpy<128><<<1, 128>>>(buffers.y, buffers.x, 2.0F, 128);
  check(cudaDeviceSynchronize());
  account.kernels[kAxpy] = count;
}

/// The launch-bound loop: the median of its batches, ms a thousand launches.
void loop(int count) {
  const Buffers buffers;
  std::vector<double> batches;
  for (int i = 0; i < count; ++i) {
    const auto began = std::chrono::steady_clock::now();
    for (int j = 0; j < 1000; ++j) axpy<128><<<1, 128>>>(buffers.y, buffers.x, 2.0F, 128);
    check(cudaDeviceSynchronize());
    batches.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
  }
  std::sort(batches.begin(), batches.end());
  printf("{\"step_ms\": %.4f}\n", batches[batches.size() / 2]);
}

void report() {
  const char* comma = "";
  printf("{\"kernels\": {");
  for (const auto& [name, count] : account.kernels) {
    printf("%s\"%s\": %ld", comma, name.c_str(), count);
    comma = ", ";
  }
  printf("}, \"copies\": {");
  comma = "";
  for (const auto& [kind, sum] : account.copies) {
    printf("%s\"%d\": [%ld, %ld]", comma, kind, sum.first, sum.second);
    comma = ", ";
  }
  printf("}, \"sets\": %ld, \"graph_launches\": %ld, \"event_ms\": %.6f}\n", account.sets, account.graph_launches,
         account.event_ms);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 1;
  const std::map<std::string, void (*)(int)> modes = {{"timed", timed}, {"work", work},         {"streams", in_streams},
                                                      {"graph", graph}, {"profiler", profiler}, {"many", many},
                                                      {"loop", loop}};
  const auto found = modes.find(mode);
  if (found == modes.end()) {
    fprintf(stderr, "usage: gpu_program timed|work|streams|graph|profiler|many|loop [COUNT]\n");
    return 2;
  }
  found->second(count);
  if (mode != "loop") report();
  return 0;
}
