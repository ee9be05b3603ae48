#include "analyses/tables/grouped_values.h"

#include "base/system/parallel.h"

namespace sonde {

std::vector<Distribution> GroupedValues::distributions(size_t groups) const {
  auto buckets = bucket<int64_t>(group_, value_, groups);
  std::vector<Distribution> result(groups);
  parallel_for(groups, [&](size_t g) { result[g] = distribution_of(buckets.of(g)); });
  return result;
}

}  // namespace sonde
