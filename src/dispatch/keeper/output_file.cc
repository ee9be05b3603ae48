#include "dispatch/keeper/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace sonde::dispatch::keeper {
namespace {

constexpr mode_t kOwnerOnly = 0600;

/// How many bytes of it were written at `offset`.
int64_t write_at(int file, std::string_view text, int64_t offset) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = pwrite(file, text.data() + done, text.size() - done, offset + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  return static_cast<int64_t>(done);
}

Descriptor create(const std::string& path) {
  return Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly));
}

}  // namespace

int64_t TailHeader::first() const { return std::max(tail_from, total - ring_bytes + kLongestChunk); }

std::optional<TailHeader> read_tail_header(int file) {
  TailHeader header;
  if (pread(file, &header, sizeof header, 0) != sizeof header) return std::nullopt;
  if (header.magic != kTailMagic || header.ring_bytes < kLongestChunk) return std::nullopt;
  return header;
}

OutputFile::OutputFile(std::string path, int64_t limit_bytes)
    : path_(std::move(path)), head_limit_(limit_bytes - limit_bytes / 2) {
  header_.magic = kTailMagic;
  header_.ring_bytes = limit_bytes / 2 + kLongestChunk;
}

void OutputFile::append(std::string_view chunk) {
  const int64_t in_head = append_head(chunk);
  header_.total += in_head;
  header_.head_bytes += in_head;
  chunk.remove_prefix(static_cast<size_t>(in_head));
  if (!chunk.empty()) append_tail(chunk);
}

int64_t OutputFile::append_head(std::string_view chunk) {
  if (head_is_over_) return 0;
  if (!head_) head_ = create(path_);
  const auto room = static_cast<size_t>(head_limit_ - header_.head_bytes);
  const int64_t written = head_ ? write_at(head_.get(), chunk.substr(0, room), header_.head_bytes) : 0;
  head_is_over_ = written < static_cast<int64_t>(chunk.size());  // its end, or a full disk
  if (head_is_over_) header_.tail_from = header_.total + written;
  return written;
}

void OutputFile::append_tail(std::string_view chunk) {
  const auto size = static_cast<int64_t>(chunk.size());
  const bool written = open_tail() && write_ring(chunk);
  header_.total += size;
  if (!written) {
    header_.tail_from = header_.total;
    lost_ += size;
  }
  if (tail_) write_at(tail_.get(), {reinterpret_cast<const char*>(&header_), sizeof header_}, 0);
}

bool OutputFile::open_tail() {
  if (tail_) return true;
  tail_ = create(path_ + ".tail");
  // What is allocated now cannot fail later; where that cannot be done, each write says for itself whether it worked.
  if (tail_) fallocate(tail_.get(), 0, 0, kTailHeaderBytes + header_.ring_bytes);
  return static_cast<bool>(tail_);
}

bool OutputFile::write_ring(std::string_view chunk) const {
  const int64_t at = header_.total % header_.ring_bytes;
  const std::string_view first = chunk.substr(0, static_cast<size_t>(header_.ring_bytes - at));
  const std::string_view second = chunk.substr(first.size());
  return write_at(tail_.get(), first, kTailHeaderBytes + at) == static_cast<int64_t>(first.size()) &&
         write_at(tail_.get(), second, kTailHeaderBytes) == static_cast<int64_t>(second.size());
}

bool OutputFile::sync() const {
  return (!head_ || fdatasync(head_.get()) == 0) && (!tail_ || fdatasync(tail_.get()) == 0);
}

}  // namespace sonde::dispatch::keeper
