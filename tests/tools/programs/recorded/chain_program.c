/* Calls CUDA from functions whose names a test knows: chain_program SCENARIO COUNT [LIBRARY...]. Nothing is inlined, so
 * that each function is a frame. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "small_cuda.h"
#include "small_nvtx.h"

static const struct fake_kernel kernel = {"_Z6kernelv", 16, 0, 0, 0};
static volatile int calls; /* behind each call: nothing of it is a jump to another function's begin */

static void launch_it(void) {
  int64_t ns = 500;
  void* arguments[] = {&ns};
  const dim3 one = {1, 1, 1};
  if (cudaLaunchKernel(&kernel, one, one, arguments, 0, NULL) != 0) exit(3);
  ++calls;
}

static void wait_for_it(void) {
  if (cudaDeviceSynchronize() != 0) exit(3);
  ++calls;
}

static void inner(void) {
  launch_it();
  ++calls;
}

static void middle(void) {
  inner();
  wait_for_it();
  ++calls;
}

/* An exported one. */
void outer(void) {
  middle();
  ++calls;
}

/* Each library in turn is loaded, calls back, and is gone: the next one may lie where it was. */
static void through_libraries(int count, char** paths) {
  for (char** path = paths; *path != NULL; ++path) {
    void* library = dlopen(*path, RTLD_NOW);
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      exit(2);
    }
    void (*call)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(library, "call_back");
    for (int i = 0; i < count; ++i) call(launch_it);
    printf("%p\n", (void*)call);
    dlclose(library);
  }
}

/* As a library that tells of its calls by NVTX does. */
static void in_library_call(int count) {
  const nvtx_domain domain = nvtx_create_domain("cuBLAS");
  const nvtx_attributes call = {.version = 3, .size = sizeof call, .message_type = 1, .message.narrow = "cublasSgemm"};
  for (int i = 0; i < count; ++i) {
    nvtx_push_with(domain, &call);
    inner();
    nvtx_pop_of(domain);
  }
}

static void in_child(int count) {
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < count; ++i) inner();
    exit(0);
  }
  waitpid(child, NULL, 0);
  for (int i = 0; i < count; ++i) outer();
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int count = atoi(argv[2]);
  if (strcmp(argv[1], "libraries") == 0) {
    through_libraries(count, argv + 3);
  } else if (strcmp(argv[1], "library") == 0) {
    in_library_call(count);
  } else if (strcmp(argv[1], "child") == 0) {
    in_child(count);
  } else {
    for (int i = 0; i < count; ++i) outer();
  }
  fflush(stdout);
  /* Its back traces are the recorder's already; what CUPTI holds needs the second. */
  if (strcmp(argv[1], "killed") == 0) {
    sleep(2);
    raise(SIGKILL);
  }
  if (strcmp(argv[1], "exec") == 0) {
    sleep(2);
    execv(argv[3], (char*[]){argv[3], "plain", argv[2], NULL});
  }
  return 0;
}
