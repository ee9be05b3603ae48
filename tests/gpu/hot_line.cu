// A kernel that spends nearly all of its time in one line: hot_line COUNT launches it so often.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void hot(float* out, int rounds) {
  float value = threadIdx.x + 1.0F;
  for (int i = 0; i < rounds; ++i) {
    value = value / (value * 1.0001F + 3.0F) + 1.5F;  // the hot line: each division needs the one before
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main(int argc, char** argv) {
  constexpr int kBlocks = 1024, kThreads = 256, kRounds = 20000;
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  float* out = nullptr;
  if (cudaMalloc(&out, sizeof(float) * kBlocks * kThreads) != cudaSuccess) return 1;
  for (int i = 0; i < count; ++i) hot<<<kBlocks, kThreads>>>(out, kRounds);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
