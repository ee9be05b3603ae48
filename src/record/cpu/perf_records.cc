#include "record/cpu/perf_records.h"

#include <linux/perf_event.h>

#include <algorithm>

#include "wire/bytes.h"

namespace sonde::record {
namespace {

static_assert(kSampleParts == (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                               PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN));
static_assert(kStackParts == (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER));

/// The bytes of one record behind its head.
class Body : public wire::Bytes {
 public:
  using Bytes::Bytes;

  [[nodiscard]] bool take_words(uint64_t count, Words& words) {
    std::span<const std::byte> bytes;
    if (count > rest().size() / sizeof(uint64_t) || !take(count * sizeof(uint64_t), bytes)) return false;
    words = Words(bytes);
    return true;
  }

  /// The last thing of a record, filled up with zeros.
  [[nodiscard]] std::string_view text() const {
    const std::string_view all(reinterpret_cast<const char*>(rest().data()), rest().size());
    return all.substr(0, all.find('\0'));
  }

  /// What stands behind every record that is no sample (sample_id_all): thread, time, CPU.
  [[nodiscard]] bool take_identity(PerfRecord& record) {
    struct Identity {
      uint32_t process, thread;
      int64_t time;
      uint32_t cpu, reserved;
    } identity{};
    if (!take_last(identity)) return false;
    record.process = identity.process;
    record.thread = identity.thread;
    record.time = identity.time;
    record.cpu = identity.cpu;
    return identity.time >= 0;
  }
};

/// In place of device and inode of a mapped file, where PERF_RECORD_MISC_MMAP_BUILD_ID says so.
struct BuildId {
  uint8_t bytes;
  uint8_t reserved[3];
  uint8_t id[20];
};

struct FileNumber {
  uint32_t major, minor;
  uint64_t inode, generation;
};
static_assert(sizeof(BuildId) == sizeof(FileNumber));

bool read_file(const PerfRecord& record, std::span<const std::byte> bytes, PerfRecord& to) {
  if ((record.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) == 0) {
    FileNumber number{};
    std::memcpy(&number, bytes.data(), sizeof number);
    to.inode = number.inode;
    return true;
  }
  BuildId id{};
  std::memcpy(&id, bytes.data(), sizeof id);
  if (id.bytes > sizeof id.id) return false;
  to.build_id = bytes.subspan(offsetof(BuildId, id), id.bytes);
  return true;
}

bool read_mapping(Body body, PerfRecord& record) {
  std::span<const std::byte> file;
  uint64_t protection = 0;
  if (!body.take_identity(record) || !body.take(record.process) || !body.take(record.thread) ||
      !body.take(record.address) || !body.take(record.length) || !body.take(record.offset) ||
      !body.take(sizeof(FileNumber), file) || !body.take(protection)) {
    return false;
  }
  record.text = body.text();
  return read_file(record, file, record) && record.address + record.length >= record.address;
}

bool read_name(Body body, PerfRecord& record) {
  if (!body.take_identity(record) || !body.take(record.process) || !body.take(record.thread)) return false;
  record.text = body.text();
  return true;
}

bool read_task(Body body, PerfRecord& record) {
  return body.take_identity(record) && body.take(record.process) && body.take(record.parent) &&
         body.take(record.thread);
}

/// LOST has the event's number before the count, LOST_SAMPLES only the count.
bool read_lost(Body body, PerfRecord& record) {
  uint64_t event = 0;
  if (!body.take_identity(record)) return false;
  if (record.type == PERF_RECORD_LOST && !body.take(event)) return false;
  return body.take(record.lost);
}

bool read_stack(Body& body, PerfRecord& record) {
  uint64_t abi = 0;
  if (!body.take(abi)) return false;
  Words registers;
  if (abi != PERF_SAMPLE_REGS_ABI_NONE && !body.take_words(kUserRegisterCount, registers)) return false;
  if (abi == PERF_SAMPLE_REGS_ABI_64) record.registers = registers;
  uint64_t room = 0;
  if (!body.take(room)) return false;
  if (room == 0) return true;
  uint64_t used = 0;
  std::span<const std::byte> stack;
  if (!body.take(room, stack) || !body.take(used) || used > room) return false;
  record.stack = stack.first(used);
  return true;
}

bool read_sample(Body body, PerfRecord& record, PerfReader::Samples samples) {
  uint32_t reserved = 0;
  uint64_t links = 0;
  if (!body.take(record.address) || !body.take(record.process) || !body.take(record.thread) ||
      !body.take(record.time) || !body.take(record.cpu) || !body.take(reserved) || !body.take(record.period) ||
      !body.take(links) || !body.take_words(links, record.chain) || record.time < 0) {
    return false;
  }
  return samples == PerfReader::Samples::chain || read_stack(body, record);
}

bool read_body(Body body, PerfRecord& record, PerfReader::Samples samples) {
  switch (record.type) {
    case PERF_RECORD_SAMPLE: return read_sample(body, record, samples);
    case PERF_RECORD_MMAP2: return read_mapping(body, record);
    case PERF_RECORD_COMM: return read_name(body, record);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: return read_task(body, record);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES: return read_lost(body, record);
    default: return body.take_identity(record);
  }
}

template <typename T>
void put(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void put_head(std::vector<std::byte>& out, uint32_t type, uint16_t misc, size_t bytes) {
  put(out, perf_event_header{type, misc, static_cast<uint16_t>(bytes)});
}

constexpr size_t kIdentityBytes = 24;

void put_identity(std::vector<std::byte>& out, const PerfRecord& record) {
  put(out, record.process);
  put(out, record.thread);
  put(out, record.time);
  put(out, uint64_t{record.cpu});
}

/// With the zero behind it, and more of them to whole words.
size_t text_bytes(std::string_view text) { return (text.size() / sizeof(uint64_t) + 1) * sizeof(uint64_t); }

void put_text(std::vector<std::byte>& out, std::string_view text) {
  const size_t begin = out.size();
  out.resize(begin + text_bytes(text));
  std::ranges::copy(std::as_bytes(std::span(text)), out.begin() + static_cast<std::ptrdiff_t>(begin));
}

/// The words of the kernel's part of a chain: all before the user's.
size_t kernel_words(const Words& chain) {
  for (size_t i = 0; i < chain.size(); ++i) {
    if (chain[i] == static_cast<uint64_t>(PERF_CONTEXT_USER)) return i;
  }
  return chain.size();
}

}  // namespace

bool PerfReader::next(PerfRecord& record) {
  record = {};
  perf_event_header head{};
  if (rest_.size() < sizeof head) return false;
  std::memcpy(&head, rest_.data(), sizeof head);
  if (head.size < sizeof head || head.size % sizeof(uint64_t) != 0 || head.size > rest_.size()) return false;
  record.type = head.type;
  record.misc = head.misc;
  record.bytes = rest_.first(head.size);
  if (!read_body(Body(record.bytes.subspan(sizeof head)), record, samples_)) return false;
  rest_ = rest_.subspan(head.size);
  return true;
}

void append_sample(const PerfRecord& sample, std::span<const uint64_t> user, bool whole, std::vector<std::byte>& out) {
  const size_t kernel = kernel_words(sample.chain);
  const uint64_t links = kernel + (user.empty() ? 0 : 1 + user.size());
  constexpr size_t kFixed = sizeof(perf_event_header) + 6 * sizeof(uint64_t);
  const auto misc = static_cast<uint16_t>((sample.misc & ~uint32_t{kWholeChain}) | (whole ? kWholeChain : 0U));
  put_head(out, PERF_RECORD_SAMPLE, misc, kFixed + links * sizeof(uint64_t));
  put(out, sample.address);
  put(out, sample.process);
  put(out, sample.thread);
  put(out, sample.time);
  put(out, uint64_t{sample.cpu});
  put(out, sample.period);
  put(out, links);
  for (size_t i = 0; i < kernel; ++i) put(out, sample.chain[i]);
  if (!user.empty()) put(out, static_cast<uint64_t>(PERF_CONTEXT_USER));
  for (const uint64_t address : user) put(out, address);
}

void append_mapping(const PerfRecord& mapping, std::vector<std::byte>& out) {
  constexpr size_t kFixed = sizeof(perf_event_header) + 4 * sizeof(uint64_t) + sizeof(FileNumber) + sizeof(uint64_t);
  put_head(out, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, kFixed + text_bytes(mapping.text) + kIdentityBytes);
  put(out, mapping.process);
  put(out, mapping.thread);
  put(out, mapping.address);
  put(out, mapping.length);
  put(out, mapping.offset);
  put(out, FileNumber{0, 0, mapping.inode, 0});
  put(out, uint64_t{0});
  put_text(out, mapping.text);
  put_identity(out, mapping);
}

void append_name(const PerfRecord& name, std::vector<std::byte>& out) {
  constexpr size_t kFixed = sizeof(perf_event_header) + sizeof(uint64_t);
  put_head(out, PERF_RECORD_COMM, 0, kFixed + text_bytes(name.text) + kIdentityBytes);
  put(out, name.process);
  put(out, name.thread);
  put_text(out, name.text);
  put_identity(out, name);
}

}  // namespace sonde::record
