#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/modules/module_work.h"
#include "report/page/json_columns.h"
#include "report/page/module_sections.h"
#include "report/page/section.h"

namespace sonde {
namespace module_work_part {
namespace {

using Json = nlohmann::ordered_json;

/// More make the page slow; the operations with the least time go first.
constexpr size_t kMaxRows = 50'000;

std::vector<ModuleWork> largest(std::vector<ModuleWork> work) {
  if (work.size() <= kMaxRows) return work;
  std::ranges::stable_sort(work, std::greater(), &ModuleWork::device_ns);
  work.resize(kMaxRows);
  std::ranges::stable_sort(work, {}, &ModuleWork::module);
  return work;
}

Json write(const ReportSource& source) { return module_work_json(source, source.modules); }

}  // namespace
}  // namespace module_work_part

nlohmann::ordered_json module_work_json(const ReportSource& source, const ModuleTree& tree) {
  using namespace module_work_part;
  if (tree.modules.empty()) return nullptr;
  const std::vector<ModuleWork> work = largest(module_work(source.trace, tree));
  if (work.empty()) return nullptr;
  boost::unordered_flat_map<std::string_view, size_t> rows;
  Json names = Json::array();
  const auto row_of = [&](std::string_view name) {
    const auto [found, fresh] = rows.try_emplace(name, names.size());
    if (fresh) names.push_back(name);
    return found->second;
  };
  Json document = {
      {"module", json_column(work, [](const ModuleWork& w) { return w.module == kNone ? -1 : int64_t{w.module}; })},
      {"name", json_column(work, [&](const ModuleWork& w) { return row_of(w.name); })},
      {"count", json_column(work, [](const ModuleWork& w) { return w.count; })},
      {"device_ns", json_column(work, [](const ModuleWork& w) { return w.device_ns; })}};
  document["names"] = std::move(names);
  return document;
}

extern const ReportSection module_work_section;
const ReportSection module_work_section{"module_work", "kernels and copies of each module, with their GPU time",
                                        module_work_part::write};

}  // namespace sonde
