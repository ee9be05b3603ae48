#include "doctor/facts.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace sonde::doctor {

std::optional<int64_t> number_in(const Host& host, const std::string& path) {
  const auto text = host.file(path);
  int64_t number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc()) return {};
  return number;
}

Version cuda_of_driver(const Host& host) {
  return host.gpus() ? first_version((*host.gpus())->info().cuda_version) : Version();
}

Version driver_version(const Host& host) {
  return host.gpus() ? first_version((*host.gpus())->info().driver_version) : Version();
}

bool has_capability(const Host& host, int bit) {
  constexpr int kHex = 16;
  const std::string status = host.file("/proc/self/status").value_or("");
  constexpr std::string_view kLine = "CapEff:";
  size_t at = status.find(kLine);
  if (at == std::string::npos) return false;
  at = status.find_first_not_of(" \t", at + kLine.size());
  uint64_t mask = 0;
  if (at == std::string::npos) return false;
  std::from_chars(status.data() + at, status.data() + status.size(), mask, kHex);
  return ((mask >> bit) & 1) != 0;
}

std::string bytes_in_words(int64_t bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  constexpr double kStep = 1000;
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  for (; amount >= kStep && unit + 1 < kUnits.size(); ++unit) amount /= kStep;
  return fmt::format("{:.3g} {}", amount, kUnits.at(unit));
}

std::string first_line(std::string_view text) {
  const size_t from = std::min(text.find_first_not_of("\r\n\t "), text.size());
  return std::string(text.substr(from, std::min(text.find_first_of("\r\n", from), text.size()) - from));
}

std::string in_path(const Host& host, std::string_view program) {
  const std::string path = host.variable("PATH").value_or("");
  for (size_t from = 0; from <= path.size();) {
    const size_t to = std::min(path.find(':', from), path.size());
    std::string file = fmt::format("{}/{}", path.substr(from, to - from), program);
    if (to > from && host.exists(file)) return file;
    from = to + 1;
  }
  return {};
}

}  // namespace sonde::doctor
