#include "report/page/module_sections.h"
#include "report/page/section.h"

namespace sonde {
namespace modules_exact {
namespace {

nlohmann::ordered_json write(const ReportSource& source) {
  return source.exact_modules ? modules_json(source, *source.exact_modules) : nlohmann::ordered_json(nullptr);
}

}  // namespace
}  // namespace modules_exact

extern const ReportSection modules_exact_section;
const ReportSection modules_exact_section{
    "modules_exact", "the module tree with names that differ only by a number kept apart", modules_exact::write};

}  // namespace sonde
