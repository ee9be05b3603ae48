#include "report/page/module_sections.h"
#include "report/page/section.h"

namespace sonde {
namespace module_work_exact {
namespace {

nlohmann::ordered_json write(const ReportSource& source) {
  return source.exact_modules ? module_work_json(source, *source.exact_modules) : nlohmann::ordered_json(nullptr);
}

}  // namespace
}  // namespace module_work_exact

extern const ReportSection module_work_exact_section;
const ReportSection module_work_exact_section{"module_work_exact", "kernels and copies of each module of that tree",
                                              module_work_exact::write};

}  // namespace sonde
