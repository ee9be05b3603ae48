#include "dispatch/executor/log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/files/descriptor.h"
#include "base/system/system_reason.h"
#include "dispatch/executor/attempt_files.h"
#include "dispatch/keeper/output_file.h"

namespace sonde::dispatch {
namespace {

/// Up to `size` bytes; fewer at the end of the file.
Result<std::string> read_at(int file, int64_t offset, int64_t size) {
  std::string text(static_cast<size_t>(size), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = pread(file, text.data() + done, text.size() - done, offset + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail("cannot read a task's output: {}", system_reason(errno));
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  text.resize(done);
  return text;
}

/// The two files of a stream as they are now.
class Stream {
 public:
  explicit Stream(const std::string& path)
      : tail_(open((path + ".tail").c_str(), O_RDONLY | O_CLOEXEC)), head_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat found{};
    if (head_ && fstat(head_.get(), &found) == 0) head_bytes_ = found.st_size;
    refresh();
  }

  void refresh() {
    if (tail_) header_ = keeper::read_tail_header(tail_.get());
    if (header_) head_bytes_ = header_->head_bytes;
  }
  [[nodiscard]] int64_t head_bytes() const { return head_bytes_; }
  [[nodiscard]] int64_t total() const { return header_ ? header_->total : head_bytes_; }
  [[nodiscard]] int64_t tail_begin() const { return header_ ? std::max(head_bytes_, header_->first()) : head_bytes_; }

  [[nodiscard]] Result<std::string> head(int64_t from, int64_t max) const {
    return head_ ? read_at(head_.get(), from, std::min(max, head_bytes_ - from)) : Result<std::string>("");
  }
  [[nodiscard]] Result<std::string> tail(int64_t from, int64_t max) const {
    if (!header_) return "";
    const int64_t size = std::min(max, header_->total - from);
    const int64_t at = from % header_->ring_bytes;
    const int64_t before_wrap = std::min(size, header_->ring_bytes - at);
    auto text = read_at(tail_.get(), keeper::kTailHeaderBytes + at, before_wrap);
    if (!text || before_wrap == size) return text;
    auto rest = read_at(tail_.get(), keeper::kTailHeaderBytes, size - before_wrap);
    if (!rest) return rest;
    return *text + *rest;
  }

 private:
  Descriptor tail_;  // opened before the other: what is not in the ring then, the head has
  Descriptor head_;
  int64_t head_bytes_ = 0;
  std::optional<keeper::TailHeader> header_;
};

/// What was written over while it was read is taken off.
Result<LogPart> read_tail(Stream& stream, LogPart part, int64_t max) {
  const int64_t begin = std::max(part.from, stream.tail_begin());
  auto text = stream.tail(begin, max);
  if (!text) return std::unexpected(text.error());
  stream.refresh();
  const int64_t lost = std::clamp<int64_t>(stream.tail_begin() - begin, 0, static_cast<int64_t>(text->size()));
  part.text = text->substr(static_cast<size_t>(lost));
  part.left_out_bytes = begin + lost - part.from;
  part.next = begin + static_cast<int64_t>(text->size());
  return part;
}

}  // namespace

Result<LogPart> read_log(const std::string& path, int64_t from, int64_t max, bool over) {
  Stream stream(path);
  LogPart part;
  part.from = from < 0 ? std::max<int64_t>(0, stream.total() + from) : std::min(from, stream.total());
  part.next = part.from;
  max = std::max<int64_t>(0, max);
  if (part.from < stream.head_bytes()) {
    auto text = stream.head(part.from, max);
    if (!text) return std::unexpected(text.error());
    part.text = std::move(*text);
    part.next = part.from + static_cast<int64_t>(part.text.size());
  } else {
    auto tail = read_tail(stream, std::move(part), max);
    if (!tail) return tail;
    part = std::move(*tail);
  }
  part.is_whole = over && part.next == stream.total();
  return part;
}

}  // namespace sonde::dispatch
