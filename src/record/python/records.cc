#include "record/python/records.h"

#include <cstring>

namespace sonde::record::python {
namespace {

struct Head {
  RecordKind kind;
  uint32_t bytes;  ///< of the whole record, head and padding included
  uint32_t first;  ///< bytes of the texts that stand behind the body
  uint32_t second;
};

constexpr size_t kAlignment = 8;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

template <typename Body>
void append_record(RecordKind kind, const Body& body, std::string_view first, std::string_view second,
                   std::vector<std::byte>& out) {
  const size_t bytes = aligned(sizeof(Head) + sizeof body + first.size() + second.size());
  const Head head{kind, static_cast<uint32_t>(bytes), static_cast<uint32_t>(first.size()),
                  static_cast<uint32_t>(second.size())};
  const size_t begin = out.size();
  out.resize(begin + bytes);
  std::byte* to = out.data() + begin;
  const auto put = [&to](const void* from, size_t size) {
    if (size != 0) std::memcpy(to, from, size);
    to += size;
  };
  put(&head, sizeof head);
  put(&body, sizeof body);
  put(first.data(), first.size());
  put(second.data(), second.size());
}

/// Reads the body of a record, and the texts behind it. False where they are longer than it.
template <typename Body>
bool take(std::span<const std::byte> record, const Head& head, Body& body, PythonRecord& into) {
  const size_t fixed = sizeof head + sizeof body;
  if (record.size() < fixed || uint64_t{head.first} + head.second > record.size() - fixed) return false;
  std::memcpy(&body, record.data() + sizeof head, sizeof body);
  const auto* const texts = reinterpret_cast<const char*>(record.data() + fixed);
  into.first = {texts, head.first};
  into.second = {texts + head.first, head.second};
  return true;
}

bool take(std::span<const std::byte> record, const Head& head, PythonRecord& into) {
  into.kind = head.kind;
  switch (head.kind) {
    case RecordKind::frame: return take(record, head, into.frame, into);
    case RecordKind::node: return take(record, head, into.node, into);
    case RecordKind::process: return take(record, head, into.process, into);
    case RecordKind::sample: return take(record, head, into.sample, into);
    case RecordKind::tally: return take(record, head, into.tally, into);
  }
  return false;
}

}  // namespace

void append(const FrameRecord& frame, std::string_view function, std::string_view file, std::vector<std::byte>& out) {
  append_record(RecordKind::frame, frame, function, file, out);
}

void append(const NodeRecord& node, std::vector<std::byte>& out) { append_record(RecordKind::node, node, {}, {}, out); }

void append(const ProcessRecord& process, std::string_view version, std::string_view problem,
            std::vector<std::byte>& out) {
  append_record(RecordKind::process, process, version, problem, out);
}

void append(const SampleRecord& sample, std::vector<std::byte>& out) {
  append_record(RecordKind::sample, sample, {}, {}, out);
}

void append(const TallyRecord& tally, std::vector<std::byte>& out) {
  append_record(RecordKind::tally, tally, {}, {}, out);
}

bool RecordReader::next(PythonRecord& record) {
  Head head{};
  if (rest_.size() < sizeof head) return false;
  std::memcpy(&head, rest_.data(), sizeof head);
  if (head.bytes < sizeof head || head.bytes % kAlignment != 0 || head.bytes > rest_.size()) return false;
  if (!take(rest_.first(head.bytes), head, record)) return false;
  rest_ = rest_.subspan(head.bytes);
  return true;
}

}  // namespace sonde::record::python
