/* NVTX events with everything that they can carry: payload_program MODE
 *   payloads  binary payloads of every shape, two too many and one too long; the last ones in a child of fork()
 *   details   categories with names, colours and simple payloads of marks and ranges */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "small_nvtx.h"

/* NVTX's numbers of types and flags. */
enum { kInt = 5, kInt8 = 11, kUint64 = 18, kFloat = 19, kDouble = 20, kSize = 22, kAddress = 23, kText = 75, kString = 80 };
enum { kPointer = 1 << 1, kFixed = 1 << 4, kTerminated = 2 << 4, kLengthIn = 3 << 4, kMessage = 1 << 10 };
enum { kStatic = 1, kDynamic = 2, kUnion = 3 };
#define SCHEMA_FIELDS (1 << 2 | 1 << 4 | 1 << 5 | 1 << 6)
enum { kNamed = 1 << 1, kNumbered = 1 << 8 };

static nvtx_attributes attributes_of(const char* name, const nvtx_payload* payloads, int count) {
  nvtx_attributes a;
  memset(&a, 0, sizeof a);
  a.version = 3;
  a.size = sizeof a;
  a.message_type = 1;
  a.message.narrow = name;
  a.payload_type = (int32_t)0xDFBD0009;
  a.reserved = count;
  a.payload.u64 = (uint64_t)(uintptr_t)payloads;
  return a;
}

static void push(nvtx_domain domain, const char* name, uint64_t schema, const void* data, size_t size) {
  const nvtx_payload payload = {schema, size, data};
  const nvtx_attributes a = attributes_of(name, &payload, 1);
  nvtx_push_with(domain, &a);
  nvtx_pop_of(domain);
}

/* As NCCL has them: the numbers are its own, and an enumeration among them. */
static void like_nccl(nvtx_domain domain) {
  static const nvtx_value operations[] = {{"Sum", 0, 0}, {"Max", 2, 0}};
  const nvtx_enum enumeration = {1 << 2 | 1 << 3 | 1 << 4 | 1 << 5, NULL, operations, 2, sizeof(int), 16777232, NULL};
  static const nvtx_entry entries[] = {{0, kUint64, "NCCL communicator ID", NULL, 0, 0, NULL, NULL},
                                       {0, kSize, "Message size [bytes]", "of each rank", 0, 8, NULL, NULL},
                                       {0, 16777232, "Reduction operation", NULL, 0, 16, NULL, NULL}};
  const nvtx_schema schema = {SCHEMA_FIELDS | kNumbered, NULL, kStatic, 0, entries, 3, 24, 0, 16777223, NULL};
  nvtx_register_enum(domain, &enumeration);
  nvtx_register_schema(domain, &schema);
  struct {
    uint64_t communicator;
    size_t bytes;
    int operation;
  } data = {18446744073709551615U, 1048576, 2};
  push(domain, "ncclAllReduce", 16777223, &data, sizeof data);
  if (fork() == 0) {
    data.bytes = 5;
    push(domain, "in a child", 16777223, &data, sizeof data);
    _exit(0);
  }
  wait(NULL);
}

struct inner {
  float x;
  double y;
};
struct outer {
  char name[12];
  int8_t few[3];
  struct inner inner;
  const void* address;
  nvtx_string string;
};

/* Whose offsets follow from the entries. */
static void nested(nvtx_domain domain) {
  static const nvtx_entry of_inner[] = {{0, kFloat, "x", NULL, 0, 0, NULL, NULL}, {0, kDouble, "y", NULL, 0, 0, NULL, NULL}};
  const nvtx_schema inner = {SCHEMA_FIELDS, NULL, kStatic, 0, of_inner, 2, sizeof(struct inner), 0, 0, NULL};
  const uint64_t inner_id = nvtx_register_schema(domain, &inner);
  const nvtx_entry of_outer[] = {{kMessage, kText, "name", NULL, 12, 0, NULL, NULL},
                                 {kFixed, kInt8, "few", NULL, 3, 0, NULL, NULL},
                                 {0, inner_id, "inner", NULL, 0, 0, NULL, NULL},
                                 {kPointer, kInt, "address", NULL, 0, 0, NULL, NULL},
                                 {0, kString, "string", NULL, 0, 0, NULL, NULL}};
  const nvtx_schema outer = {SCHEMA_FIELDS | kNamed, "outer", kStatic, 0, of_outer, 5, sizeof(struct outer), 0, 0, NULL};
  const uint64_t outer_id = nvtx_register_schema(domain, &outer);
  struct outer data;
  memset(&data, 0, sizeof data);
  strcpy(data.name, "by \"payload\"");
  data.name[11] = 0;
  data.few[1] = -1;
  data.inner.x = 0.5F;
  data.inner.y = -2.25;
  data.address = (const void*)0x1234;
  data.string = nvtx_register(domain, "registered");
  const nvtx_payload payload = {outer_id, sizeof data, &data};
  nvtx_push_payload(domain, &payload, 1);
  nvtx_pop_of(domain);
  nvtx_mark_payload(domain, &payload, 1);
  nvtx_end_payload(domain, nvtx_start("ended with it"), &payload, 1);
  nvtx_push_with(domain, NULL);
  nvtx_pop_payload(domain, &payload, 1);
}

