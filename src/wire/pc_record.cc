#include "wire/pc_record.h"

#include "wire/whole_body.h"

namespace sonde::wire {
namespace {

bool is_whole_code(std::span<const std::byte> body) {
  CodePartBody part{};
  return take(body, part) && part.bytes <= kMaxCodeBytes && part.file_bytes <= kMaxCodeFile &&
         part.offset <= part.file_bytes && part.bytes <= part.file_bytes - part.offset &&
         body.size() == sizeof part + padded(part.bytes);
}

}  // namespace

bool is_whole_pc_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes) {
  text_bytes = 0;
  switch (kind) {
    case Kind::pc_state: {
      PcStateBody state{};
      return ends_with_text(body, state, text_bytes) && state.state < PcState::count_;
    }
    case Kind::stall_reason: {
      StallReasonBody reason{};
      return ends_with_text(body, reason, text_bytes);
    }
    case Kind::sampled_launch: return body.size() == sizeof(SampledLaunchBody);
    case Kind::pc_samples: {
      PcSamplesBody samples{};
      return take(body, samples) && samples.count <= kMaxStallParts &&
             body.size() == sizeof samples + samples.count * sizeof(StallPart);
    }
    case Kind::code_part: return is_whole_code(body);
    case Kind::instruction_count: return body.size() == sizeof(InstructionCountBody);
    case Kind::counted_launch: {
      CountedLaunchBody launch{};
      return ends_with_text(body, launch, text_bytes);
    }
    default: return false;
  }
}

}  // namespace sonde::wire
