#pragma once

#include <cstddef>
#include <cstdint>

// Functions of a stand-in for NVIDIA's libraries, in the shapes of arguments and results that the real ones have.
extern "C" {

struct FakeComplex {
  float x, y;
};
struct FakeDoubleComplex {
  double x, y;
};
struct FakeUniqueId {  // as ncclUniqueId
  char bytes[128];
};
struct FakeLarge {
  int64_t words[5];
};

int cublasCreate_v2(void** handle);
/// 22 arguments, as cublasGemmStridedBatchedEx. The sum of all, weighted by their place.
int64_t cublasGemmStridedBatchedEx(void* handle, int a, int b, int m, int n, int k, const void* alpha, const void* x,
                                   int x_type, int lda, int64_t x_stride, const void* y, int y_type, int ldb,
                                   int64_t y_stride, const void* beta, void* c, int c_type, int ldc, int64_t c_stride,
                                   int batch, int algorithm);
double cublasDouble(double a, float b, double c, double d, double e, double f, double g, double h, double i, float j);
long double cublasLongDouble(long double a, int b);
FakeComplex cublasComplex(FakeComplex a, int b);
FakeDoubleComplex cublasDoubleComplex(FakeDoubleComplex a, FakeDoubleComplex b);
FakeLarge cublasLarge(FakeLarge a, int b);
/// Ends by what `call` does: it may throw, or jump away.
int cublasCallback(void (*call)(void*), void* argument);
int cublasVariable(int count, ...);
const char* cublasGetStatusName(int status);
/// Calls two functions of this library, one of them by a pointer.
int cublasNested(int depth);

int ncclCommInitRank(void** communicator, int ranks, FakeUniqueId id, int rank);
int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, void* communicator, void* stream);
/// 30 arguments, as cudnnRNNBackwardDataEx.
int64_t cudnnThirty(int64_t a1, int64_t a2, int64_t a3, int64_t a4, int64_t a5, int64_t a6, int64_t a7, int64_t a8,
                    int64_t a9, int64_t a10, int64_t a11, int64_t a12, int64_t a13, int64_t a14, int64_t a15,
                    int64_t a16, int64_t a17, int64_t a18, int64_t a19, int64_t a20, int64_t a21, int64_t a22,
                    int64_t a23, int64_t a24, int64_t a25, int64_t a26, int64_t a27, int64_t a28, int64_t a29,
                    int64_t a30);
/// Computes with cuBLAS.
int cudnnUsesCublas(void);
int cusparseSpMV(int value);
int cusolverDnSgetrf(int value);
int unrelated(int value);

extern int cublasData;
}
