#include "wire/reader.h"

#include <cstring>

#include "wire/bytes.h"
#include "wire/cuda_record.h"
#include "wire/gpu_metrics_record.h"
#include "wire/kernel_record.h"
#include "wire/libraries.h"
#include "wire/nccl_record.h"
#include "wire/os_calls.h"
#include "wire/payload_record.h"
#include "wire/pc_record.h"
#include "wire/rank_variables.h"

namespace sonde::wire {
namespace {

/// The bytes of one record behind its head.
class Body : public Bytes {
 public:
  using Bytes::Bytes;

  /// Text is the last thing in a record, filled up to 8 bytes.
  [[nodiscard]] bool take_text(uint16_t bytes, std::string_view& text) const {
    if (rest().size() != padded(bytes) || bytes > kMaxText) return false;
    text = {reinterpret_cast<const char*>(rest().data()), bytes};
    return true;
  }
};

bool read_event(Body body, Record& record) {
  EventBody event{};
  if (!body.take(event) || event.payload_kind > kLastPayload) return false;
  record.string = event.string;
  record.payload_kind = event.payload_kind;
  record.has_color = (event.flags & kHasColor) != 0;
  if ((event.flags & kHasAttributes) != 0 && !body.take(record.attributes)) return false;
  return body.take_text(event.text_bytes, record.text);
}

bool read_start(Body body, Record& record) {
  RangeBody range{};
  if (!body.take(range)) return false;
  record.id = range.id;
  return read_event(body, record);
}

bool read_end(Body body, Record& record) {
  RangeBody range{};
  if (!body.take(range)) return false;
  record.id = range.id;
  return body.empty();
}

bool read_definition(Body body, Record& record) {
  DefinitionBody definition{};
  if (!body.take(definition)) return false;
  record.id = definition.id;
  return body.take_text(definition.text_bytes, record.text);
}

bool read_process(Body body, Record& record) {
  ProcessBody process{};
  if (!body.take(process)) return false;
  record.parent = process.parent;
  record.cost_ns = process.event_cost_ns;
  return body.take_text(process.text_bytes, record.text);
}

bool read_process_rank(Body body, Record& record) {
  ProcessRankBody rank{};
  record.body = body.rest();
  return body.take(rank) && rank.row < kRankRows && rank.rank >= 0 && body.empty();
}

bool read_os_call(Body body, Record& record) {
  OsCallBody call{};
  if (!body.take(call) || record.head.level >= kOsCalls || call.end < record.head.time) return false;
  record.end = call.end;
  record.result = call.result;
  return body.empty();
}

/// Those whose text or addresses follow say how many there are.
bool read_cuda(Body body, Record& record) {
  const size_t bytes = cuda_body_bytes(record.head.kind);
  const std::span<const std::byte> whole = body.rest();
  if (bytes == 0 || whole.size() < bytes) return false;
  record.body = whole.first(bytes);
  const Body rest(whole.subspan(bytes));
  switch (record.head.kind) {
    case Kind::cuda_state: {
      CudaStateBody state{};
      if (!body.take(state) || state.state > kLastCudaState) return false;
      return rest.take_text(state.text_bytes, record.text);
    }
    case Kind::cuda_name: {
      CudaNameBody name{};
      return body.take(name) && rest.take_text(name.text_bytes, record.text);
    }
    case Kind::cuda_graph: {
      CudaGraphBody graph{};
      const bool known = body.take(graph) && graph.change >= CudaGraphChange::created;
      return known && graph.change <= kLastCudaGraphChange && rest.empty();
    }
    case Kind::call_chain: {
      CallChainBody chain{};
      if (!body.take(chain) || chain.frames > kMaxFrames) return false;
      record.body = whole;
      return rest.rest().size() == chain.frames * sizeof(uint64_t);
    }
    default: return rest.empty();
  }
}

/// Of those kinds whose own header says whether their bytes are whole.
using IsWhole = bool (*)(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes);

bool read_whole(Body body, Record& record, IsWhole is_whole) {
  uint16_t text_bytes = 0;
  record.body = body.rest();
  if (!is_whole(record.head.kind, record.body, text_bytes)) return false;
  return Body(record.body.last(padded(text_bytes))).take_text(text_bytes, record.text);
}

bool read_past_range(Body body, Record& record) {
  PastRangeBody range{};
  if (!body.take(range) || range.end < record.head.time) return false;
  record.end = range.end;
  return body.take_text(range.text_bytes, record.text);
}

bool read_library_call(Body body, Record& record) {
  LibraryCallBody call{};
  if (!body.take(call) || record.head.level >= kLibraries || call.end < record.head.time) return false;
  record.end = call.end;
  record.string = call.string;
  return body.empty();
}

bool read_code_mapping(Body body, Record& record) {
  CodeMappingBody mapping{};
  record.body = body.rest();
  return body.take(mapping) && mapping.begin < mapping.end && body.take_text(mapping.text_bytes, record.text);
}

bool read_body(Body body, Record& record) {
  if (is_kernel_record(record.head.kind)) return read_whole(body, record, is_whole_kernel_record);
  if (is_payload_record(record.head.kind)) return read_whole(body, record, is_whole_payload_record);
  if (is_pc_record(record.head.kind)) return read_whole(body, record, is_whole_pc_record);
  if (is_gpu_metrics_record(record.head.kind)) return read_whole(body, record, is_whole_gpu_metrics_record);
  if (is_nccl_record(record.head.kind)) return read_whole(body, record, is_whole_nccl_record);
  switch (record.head.kind) {
    case Kind::process: return read_process(body, record);
    case Kind::push:
    case Kind::mark: return read_event(body, record);
    case Kind::pop: return body.empty();
    case Kind::start: return read_start(body, record);
    case Kind::end: return read_end(body, record);
    case Kind::domain:
    case Kind::string:
    case Kind::category:
    case Kind::cuda_api_name:
    case Kind::thread_name: return read_definition(body, record);
    case Kind::process_rank: return read_process_rank(body, record);
    case Kind::os_call: return read_os_call(body, record);
    case Kind::past_range: return read_past_range(body, record);
    case Kind::library_call: return read_library_call(body, record);
    case Kind::code_mapping: return read_code_mapping(body, record);
    default: return read_cuda(body, record);
  }
}

}  // namespace

bool Reader::next(Record& record) {
  record = {};
  if (rest_.size() < sizeof record.head) return false;
  std::memcpy(&record.head, rest_.data(), sizeof record.head);
  const size_t bytes = record.head.bytes;
  if (bytes < sizeof record.head || bytes % 8 != 0 || bytes > rest_.size() || record.head.time < 0) return false;
  if (!read_body(Body(rest_.subspan(sizeof record.head, bytes - sizeof record.head)), record)) return false;
  rest_ = rest_.subspan(bytes);
  return true;
}

}  // namespace sonde::wire
