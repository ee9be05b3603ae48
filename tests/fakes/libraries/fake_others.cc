#include "shapes.h"

// Built once for each of the other libraries, with FAKE_CUDNN, FAKE_NCCL, FAKE_CUSPARSE or FAKE_CUSOLVER.
extern "C" {

#ifdef FAKE_CUDNN
int64_t cudnnThirty(int64_t a1, int64_t a2, int64_t a3, int64_t a4, int64_t a5, int64_t a6, int64_t a7, int64_t a8,
                    int64_t a9, int64_t a10, int64_t a11, int64_t a12, int64_t a13, int64_t a14, int64_t a15,
                    int64_t a16, int64_t a17, int64_t a18, int64_t a19, int64_t a20, int64_t a21, int64_t a22,
                    int64_t a23, int64_t a24, int64_t a25, int64_t a26, int64_t a27, int64_t a28, int64_t a29,
                    int64_t a30) {
  const int64_t all[] = {a1,  a2,  a3,  a4,  a5,  a6,  a7,  a8,  a9,  a10, a11, a12, a13, a14, a15,
                         a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30};
  int64_t sum = 0;
  int64_t place = 0;
  for (const int64_t value : all) sum += ++place * value;
  return sum;
}

int cudnnUsesCublas() { return cublasVariable(2, 1.0, 2.0); }
#endif

#ifdef FAKE_NCCL
int ncclCommInitRank(void** communicator, int ranks, FakeUniqueId id, int rank) {
  int sum = ranks + 10 * rank;
  for (const char byte : id.bytes) sum += byte;
  *communicator = nullptr;
  return sum;
}

int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, void* communicator, void* stream) {
  return static_cast<int>(count) + type + operation + (from == to) + (communicator == stream);
}
#endif

#ifdef FAKE_CUSPARSE
int cusparseSpMV(int value) { return value * 2; }
#endif

#ifdef FAKE_CUSOLVER
int cusolverDnSgetrf(int value) { return value * 3; }
#endif
}
