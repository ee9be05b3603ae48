#include "record/rounds/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "record/rounds/file_limit.h"
#include "wire/layout.h"

namespace sonde::record {
namespace {

/// Large enough for few writes, small enough to be no part of the memory that a recording may take.
constexpr size_t kPendingBytes = size_t{1} << 20U;

/// Bytes of the slices that are whole.
size_t whole_slices(std::span<const std::byte> bytes) {
  SpoolReader reader(bytes);
  while (reader.next()) continue;
  return bytes.size() - reader.left();
}

}  // namespace

Result<SpoolWriter> SpoolWriter::create(const std::string& path, const SpoolHead& head) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail("{}", file_reason(errno));
  SpoolWriter writer(file);
  flock(file, LOCK_EX | LOCK_NB);
  const auto bytes = std::as_bytes(std::span(&head, 1));
  writer.pending_.assign(bytes.begin(), bytes.end());
  writer.flush();
  if (writer.error_ == 0) return writer;
  unlink(path.c_str());
  return fail("{}", file_reason(writer.error_));
}

SpoolWriter::SpoolWriter(SpoolWriter&& other) noexcept
    : Sink(),
      file_(std::exchange(other.file_, -1)),
      error_(other.error_),
      written_(other.written_),
      lost_(other.lost_),
      pending_(std::move(other.pending_)) {}

SpoolWriter::~SpoolWriter() {
  if (file_ >= 0) close(file_);
}

void SpoolWriter::add(const Slice& slice) {
  if (error_ != 0) {
    lost_ += static_cast<int64_t>(slice.records.size());
    return;
  }
  const SliceHead head{slice.process, slice.thread, static_cast<uint32_t>(slice.records.size()), slice.mark};
  const auto head_bytes = std::as_bytes(std::span(&head, 1));
  pending_.insert(pending_.end(), head_bytes.begin(), head_bytes.end());
  pending_.insert(pending_.end(), slice.records.begin(), slice.records.end());
  if (pending_.size() >= kPendingBytes) flush();
}

void SpoolWriter::flush() {
  size_t done = 0;
  while (done < pending_.size() && error_ == 0) {
    const ssize_t wrote = write(file_, pending_.data() + done, pending_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) error_ = errno;
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
  const size_t whole = error_ == 0 ? done : whole_slices(std::span(pending_).first(done));
  written_ += static_cast<int64_t>(whole);
  lost_ += static_cast<int64_t>(pending_.size() - whole);
  if (error_ != 0) {
    [[maybe_unused]] const int cut = ftruncate(file_, written_);  // fails: the reader stops at half a slice anyway
  }
  pending_.clear();
}

Result<SpoolContent> spool_content(std::span<const std::byte> bytes) {
  SpoolContent content{};
  if (bytes.size() < sizeof content.head) return fail("it is not a Sonde recording: it is too short");
  std::memcpy(&content.head, bytes.data(), sizeof content.head);
  if (content.head.magic != kSpoolMagic) return fail("it is not a Sonde recording");
  if (content.head.wire_version != wire::kVersion) {
    return fail("another version of Sonde recorded it (its record format is version {}, this Sonde reads version {})",
                content.head.wire_version, wire::kVersion);
  }
  content.slices = bytes.subspan(sizeof content.head);
  return content;
}

std::optional<Slice> SpoolReader::next() {
  SliceHead head{};
  if (rest_.size() < sizeof head) return {};
  std::memcpy(&head, rest_.data(), sizeof head);
  const bool known = head.mark == kSliceMark || head.mark == kCpuSliceMark || head.mark == kPythonSampleMark ||
                     head.mark == kPythonDefinitionMark;
  if (!known || head.bytes > rest_.size() - sizeof head) return {};
  const Slice slice{head.process, head.thread, rest_.subspan(sizeof head, head.bytes), head.mark};
  rest_ = rest_.subspan(sizeof head + head.bytes);
  return slice;
}

}  // namespace sonde::record