static void dynamic(nvtx_domain domain) {
  static const nvtx_entry entries[] = {{0, kInt, "count", NULL, 0, 0, NULL, NULL},
                                       {kLengthIn, kInt, "values", NULL, 0, 0, NULL, NULL},
                                       {kTerminated, kText, "text", NULL, 0, 0, NULL, NULL}};
  const nvtx_schema schema = {SCHEMA_FIELDS, NULL, kDynamic, 0, entries, 3, 0, 0, 0, NULL};
  const uint64_t id = nvtx_register_schema(domain, &schema);
  struct {
    int count;
    int values[2];
    char text[4];
  } data = {2, {7, -8}, "abc"};
  push(domain, "dynamic", id, &data, sizeof data);
  data.count = 1000;
  push(domain, "too few bytes", id, &data, sizeof data);
}

static void unreadable(nvtx_domain domain) {
  static const nvtx_entry entries[] = {{0, kInt, "either", NULL, 0, 0, NULL, NULL}};
  const nvtx_schema schema = {SCHEMA_FIELDS, NULL, kUnion, 0, entries, 1, 4, 0, 0, NULL};
  const int value = 1;
  push(domain, "union", nvtx_register_schema(domain, &schema), &value, sizeof value);
  push(domain, "unknown", 4711, &value, sizeof value);
}

static void payloads(void) {
  static const char large[4000] = "large";
  const double value = 1.5;
  const nvtx_domain domain = nvtx_create_domain("with payloads");
  like_nccl(domain);
  nested(domain);
  dynamic(domain);
  unreadable(domain);
  push(domain, "a double", kDouble, &value, sizeof value);
  push(domain, "a text", kText, "text", (size_t)-1);
  push(domain, "too long", 1023, large, sizeof large);
  const nvtx_payload three[] = {{1022, 4, "pred"}, {kDouble, sizeof value, &value}, {kText, 3, "two"}};
  const nvtx_attributes a = attributes_of("more than one", three, 3);
  nvtx_mark_with(domain, &a);
}

static void details(void) {
  const nvtx_domain domain = nvtx_create_domain("with details");
  nvtx_attributes a = attributes_of("white", NULL, 0);
  nvtx_name_category(7, "seven");
  nvtx_name_category_of(domain, 7, "seven of the domain");
  nvtx_name_category_of(domain, 8, "first name");
  nvtx_name_category_of(domain, 8, "eight");
  a.category = 7;
  a.color_type = 1;
  a.color = 0xFFFFFFFF;
  a.payload_type = 4;
  a.payload.u32 = 4000000000U;
  nvtx_mark_with(domain, &a);
  nvtx_push_with(domain, &a);
  nvtx_pop_of(domain);
  a.message.narrow = "a float";
  a.color = 0x80FF0000;
  a.payload_type = 6;
  a.payload.f32 = -0.25F;
  nvtx_mark_with(domain, &a);
  nvtx_push_with(domain, &a);
  nvtx_pop_of(domain);
  a.message.narrow = "plain";
  a.color_type = a.payload_type = 0;
  nvtx_mark_with(domain, &a);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "payloads") == 0) payloads();
  if (strcmp(mode, "details") == 0) details();
  if (strcmp(mode, "enabled") == 0) printf("enabled: %d\n", nvtx_is_enabled(NULL));
  puts("done");
  return 0;
}
