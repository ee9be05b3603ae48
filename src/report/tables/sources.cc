#include "report/tables/sources.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/tables/quantity.h"

namespace sonde {

std::vector<std::string> distinct_sources(const std::vector<std::string>& sources) {
  std::vector<std::string> distinct;
  for (const std::string& source : sources) {
    if (std::ranges::find(distinct, source) == distinct.end()) distinct.push_back(source);
  }
  for (std::string& source : distinct) {
    const auto runs = std::ranges::count(sources, source);
    if (runs > 1) source += fmt::format(" ({})", counted(runs, "run"));
  }
  return distinct;
}

}  // namespace sonde
