#include "report/page/section.h"

#include <vector>

namespace sonde {

#define SONDE_SECTION(name) extern const ReportSection name##_section;
#include "report/page/sections.inc"
#undef SONDE_SECTION

std::span<const ReportSection* const> report_sections() {
  static const std::vector<const ReportSection*> all = {
#define SONDE_SECTION(name) &name##_section,
#include "report/page/sections.inc"
#undef SONDE_SECTION
  };
  return all;
}

}  // namespace sonde
