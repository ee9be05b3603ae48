#include "inject/metrics/report_kernels.h"

#include "inject/driver.h"
#include "inject/text_record.h"

namespace sonde::inject::metrics {
namespace {

template <typename Body>
void report_with_text(wire::Kind kind, uint16_t level, const Body& body, const char* text, int64_t time) noexcept {
  static_cast<void>(
      write_with_text({.kind = kind, .bytes = 0, .domain = 0, .level = level, .time = time}, body, text_of(text)));
}

void report_attribute(uint32_t device, uint32_t attribute, int64_t value) noexcept {
  constexpr uint32_t kBytes = sizeof(wire::RecordHead) + sizeof(wire::DeviceAttributeBody);
  std::byte* const at = begin_record(kBytes);
  if (at == nullptr) return;
  put(put_head(at, wire::Kind::device_attribute, kBytes, 0, 0, now_ns()),
      wire::DeviceAttributeBody{device, attribute, value});
  commit_record(kBytes);
}

uint32_t report_some(uint64_t kernel, const uint32_t* places, const double* values, uint32_t count) noexcept {
  count = count < wire::kMaxMetricParts ? count : wire::kMaxMetricParts;
  const auto bytes = static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::MetricValuesBody) +
                                           count * sizeof(wire::MetricPart));
  std::byte* at = begin_record(bytes);
  if (at == nullptr) return count;
  at = put(put_head(at, wire::Kind::metric_values, bytes, 0, 0, now_ns()), wire::MetricValuesBody{kernel, count, 0});
  for (uint32_t i = 0; i < count; ++i) at = put(at, wire::MetricPart{places[i], 0, values[i]});
  commit_record(bytes);
  return count;
}

}  // namespace

void report(wire::MeasureState state, const char* text, int32_t result) noexcept {
  report_with_text(wire::Kind::measure_state, 0, wire::MeasureStateBody{state, result, 0, {}}, text, now_ns());
}

void report_failure(const char* function, int32_t result) noexcept {
  report(wire::MeasureState::failed, function, result);
}

bool failed(const char* function, cupti::Result result) noexcept {
  if (result != cupti::Result::ok) report_failure(function, static_cast<int32_t>(result));
  return result != cupti::Result::ok;
}

void report_kernel(const wire::MeasuredKernelBody& kernel, const char* mangled, int64_t time) noexcept {
  report_with_text(wire::Kind::measured_kernel, 0, kernel, mangled, time);
}

void report_values(uint64_t kernel, const uint32_t* places, const double* values, uint32_t count) noexcept {
  for (uint32_t reported = 0; reported < count;)
    reported += report_some(kernel, places + reported, values + reported, count - reported);
}

void report_device(int device, const char* chip) noexcept {
  constexpr int kMaxAttributes = 160;  // CU_DEVICE_ATTRIBUTE_MAX of CUDA 13.0 is 148
  const auto number = static_cast<uint32_t>(device);
  const Driver& driver = the_driver();
  char name[256] = {};
  if (driver.device_name(name, sizeof name, device) == 0) {
    report_with_text(wire::Kind::device_text, 0, wire::DeviceTextBody{number, 0, 0}, name, now_ns());
  }
  report_with_text(wire::Kind::device_text, 1, wire::DeviceTextBody{number, 0, 0}, chip, now_ns());
  for (int attribute = 1; driver.device_attribute.is_there() && attribute < kMaxAttributes; ++attribute) {
    int value = 0;
    if (driver.device_attribute(&value, attribute, device) == 0) {
      report_attribute(number, static_cast<uint32_t>(attribute), value);
    }
  }
}

}  // namespace sonde::inject::metrics
