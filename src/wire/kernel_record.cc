#include "wire/kernel_record.h"

#include "wire/whole_body.h"

namespace sonde::wire {

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
      return take(body, values) && values.count <= kMaxMetricParts &&
             body.size() == sizeof values + values.count * sizeof(MetricPart);
    }
    default: return false;
  }
}

}  // namespace sonde::wire
