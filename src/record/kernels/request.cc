#include "record/kernels/request.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/system_reason.h"

namespace sonde::record {
namespace {

std::string text_of(const MeasureRequest& request) {
  std::string text = fmt::format("skip {}\n", request.skip);
  if (request.count) text += fmt::format("count {}\n", *request.count);
  if (request.each) text += fmt::format("each {}\n", *request.each);
  if (!request.kernel.empty()) text += fmt::format("kernel {}\n", request.kernel);
  if (!request.range.empty()) text += fmt::format("range {}@{}\n", request.domain, request.range);
  if (request.samples) text += "samples 1\n";
  if (request.period) text += fmt::format("period {}\n", *request.period);
  for (const std::string& metric : request.metrics) text += fmt::format("metric {}\n", metric);
  return text;
}

}  // namespace

Result<RequestFile> RequestFile::create(const MeasureRequest& request) {
  const int file = memfd_create("sonde-metrics", MFD_CLOEXEC);
  const std::string text = text_of(request);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    if (file >= 0) close(file);
    return fail("cannot measure kernels: no memory for what to measure: {}", system_reason(error));
  }
  return RequestFile(file);
}

RequestFile::RequestFile(RequestFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

RequestFile::~RequestFile() {
  if (file_ >= 0) close(file_);
}

std::string RequestFile::place() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

}  // namespace sonde::record
