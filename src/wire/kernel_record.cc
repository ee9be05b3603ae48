#include "wire/kernel_record.h"

#include <cstring>

namespace sonde::wire {
namespace {

template <typename T>
bool take(std::span<const std::byte> body, T& value) {
  if (body.size() < sizeof value) return false;
  std::memcpy(&value, body.data(), sizeof value);
  return true;
}

/// A body that ends with its text.
template <typename T>
bool ends_with_text(std::span<const std::byte> body, T& value, uint16_t& text_bytes) {
  if (!take(body, value) || value.text_bytes > kMostText) return false;
  text_bytes = value.text_bytes;
  return body.size() == sizeof value + padded(text_bytes);
}

}  // namespace

bool is_whole_kernel_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes) {
  text_bytes = 0;
  switch (kind) {
    case Kind::measure_state: {
      MeasureStateBody state{};
      return ends_with_text(body, state, text_bytes) && state.state < MeasureState::count_;
    }
    case Kind::device_text: {
      DeviceTextBody device{};
      return ends_with_text(body, device, text_bytes);
    }
    case Kind::measured_kernel: {
      MeasuredKernelBody kernel{};
      return ends_with_text(body, kernel, text_bytes);
    }
    case Kind::device_attribute: return body.size() == sizeof(DeviceAttributeBody);
    case Kind::metric_values: {
      MetricValuesBody values{};
      return take(body, values) && values.count <= kMostMetricParts &&
             body.size() == sizeof values + values.count * sizeof(MetricPart);
    }
    default: return false;
  }
}

}  // namespace sonde::wire
