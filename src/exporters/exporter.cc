#include "exporters/exporter.h"

#include <algorithm>
#include <array>

namespace sonde {

#define SONDE_EXPORTER(name) extern const Exporter name##_exporter;
#include "exporters/list.inc"
#undef SONDE_EXPORTER

namespace {

const auto& table() {
  static const std::array exporters = {
#define SONDE_EXPORTER(name) name##_exporter,
#include "exporters/list.inc"
#undef SONDE_EXPORTER
  };
  return exporters;
}

std::string all_endings() {
  std::string text;
  for (const Exporter& e : exporters()) {
    for (const std::string_view ending : e.endings) text += fmt::format("{}{}", text.empty() ? "" : ", ", ending);
  }
  return text;
}

}  // namespace

std::span<const Exporter> exporters() { return table(); }

Result<const Exporter*> exporter_for(std::string_view path) {
  for (const Exporter& e : exporters()) {
    if (std::ranges::any_of(e.endings, [&](std::string_view ending) { return path.ends_with(ending); })) return &e;
  }
  return fail("cannot tell the output format from the name {}; use one of the extensions {}", path, all_endings());
}

}  // namespace sonde
