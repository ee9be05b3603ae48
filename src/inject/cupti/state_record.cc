#include "inject/cupti/state_record.h"

#include <cstdio>

#include "inject/text_record.h"

namespace sonde::inject::cupti {

void report_state(wire::CudaState state, uint32_t version, const char* text) noexcept {
  static_cast<void>(write_with_text({wire::Kind::cuda_state, 0, 0, 0, now_ns()},
                                    wire::CudaStateBody{state, version, 0, {}}, inject::text_of(text)));
}

void report_failure(wire::CudaState state, const Library& library, const char* call, const char* of,
                    Result result) noexcept {
  char text[512];
  snprintf(text, sizeof text, "%s(%s): %.300s", call, of, text_of(library, result));
  report_state(state, library.version, text);
}

}  // namespace sonde::inject::cupti
