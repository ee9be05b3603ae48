// The same calls through NVTX's own headers, where a CUDA toolkit has them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <nvtx3/nvtx3.hpp>
#if __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>
#endif

struct Library {
  static constexpr char const* name{"library"};
};

namespace {

void with_attributes() {
  using namespace nvtx3;
  static registered_string_in<Library> const registered{"registered text"};
  const event_attributes attributes{registered, rgb{0x33, 0x66, 0x99}, payload{2.5}, category{7}};
  scoped_range_in<Library> const range{attributes};
  scoped_range const wide{L"wide text"};
  mark_in<Library>("marked");
}

#ifdef NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES
struct Shape {
  std::int32_t rows;
  double scale;
};

void with_payload() {
  const nvtxPayloadSchemaEntry_t entries[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "rows", nullptr, 0, 0, nullptr, nullptr},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "scale", nullptr, 0, offsetof(Shape, scale), nullptr, nullptr}};
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  schema.name = "shape";
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = 2;
  schema.payloadStaticSize = sizeof(Shape);
  const nvtxDomainHandle_t domain = nvtx3::domain::get<Library>();
  const std::uint64_t id = nvtxPayloadSchemaRegister(domain, &schema);
  const Shape shape{3, 0.5};
  nvtxPayloadData_t data{id, sizeof shape, &shape};
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "with payload";
  NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE(attributes, &data)
  attributes.reserved0 = 1;
  nvtxDomainMarkEx(domain, &attributes);
}
#else
void with_payload() {}
#endif

}  // namespace

int main() {
  for (int i = 0; i < 100; ++i) {
    NVTX3_FUNC_RANGE_IN(Library);
    nvtxRangePushA("outer");
    nvtxRangePop();
  }
  with_attributes();
  with_payload();
  const nvtxRangeId_t range = nvtxRangeStartA("across");
  std::thread([range] { nvtxRangeEnd(range); }).join();
  std::puts("done");
  return 0;
}
