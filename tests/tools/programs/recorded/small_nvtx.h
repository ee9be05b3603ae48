/* The little of NVTX 3 that the recorded programs of the tests need, with its binary interface: Debian has no header of
 * it. As the real one, it does nothing unless NVTX_INJECTION64_PATH names a tool. */
#pragma once

#include <stddef.h>
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
void nvtx_name_category_of(nvtx_domain domain, uint32_t category, const char* name);

/* Its extension for binary payloads. */
typedef struct nvtx_payload {
  uint64_t schema;
  size_t size;
  const void* data;
} nvtx_payload;

typedef struct nvtx_entry {
  uint64_t flags;
  uint64_t type;
  const char* name;
  const char* description;
  uint64_t detail;
  uint64_t offset;
  const void* semantics;
  const void* reserved;
} nvtx_entry;

typedef struct nvtx_schema {
  uint64_t mask;
  const char* name;
  uint64_t type;
  uint64_t flags;
  const nvtx_entry* entries;
  size_t entry_count;
  size_t static_size;
  size_t pack_align;
  uint64_t id;
  void* extension;
} nvtx_schema;

typedef struct nvtx_value {
  const char* name;
  uint64_t value;
  int8_t is_flag;
} nvtx_value;

typedef struct nvtx_enum {
  uint64_t mask;
  const char* name;
  const nvtx_value* values;
  size_t value_count;
  size_t size;
  uint64_t id;
  void* extension;
} nvtx_enum;

uint64_t nvtx_register_schema(nvtx_domain domain, const nvtx_schema* schema);
int nvtx_is_enabled(nvtx_domain domain); /* as NVTX 3.2.0 has it: 0 where the tool has no such function */
uint64_t nvtx_register_enum(nvtx_domain domain, const nvtx_enum* enumeration);
void nvtx_mark_payload(nvtx_domain domain, const nvtx_payload* payloads, size_t count);
int nvtx_push_payload(nvtx_domain domain, const nvtx_payload* payloads, size_t count);
int nvtx_pop_payload(nvtx_domain domain, const nvtx_payload* payloads, size_t count);
uint64_t nvtx_start_payload(nvtx_domain domain, const nvtx_payload* payloads, size_t count);
void nvtx_end_payload(nvtx_domain domain, uint64_t range, const nvtx_payload* payloads, size_t count);

#ifdef __cplusplus
}
#endif
