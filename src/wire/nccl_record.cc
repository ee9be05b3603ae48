#include "wire/nccl_record.h"

#include "wire/whole_body.h"

namespace sonde::wire {

bool is_whole_nccl_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes) {
  text_bytes = 0;
  switch (kind) {
    case Kind::nccl_communicator: {
      NcclCommunicatorBody communicator{};
      return ends_with_text(body, communicator, text_bytes);
    }
    case Kind::nccl_start: return body.size() == sizeof(NcclStartBody);
    case Kind::nccl_stop: return body.size() == sizeof(NcclStopBody);
    default: return false;
  }
}

}  // namespace sonde::wire
