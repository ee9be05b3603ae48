// A program that calls stand-ins for NVIDIA's libraries in every way that programs do. It prints what it got; nothing
// of it depends on a recorder. library_program PART; for `opened` a path of libcublas.so.12 too.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "shapes.h"
#include "small_nvtx.h"

namespace {

void shapes() {
  void* handle = nullptr;
  const int created = cublasCreate_v2(&handle);
  printf("create %d %d\n", created, *static_cast<int*>(handle));
  const auto pointer = [](intptr_t number) { return reinterpret_cast<void*>(number); };
  printf("gemm %ld\n",
         cublasGemmStridedBatchedEx(pointer(101), 2, 3, 5, 7, 11, pointer(13), pointer(17), 19, 23, 29LL << 33,
                                    pointer(31), 37, 41, -43, pointer(47), pointer(53), 59, 61, 67, 71, -73));
  printf("double %a\n", cublasDouble(1.5, 2.25F, 3.125, 4, 5, 6, 7, 8, 9.0625, 10.5F));
  printf("long double %La\n", cublasLongDouble(1.0L / 3, 7));
  const FakeComplex complex = cublasComplex({1.5F, -2.5F}, 3);
  printf("complex %a %a\n", complex.x, complex.y);
  const FakeDoubleComplex product = cublasDoubleComplex({1, 2}, {3, 4});
  printf("double complex %a %a\n", product.x, product.y);
  const FakeLarge large = cublasLarge({{1, 2, 3, 4, 1LL << 40}}, 3);
  for (const int64_t word : large.words) printf("large %ld\n", word);
  printf("variable %d\n", cublasVariable(9, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.5));
  printf("status %s\n", cublasGetStatusName(0));
  printf("thirty %ld\n", cudnnThirty(1, -2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                                     24, 25, 26, 27, 28, 29, 1LL << 50));
  FakeUniqueId id{};
  for (size_t i = 0; i < sizeof id.bytes; ++i) id.bytes[i] = static_cast<char>(i);
  void* communicator = nullptr;
  printf("nccl %d\n", ncclCommInitRank(&communicator, 3, id, 2));
  printf("reduce %d\n", ncclAllReduce(&id, &id, 6, 1, 2, nullptr, &id));
  printf("others %d %d %d\n", cusparseSpMV(21), cusolverDnSgetrf(14), unrelated(1));
  printf("nested %d\n", cublasNested(4));
  printf("cudnn %d\n", cudnnUsesCublas());
}

void throw_it(void* text) { throw std::runtime_error(static_cast<const char*>(text)); }
void jump(void* place) { longjmp(*static_cast<jmp_buf*>(place), 3); }
void end_thread(void*) { pthread_exit(nullptr); }

void leaves() {
  char text[] = "thrown through";
  for (int i = 0; i < 100; ++i) {
    try {
      cublasCallback(throw_it, text);
    } catch (const std::runtime_error& error) {
      if (i == 99) puts(error.what());
    }
  }
  jmp_buf place;
  volatile int jumps = 0;
  if (setjmp(place) != 0) jumps = jumps + 1;
  if (jumps < 50) cublasCallback(jump, &place);
  printf("jumped %d\n", jumps);
  std::thread([] { cublasCallback(end_thread, nullptr); }).join();
  printf("after %s\n", cublasGetStatusName(0));
}

void threads() {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t) {
    all.emplace_back([] {
      for (int i = 0; i < 10000; ++i) cublasGetStatusName(i);
    });
  }
  for (std::thread& thread : all) thread.join();
  const pid_t child = fork();
  if (child == 0) {
    cusparseSpMV(1);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  puts("done");
}

/// On a stack with nothing behind it, or with a page that may not be read.
void coroutine(bool guarded) {
  constexpr size_t kBytes = 65536;
  static ucontext_t main_context;
  static ucontext_t context;
  auto* pages =
      static_cast<char*>(mmap(nullptr, kBytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (guarded) {
    mprotect(pages + kBytes, 4096, PROT_NONE);
  } else {
    munmap(pages + kBytes, 4096);
  }
  getcontext(&context);
  context.uc_stack.ss_sp = pages;
  context.uc_stack.ss_size = kBytes;
  context.uc_link = &main_context;
  makecontext(&context, reinterpret_cast<void (*)()>(reinterpret_cast<void*>(cusolverDnSgetrf)), 1, 5);
  swapcontext(&main_context, &context);
  puts("back");
}

/// NCCL that makes ranges itself.
void own_ranges() {
  nvtx_domain domain = nvtx_create_domain("NCCL");
  nvtx_attributes attributes{};
  attributes.size = sizeof attributes;
  attributes.message_type = 1;
  attributes.message.narrow = "ncclAllReduce";
  nvtx_push_with(domain, &attributes);
  ncclAllReduce(nullptr, nullptr, 1, 2, 3, nullptr, nullptr);
  nvtx_pop_of(domain);
  puts("done");
}

void many(int count) {
  for (int i = 0; i < count; ++i) cublasGetStatusName(0);
}

}  // namespace

int main(int, char** arguments) {
  const std::string part = arguments[1];
  if (part == "shapes") shapes();
  if (part == "leaves") leaves();
  if (part == "threads") threads();
  if (part == "coroutine") coroutine(false);
  if (part == "guarded") coroutine(true);
  if (part == "own_ranges") own_ranges();
  if (part == "many") many(atoi(arguments[2]));
}
