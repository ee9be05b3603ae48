#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GPU_CALL(name, ...) int (*name)(__VA_ARGS__);
#include "driver_calls.inc"

enum { COMPUTE_CAPABILITY_MAJOR = 75, COMPUTE_CAPABILITY_MINOR = 76, JIT_GENERATE_LINE_INFO = 13 }; /* cuda.h */
enum { OUT_OF_MEMORY = 2 }; /* CUDA_ERROR_OUT_OF_MEMORY */

static void* module = NULL;
static const char* kind = "none";

void die_without(const char* function) {
  fprintf(stderr, "libcuda has no %s\n", function);
  exit(CANNOT);
}

void die_of(const char* function, int code) {
  if (code == OUT_OF_MEMORY) {
    fprintf(stderr, "the GPU has too little free memory for %s\n", function);
    exit(CANNOT);
  }
  fprintf(stderr, "%s returned %d\n", function, code);
  exit(1);
}

int open_driver(void) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "no NVIDIA driver (%s)\n", dlerror());
    exit(CANNOT);
  }
#define GPU_CALL(name, ...) *(void**)&(name) = dlsym(library, #name);
#include "driver_calls.inc"
  if (cuInit == NULL) die_without("cuInit");
  const int code = cuInit(0);
  int count = 0;
  if (code == 0) CALL(cuDeviceGetCount, &count);
  if (count == 0) {
    fprintf(stderr, "the driver sees no GPU (cuInit returned %d)\n", code);
    exit(CANNOT);
  }
  return count;
}

void* use_first_gpu(void) {
  int device = 0;
  void* context = NULL;
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  return context;
}

/* The file of that name beside the program, with a 0 at its end; null where there is none. */
static char* file_beside(const char* name) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 256);
  if (length <= 0) return NULL;
  path[length] = '\0';
  strcpy(strrchr(path, '/') + 1, name);
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  const size_t bytes = (size_t)ftell(file);
  rewind(file);
  char* text = malloc(bytes + 1);
  text[fread(text, 1, bytes, file)] = '\0';
  fclose(file);
  return text;
}

static int load_cubin(void) {
  int major = 0, minor = 0;
  char name[64];
  CALL(cuDeviceGetAttribute, &major, COMPUTE_CAPABILITY_MAJOR, 0);
  CALL(cuDeviceGetAttribute, &minor, COMPUTE_CAPABILITY_MINOR, 0);
  snprintf(name, sizeof name, "kernels.sm_%d%d.cubin", major, minor);
  void* found = NULL;
  char* code = getenv("GPU_PROGRAM_PTX") != NULL ? NULL : file_beside(name);
  if (code == NULL || cuModuleLoadData(&module, code) != 0) return 0;
  kind = "cubin";
  return cuModuleGetFunction(&found, module, "spin") == 0;
}

static void load_ptx(void) {
  char* code = file_beside("kernels.ptx");
  if (code == NULL) {
    fprintf(stderr, "kernels.ptx is not beside the program\n");
    exit(CANNOT);
  }
  const int options[] = {JIT_GENERATE_LINE_INFO};
  void* values[] = {(void*)1};
  kind = "ptx";
  if (cuModuleLoadDataEx != NULL) {
    CALL(cuModuleLoadDataEx, &module, code, 1, options, values);
  } else {
    CALL(cuModuleLoadData, &module, code);
  }
}

void* kernel(const char* name) {
  void* found = NULL;
  if (module == NULL && !load_cubin()) load_ptx();
  CALL(cuModuleGetFunction, &found, module, name);
  return found;
}

const char* code_kind(void) { return kind; }
void forget_code(void) { module = NULL; }
