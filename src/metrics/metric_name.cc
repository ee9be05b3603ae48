#include "metrics/metric_name.h"

namespace sonde {
namespace {

/// Cuts `text` at the first `separator`: gives what stands before it and leaves what stands behind it.
std::string_view cut(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view first = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return first;
}

}  // namespace

MetricName split_metric_name(std::string_view name) {
  MetricName parts;
  if (name.contains(':')) parts.prefix = cut(name, ':');
  parts.counter = cut(name, '.');
  parts.rollup = cut(name, '.');
  parts.submetric = name;
  const size_t at = parts.counter.find("__");
  if (at != std::string_view::npos) parts.hardware = parts.counter.substr(0, at);
  return parts;
}

}  // namespace sonde
