#include "parts.h"

// What a client asks CUPTI about handles, results and itself.
namespace fake_cuda::cupti {

EXPORT uint32_t cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return kInvalidParameter;
  *version = kVersion;
  return kSuccess;
}

EXPORT uint32_t cuptiGetResultString(uint32_t result, const char** text) {
  constexpr struct {
    uint32_t result;
    const char* name;
  } kResults[] = {{0, "CUPTI_SUCCESS"},
                  {1, "CUPTI_ERROR_INVALID_PARAMETER"},
                  {7, "CUPTI_ERROR_INVALID_OPERATION"},
                  {8, "CUPTI_ERROR_OUT_OF_MEMORY"},
                  {12, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
                  {15, "CUPTI_ERROR_NOT_INITIALIZED"},
                  {21, "CUPTI_ERROR_INVALID_KIND"},
                  {27, "CUPTI_ERROR_NOT_SUPPORTED"},
                  {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
                  {39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
                  {999, "CUPTI_ERROR_UNKNOWN"}};
  if (text == nullptr) return kInvalidParameter;
  for (const auto& r : kResults) {
    if (r.result != result) continue;
    *text = r.name;
    return kSuccess;
  }
  return kInvalidParameter;
}

EXPORT uint32_t cuptiGetLastError() { return kSuccess; }

EXPORT uint32_t cuptiGetContextId(const void* context, uint32_t* id) {
  if (id == nullptr) return kInvalidParameter;
  if (driver() == nullptr || driver()->context_of(context).id == 0) return kNotInitialized;
  *id = driver()->context_of(context).id;
  return kSuccess;
}

EXPORT uint32_t cuptiGetDeviceId(const void* context, uint32_t* id) {
  if (id == nullptr) return kInvalidParameter;
  if (driver() == nullptr) return kNotInitialized;
  const void* asked = context == nullptr ? driver()->current_context() : context;
  if (driver()->context_of(asked).id == 0) return kInvalidParameter;
  *id = driver()->context_of(asked).device;
  return kSuccess;
}

EXPORT uint32_t cuptiGetStreamIdEx(const void*, const void* stream, uint8_t, uint32_t* id) {
  if (id == nullptr) return kInvalidParameter;
  if (driver() == nullptr) return kNotInitialized;
  *id = driver()->stream_id(stream);
  return kSuccess;
}

EXPORT uint32_t cuptiGetGraphNodeId(const void* node, uint64_t* id) {
  if (node == nullptr || id == nullptr) return kInvalidParameter;
  if (driver() == nullptr) return kNotInitialized;
  *id = driver()->graph_node_id(node);
  return kSuccess;
}

EXPORT uint32_t cuptiGetGraphId(const void* graph, uint32_t* id) {
  if (graph == nullptr || id == nullptr) return kInvalidParameter;
  if (driver() == nullptr) return kNotInitialized;
  *id = driver()->graph_id(graph);
  return kSuccess;
}

EXPORT uint32_t cuptiGetGraphExecId(const void* exec, uint32_t* id) { return cuptiGetGraphId(exec, id); }

}  // namespace fake_cuda::cupti
