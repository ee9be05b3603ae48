#include "record/cuda/cuda_tally.h"

#include "record/cuda/no_gpu.h"
#include "record/rounds/body.h"

namespace sonde::record {

void CudaTally::note_state(const wire::Record& record) {
  const auto body = body_of<wire::CudaStateBody>(record);
  const bool no_gpu = body.state == wire::CudaState::no_gpu;
  const std::string text = no_gpu ? no_gpu_text(static_cast<int32_t>(body.version)) : std::string(record.text);
  ++states[{body.state, text}];
  if (body.state == wire::CudaState::recording || body.state == wire::CudaState::unknown_version) {
    versions[text] = body.version;
  }
}

}  // namespace sonde::record
