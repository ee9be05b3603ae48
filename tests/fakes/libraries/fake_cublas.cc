#include <cstdarg>

#include "shapes.h"

extern "C" {

int cublasData = 77;

int cublasCreate_v2(void** handle) {
  *handle = &cublasData;
  return 0;
}

int64_t cublasGemmStridedBatchedEx(void* handle, int a, int b, int m, int n, int k, const void* alpha, const void* x,
                                   int x_type, int lda, int64_t x_stride, const void* y, int y_type, int ldb,
                                   int64_t y_stride, const void* beta, void* c, int c_type, int ldc, int64_t c_stride,
                                   int batch, int algorithm) {
  const auto number = [](const void* pointer) { return static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer)); };
  const int64_t all[] = {number(handle), a,      b,        m,         n,      k,        number(alpha), number(x),
                         x_type,         lda,    x_stride, number(y), y_type, ldb,      y_stride,      number(beta),
                         number(c),      c_type, ldc,      c_stride,  batch,  algorithm};
  int64_t sum = 0;
  int64_t place = 0;
  for (const int64_t value : all) sum += ++place * value;
  return sum;
}

double cublasDouble(double a, float b, double c, double d, double e, double f, double g, double h, double i, float j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

long double cublasLongDouble(long double a, int b) { return a * b; }

FakeComplex cublasComplex(FakeComplex a, int b) { return {a.x * static_cast<float>(b), a.y}; }

FakeDoubleComplex cublasDoubleComplex(FakeDoubleComplex a, FakeDoubleComplex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

FakeLarge cublasLarge(FakeLarge a, int b) {
  for (int64_t& word : a.words) word *= b;
  return a;
}

int cublasCallback(void (*call)(void*), void* argument) {
  call(argument);
  return 5;
}

int cublasVariable(int count, ...) {
  va_list rest;
  va_start(rest, count);
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += va_arg(rest, double);
  va_end(rest);
  return static_cast<int>(sum);
}

const char* cublasGetStatusName(int status) { return status == 0 ? "CUBLAS_STATUS_SUCCESS" : "other"; }

int cublasNested(int depth) {
  int (*volatile self)(int) = cublasNested;
  return depth == 0 ? 0 : self(depth - 1) + cublasVariable(1, 1.0);
}

int unrelated(int value) { return value + 1; }
}
