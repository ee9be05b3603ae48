#include "record/kernels/request.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/system/system_reason.h"
#include "wire/place.h"

namespace sonde::record {
namespace {

std::string line_of(const RangeElement& element) {
  switch (element.kind) {
    case RangeElement::Kind::name: return fmt::format("name {}\n", element.text);
    case RangeElement::Kind::regex: return fmt::format("regex {}\n", element.text);
    case RangeElement::Kind::one: return "one \n";
    case RangeElement::Kind::any_number: break;
  }
  return "any \n";
}

std::string lines_of(const RangeFilter& filter) {
  std::string text = fmt::format("{} {}{}{}\n", filter.exclude ? "exclude" : "include",
                                 filter.push_pop ? "push" : "start", filter.bottom ? "[" : "", filter.top ? "]" : "");
  const bool regex = filter.domain.kind == RangeElement::Kind::regex;
  if (regex || !filter.domain.text.empty()) {
    text += fmt::format("{} {}\n", regex ? "domain_regex" : "domain", filter.domain.text);
  }
  for (const RangeElement& element : filter.ranges) text += line_of(element);
  return text;
}

uint64_t place_of(const std::vector<std::string>& ranges) {
  uint64_t place = 0;
  for (size_t i = 0; i < std::min<size_t>(ranges.size(), wire::kDeepestPlace); ++i) {
    place = wire::add_to_place(place, ranges[i].data(), ranges[i].size());
  }
  return place;
}

std::string lines_of(const std::vector<ListedKernel>& listed) {
  if (listed.empty()) return "listed \n";
  std::string text;
  for (const ListedKernel& kernel : listed) {
    text += kernel.in_place ? fmt::format("listed {:016x} {}\n", place_of(kernel.ranges), kernel.function)
                            : fmt::format("listed * {}\n", kernel.function);
  }
  return text;
}

}  // namespace

std::string text_of(const MeasureRequest& request) {
  std::string text = fmt::format("skip {}\n", request.skip);
  if (request.count) text += fmt::format("count {}\n", *request.count);
  if (request.each) text += fmt::format("each {}\n", *request.each);
  if (!request.kernel.empty()) text += fmt::format("kernel {}\n", request.kernel);
  for (const RangeFilter& filter : request.filters) text += lines_of(filter);
  if (request.listed) text += lines_of(*request.listed);
  if (request.samples) text += "samples 1\n";
  if (request.instructions) text += "instructions 1\n";
  if (request.period) text += fmt::format("period {}\n", *request.period);
  for (const std::string& metric : request.metrics) text += fmt::format("metric {}\n", metric);
  return text;
}

Result<RequestFile> RequestFile::create(const MeasureRequest& request) {
  const int file = memfd_create("sonde-metrics", MFD_CLOEXEC);
  const std::string text = text_of(request);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    if (file >= 0) close(file);
    return fail("cannot measure kernels: no memory for the measurement settings: {}", system_reason(error));
  }
  return RequestFile(file);
}

RequestFile::RequestFile(RequestFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

RequestFile::~RequestFile() {
  if (file_ >= 0) close(file_);
}

std::string RequestFile::place() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

}  // namespace sonde::record
