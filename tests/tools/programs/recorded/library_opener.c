/* A program that finds out whether there is a libcublas, and calls it as programs do that are not bound to it:
 * library_opener PATH [TIMES]. It prints what it got. Last it loads the library TIMES more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* find(void* library, const char* name) { return dlsym(library, name); }

/* As setproctitle() does. */
static void overwrite_environment(void) {
  char* list = getenv("SONDE_RECORD_LIBRARIES");
  if (list != NULL) memset(list, 'x', strlen(list));
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  overwrite_environment();
  printf("before %d\n", find(RTLD_DEFAULT, "cublasVariable") != NULL);
  for (int i = 0; i < 3; ++i) {
    void* library = dlopen(arguments[1], (i == 0 ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL | (i == 1 ? RTLD_DEEPBIND : 0));
    if (library == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    int (*variable)(int, ...) = (int (*)(int, ...))find(library, "cublasVariable");
    printf("called %d %d\n", variable(1, 4.0), *(int*)find(library, "cublasData"));
    printf("missing %d\n", find(library, "cublasHasNoSuchFunction") != NULL);
    printf("for all %d\n", find(RTLD_DEFAULT, "cublasVariable") != NULL);
    Dl_info info;
    printf("known %d\n", dladdr(find(library, "cublasData"), &info));
    dlclose(library);
  }
  for (int i = count > 2 ? atoi(arguments[2]) : 0; i > 0; --i) dlclose(dlopen(arguments[1], RTLD_LAZY));
  return 0;
}
