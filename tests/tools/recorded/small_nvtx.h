/* The little of NVTX 3 that the recorded programs of the tests need, with its binary interface: Debian has no header of
 * it. As the real one, it does nothing unless NVTX_INJECTION64_PATH names a tool. */
#pragma once

#include <stdint.h>
#include <wchar.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* nvtx_domain;
typedef void* nvtx_string;

typedef struct nvtx_attributes {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t reserved;
  union {
    uint64_t u64;
    int64_t i64;
    double f64;
    uint32_t u32;
    int32_t i32;
    float f32;
  } payload;
  int32_t message_type; /* 1 char, 2 wchar_t, 3 registered */
  union {
    const char* narrow;
    const wchar_t* wide;
    nvtx_string registered;
  } message;
} nvtx_attributes;

void nvtx_mark(const char* text);
void nvtx_mark_with(nvtx_domain domain, const nvtx_attributes* attributes);
int nvtx_push(const char* text);
int nvtx_push_wide(const wchar_t* text);
int nvtx_push_with(nvtx_domain domain, const nvtx_attributes* attributes);
int nvtx_pop(void);
int nvtx_pop_of(nvtx_domain domain);
uint64_t nvtx_start(const char* text);
uint64_t nvtx_start_with(nvtx_domain domain, const nvtx_attributes* attributes);
void nvtx_end(uint64_t range);
nvtx_domain nvtx_create_domain(const char* name);
nvtx_string nvtx_register(nvtx_domain domain, const char* text);
void nvtx_name_thread(uint32_t thread, const char* name);
void nvtx_name_category(uint32_t category, const char* name);

#ifdef __cplusplus
}
#endif
