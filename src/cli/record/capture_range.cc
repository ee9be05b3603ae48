#include "cli/record/capture_range.h"

#include <charconv>

#include "cli/record/number_check.h"

namespace sonde::record_cli {
namespace {

using record::CaptureOptions;

/// Behind the colon of "repeat:3"; 0 is none of them.
std::optional<uint32_t> number_of(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return {};
  return number;
}

/// nsys can say when the file of a range is written; here that is beside the program, as soon as it can be.
std::string_view without_mode(std::string_view end) {
  for (const std::string_view mode : {":defer", ":sync", ":async"}) {
    if (end.starts_with("repeat") && end.ends_with(mode)) return end.substr(0, end.size() - mode.size());
  }
  return end;
}

Status read_end(const std::string& given, CaptureOptions& capture) {
  const std::string end(without_mode(given));
  const size_t colon = std::min(end.find(':'), end.size());
  const std::string_view what = std::string_view(end).substr(0, colon);
  const auto number = colon < end.size() ? number_of(std::string_view(end).substr(colon + 1)) : std::nullopt;
  const bool has_number = colon < end.size();
  capture.ends = what != "none";
  capture.numbered = what == "repeat" || what == "repeat-shutdown";
  capture.shutdown = what == "stop-shutdown" || what == "repeat-shutdown";
  capture.ranges = capture.numbered ? number.value_or(0) : 1;
  const bool plain = !has_number && (what == "none" || what == "stop" || what == "stop-shutdown" || what == "repeat");
  const bool counted = number && capture.numbered;
  if (plain || counted) return {};
  return fail("--capture-range-end: '{}' is not one of none, stop, stop-shutdown, repeat, repeat:N, repeat-shutdown:N",
              given);
}

/// "RANGE@DOMAIN", "RANGE" of the default domain, "RANGE@*" of any; a backslash takes the next character as it is.
void read_range(std::string_view text, CaptureOptions& capture) {
  std::string* part = &capture.range;
  bool escaped_domain = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      escaped_domain = escaped_domain || part == &capture.domain;
      part->push_back(text[++i]);
    } else if (text[i] == '@' && part == &capture.range) {
      part = &capture.domain;
    } else {
      part->push_back(text[i]);
    }
  }
  capture.any_domain = capture.domain == "*" && !escaped_domain;
}

}  // namespace

bool is_port_of_ncu(std::string_view nvtx, std::string_view range) { return range != "nvtx" && is_whole_number(nvtx); }

Result<CaptureOptions> read_capture(const std::string& range, const std::string& end,
                                    const std::optional<std::string>& nvtx) {
  CaptureOptions capture;
  if (is_whole_number(range)) {
    return fail(
        "-c {}: -c is --capture-range, as in nsys (none, nvtx or cudaProfilerApi); for ncu's -c use --launch-count {}",
        range, range);
  }
  if (range == "hotkey") {
    return fail("--capture-range hotkey is for graphics programs; use sonde start and sonde stop instead");
  }
  if (range != "none" && range != "nvtx" && range != "cudaProfilerApi") {
    return fail("--capture-range: '{}' is not one of none, cudaProfilerApi and nvtx", range);
  }
  if (nvtx && range != "nvtx" && !is_port_of_ncu(*nvtx, range)) {
    return fail("--nvtx-capture needs --capture-range nvtx");
  }
  if (range == "none") return capture;
  SONDE_TRY(read_end(end, capture));
  if (range == "cudaProfilerApi") {
    capture.trigger = wire::Trigger::cuda_profiler_api;
    return capture;
  }
  if (!nvtx) return fail("--capture-range nvtx needs --nvtx-capture RANGE, or RANGE@DOMAIN");
  capture.trigger = wire::Trigger::nvtx;
  read_range(*nvtx, capture);
  if (capture.range.size() > wire::kMostCaptureText || capture.domain.size() > wire::kMostCaptureText) {
    return fail("--nvtx-capture: a name of more than {} bytes", wire::kMostCaptureText);
  }
  return capture;
}

}  // namespace sonde::record_cli
