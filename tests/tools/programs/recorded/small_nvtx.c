#include "small_nvtx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

typedef void (*function)(void);

/* One pointer for each function of the interface, by its number; null: nothing is done. */
static function core[16];
static function core2[16];
static function* core_places[16];
static function* core2_places[16];

static int module_table(int module, function*** table, unsigned* size) {
  if (module != 1 && module != 5) return 0;
  *table = module == 1 ? core_places : core2_places;
  *size = 15;
  return 1;
}

static const struct {
  size_t bytes;
  int (*module_table)(int, function***, unsigned*);
} callbacks = {sizeof callbacks, module_table};

static const void* export_table(uint32_t table) { return table == 1 ? &callbacks : NULL; }

static void attach(void) {
  const char* path = getenv("NVTX_INJECTION64_PATH");
  void* tool = path == NULL ? NULL : dlopen(path, RTLD_LAZY);
  if (tool == NULL) return;
  for (int i = 0; i < 16; ++i) {
    core_places[i] = &core[i];
    core2_places[i] = &core2[i];
  }
  int (*initialize)(const void* (*)(uint32_t)) = (int (*)(const void* (*)(uint32_t)))dlsym(tool, "InitializeInjectionNvtx2");
  if (initialize != NULL) initialize(export_table);
}

static function of(function* functions, int number) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, attach);
  return functions[number];
}

/* A macro each for functions with and without an answer; `otherwise` is that of NVTX without a tool. */
#define ASK(functions, number, result, types, arguments, otherwise)      \
  do {                                                                   \
    const function found = of(functions, number);                        \
    return found == NULL ? (otherwise) : ((result(*) types)found)arguments; \
  } while (0)
#define TELL(functions, number, types, arguments)          \
  do {                                                     \
    const function found = of(functions, number);          \
    if (found != NULL) ((void (*) types)found)arguments;   \
  } while (0)

void nvtx_mark(const char* text) { TELL(core, 2, (const char*), (text)); }
void nvtx_mark_with(nvtx_domain domain, const nvtx_attributes* a) {
  TELL(core2, 1, (nvtx_domain, const nvtx_attributes*), (domain, a));
}
int nvtx_push(const char* text) { ASK(core, 9, int, (const char*), (text), -2); }
int nvtx_push_wide(const wchar_t* text) { ASK(core, 10, int, (const wchar_t*), (text), -2); }
int nvtx_push_with(nvtx_domain domain, const nvtx_attributes* a) {
  ASK(core2, 4, int, (nvtx_domain, const nvtx_attributes*), (domain, a), -2);
}
int nvtx_pop(void) { ASK(core, 11, int, (void), (), -2); }
int nvtx_pop_of(nvtx_domain domain) { ASK(core2, 5, int, (nvtx_domain), (domain), -2); }
uint64_t nvtx_start(const char* text) { ASK(core, 5, uint64_t, (const char*), (text), 0); }
uint64_t nvtx_start_with(nvtx_domain domain, const nvtx_attributes* a) {
  ASK(core2, 2, uint64_t, (nvtx_domain, const nvtx_attributes*), (domain, a), 0);
}
void nvtx_end(uint64_t range) { TELL(core, 7, (uint64_t), (range)); }
nvtx_domain nvtx_create_domain(const char* name) { ASK(core2, 12, nvtx_domain, (const char*), (name), NULL); }
nvtx_string nvtx_register(nvtx_domain domain, const char* text) {
  ASK(core2, 10, nvtx_string, (nvtx_domain, const char*), (domain, text), NULL);
}
void nvtx_name_thread(uint32_t thread, const char* name) {
  TELL(core, 14, (uint32_t, const char*), (thread, name));
}
void nvtx_name_category(uint32_t category, const char* name) {
  TELL(core, 12, (uint32_t, const char*), (category, name));
}
void nvtx_name_category_of(nvtx_domain domain, uint32_t category, const char* name) {
  TELL(core2, 8, (nvtx_domain, uint32_t, const char*), (domain, category, name));
}

/* The extension: its functions' places, as NVTX numbers them, and how a tool gets to them. */
static intptr_t extended[63];
typedef struct {
  size_t id;
  size_t slots;
  intptr_t* functions;
} extension_segment;
typedef struct {
  uint16_t nvtx_version;
  uint16_t size;
  uint16_t module;
  uint16_t compatibility;
  size_t segment_count;
  extension_segment* segments;
  void* export_function;
  const void* info;
} extension_module;

static void attach_extension(void) {
  const char* path = getenv("NVTX_INJECTION64_PATH");
  void* tool = path == NULL ? NULL : dlopen(path, RTLD_LAZY);
  if (tool == NULL) return;
  int (*initialize)(extension_module*) = (int (*)(extension_module*))dlsym(tool, "InitializeInjectionNvtxExtension");
  extension_segment segment = {0, 63, extended};
  extension_module module = {3, sizeof module, 2, 0x0104, 1, &segment, NULL, NULL};
  if (initialize != NULL) initialize(&module);
}

static intptr_t extended_function(int number) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  of(core, 0); /* as NVTX does, the interface itself first */
  pthread_once(&once, attach_extension);
  return extended[number];
}

#define ASK_EXTENDED(number, result, types, arguments, otherwise)            \
  do {                                                                       \
    const intptr_t found = extended_function(number);                        \
    return found == 0 ? (otherwise) : ((result(*) types)found)arguments;     \
  } while (0)
#define TELL_EXTENDED(number, types, arguments)              \
  do {                                                       \
    const intptr_t found = extended_function(number);        \
    if (found != 0) ((void (*) types)found)arguments;        \
  } while (0)
#define PAYLOAD_TYPES (nvtx_domain, const nvtx_payload*, size_t)

uint64_t nvtx_register_schema(nvtx_domain domain, const nvtx_schema* schema) {
  ASK_EXTENDED(0, uint64_t, (nvtx_domain, const nvtx_schema*), (domain, schema), 0);
}
uint64_t nvtx_register_enum(nvtx_domain domain, const nvtx_enum* enumeration) {
  ASK_EXTENDED(1, uint64_t, (nvtx_domain, const nvtx_enum*), (domain, enumeration), 0);
}
void nvtx_mark_payload(nvtx_domain domain, const nvtx_payload* payloads, size_t count) {
  TELL_EXTENDED(2, PAYLOAD_TYPES, (domain, payloads, count));
}
int nvtx_push_payload(nvtx_domain domain, const nvtx_payload* payloads, size_t count) {
  ASK_EXTENDED(3, int, PAYLOAD_TYPES, (domain, payloads, count), -2);
}
int nvtx_pop_payload(nvtx_domain domain, const nvtx_payload* payloads, size_t count) {
  ASK_EXTENDED(4, int, PAYLOAD_TYPES, (domain, payloads, count), -2);
}
uint64_t nvtx_start_payload(nvtx_domain domain, const nvtx_payload* payloads, size_t count) {
  ASK_EXTENDED(5, uint64_t, PAYLOAD_TYPES, (domain, payloads, count), 0);
}
int nvtx_is_enabled(nvtx_domain domain) { ASK_EXTENDED(7, uint8_t, (nvtx_domain), (domain), 0); }
void nvtx_end_payload(nvtx_domain domain, uint64_t range, const nvtx_payload* payloads, size_t count) {
  TELL_EXTENDED(6, (nvtx_domain, uint64_t, const nvtx_payload*, size_t), (domain, range, payloads, count));
}
