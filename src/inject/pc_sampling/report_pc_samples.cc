#include "inject/pc_sampling/report_pc_samples.h"

#include "inject/cupti/worker_record.h"
#include "inject/text_record.h"

namespace sonde::inject::pc_sampling {
namespace {

template <typename Body>
void report_with_text(wire::Kind kind, const Body& body, const char* text) noexcept {
  static_cast<void>(
      write_with_text({.kind = kind, .bytes = 0, .domain = 0, .level = 0, .time = now_ns()}, body, text_of(text)));
}

void report_part(wire::CodePartBody part, const std::byte* bytes) noexcept {
  const auto size = static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof part) + wire::padded(part.bytes);
  // The thread is in a launch that is measured anyway: it may wait for room.
  std::byte* const at = cupti::begin_worker_record(wire::Kind::code_part, size, 0);
  if (at == nullptr) return;
  std::byte* const text = put(at, part);
  put_text(text, {reinterpret_cast<const char*>(bytes), static_cast<uint16_t>(part.bytes)});
  commit_record(size);
}

}  // namespace

void report(wire::PcState state, const char* text, int32_t result) noexcept {
  report_with_text(wire::Kind::pc_state, wire::PcStateBody{state, result, 0, {}}, text);
}

void report_reason(uint32_t device, uint32_t reason, const char* name) noexcept {
  report_with_text(wire::Kind::stall_reason, wire::StallReasonBody{device, reason, 0, {}}, name);
}

void report_instruction(uint64_t sampling, uint32_t device, const PcData& data, bool is_elsewhere) noexcept {
  const size_t most = wire::kMaxStallParts;
  const auto count = static_cast<uint16_t>(data.reason_count < most ? data.reason_count : most);
  const auto bytes =
      static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::PcSamplesBody) + count * sizeof(wire::StallPart));
  std::byte* at = begin_record(bytes);
  if (at == nullptr) return;
  at = put(put_head(at, wire::Kind::pc_samples, bytes, 0, 0, now_ns()),
           wire::PcSamplesBody{sampling, data.cubin_crc, data.offset, device, count,
                               static_cast<uint16_t>(is_elsewhere ? 1 : 0)});
  for (uint16_t i = 0; i < count; ++i) at = put(at, wire::StallPart{data.reasons[i].index, data.reasons[i].samples});
  commit_record(bytes);
}

void report_launch(const wire::SampledLaunchBody& launch) noexcept {
  constexpr uint32_t kBytes = sizeof(wire::RecordHead) + sizeof launch;
  std::byte* const at = begin_record(kBytes);
  if (at == nullptr) return;
  put(put_head(at, wire::Kind::sampled_launch, kBytes, 0, 0, now_ns()), launch);
  commit_record(kBytes);
}

void report_code(const wire::CodePartBody& whole, const std::byte* bytes, uint64_t count) noexcept {
  wire::CodePartBody part = whole;
  for (uint64_t reported = 0; reported < count; reported += part.bytes) {
    const uint64_t left = count - reported;
    part.offset = whole.offset + reported;
    part.bytes = static_cast<uint32_t>(left < wire::kMaxCodeBytes ? left : wire::kMaxCodeBytes);
    report_part(part, bytes + reported);
  }
}

}  // namespace sonde::inject::pc_sampling
