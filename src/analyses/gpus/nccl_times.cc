#include "analyses/gpus/nccl_times.h"

#include <limits>
#include <map>
#include <string>

#include "analyses/gpus/collectives.h"
#include "trace/columns.h"

namespace sonde {

Times gpu_times_of_operations(const Trace& trace) {
  const NcclOperations& o = trace.nccl_operations;
  std::map<Row, int> served;  // operations by kernel
  for (Row row = 0; row < row_count(o); ++row) {
    if (o.kernel[row] != kNone) ++served[o.kernel[row]];
  }
  Times times(row_count(o), kUnknown);
  for (Row row = 0; row < row_count(o); ++row) {
    const Row kernel = o.kernel[row];
    if (kernel != kNone && served[kernel] == 1) {
      times[row] = time_between(trace.kernels.start[kernel], trace.kernels.end[kernel]);
    } else {
      times[row] = time_between(o.gpu_start[row], o.gpu_end[row]);
    }
  }
  return times;
}

double algorithm_bandwidth(int64_t bytes, int64_t ns) {
  if (bytes == kUnknown || ns == kUnknown || ns <= 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(bytes) / static_cast<double>(ns);
}

double bus_factor_of(std::string_view nccl_function, int64_t ranks) {
  if (nccl_function == "Gather" || nccl_function == "Scatter")
    nccl_function = "AllGather";  // (n-1)/n in nccl-tests too
  const CommunicationKind kind = communication_kind("nccl" + std::string(nccl_function));
  if (bus_factor(kind, 2) == bus_factor(kind, 4)) return bus_factor(kind, 2);
  return ranks == kUnknown ? std::numeric_limits<double>::quiet_NaN() : bus_factor(kind, ranks);
}

}  // namespace sonde
