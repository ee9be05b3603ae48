// Spends the CPU's time in a library that it loads and unloads again and again.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int i = 0; i < atoi(argv[2]); ++i) {
    void* library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) return 1;
    ((void (*)(uint64_t))dlsym(library, "spin_in_library"))(1000000);
    dlclose(library);
  }
  return 0;
}
