#include "trace/nccl_operations.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>

#include "trace/columns.h"
#include "trace/trace.h"

namespace sonde {
namespace {

struct NcclFunction {
  std::string_view name;       ///< as NCCL reports it
  std::string_view framework;  ///< as PyTorch calls it
  bool counts_one_rank;        ///< its count is that of one rank: all ranks' parts go in or come out
};

/// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html
constexpr auto kFunctions = std::to_array<NcclFunction>({
    {"AllReduce", "allreduce", false},
    {"ReduceScatter", "reduce_scatter", true},
    {"AllGather", "all_gather", true},
    {"Broadcast", "broadcast", false},
    {"Reduce", "reduce", false},
    {"AlltoAll", "all_to_all", true},
    {"Gather", "gather", true},
    {"Scatter", "scatter", true},
    {"Send", "send", false},
    {"Recv", "recv", false},
    {"SendRecv", "send_recv", false},
});

const NcclFunction* function_named(std::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &NcclFunction::name);
  return found == kFunctions.end() ? nullptr : found;
}

std::string_view function_of(const Trace& trace, Row operation) {
  const NameId name = value_or_absent(trace.nccl_operations.function, operation);
  return name == kNone ? std::string_view() : trace.name(name);
}

/// Of elements as NCCL counts them, those of all ranks where the count is one rank's.
int64_t elements_of_all(const Trace& trace, Row operation) {
  const NcclOperations& o = trace.nccl_operations;
  const NcclFunction* const function = function_named(function_of(trace, operation));
  if (function == nullptr || o.count[operation] == kUnknown) return kUnknown;
  if (!function->counts_one_rank) return o.count[operation];
  const uint32_t communicator = o.communicator[operation];
  const std::optional<int> ranks =
      communicator < trace.communicators.size() ? trace.communicators[communicator].ranks : std::nullopt;
  return ranks ? size_product(o.count[operation], *ranks) : kUnknown;
}

/// A kernel, by the call that launched it.
struct LaunchedKernel {
  int64_t call_start;
  int64_t call_end;
  Row kernel;
};

/// What one kernel does.
struct Group {
  ThreadId thread = kNone;
  int64_t start = 0;  ///< of its first operation
  std::vector<Row> operations;
};

bool is_nccl_kernel(const Trace& trace, Row kernel) { return trace.name(trace.kernels.name[kernel]).contains("nccl"); }

/// NCCL's kernels by the thread that launched them, in the order of their calls.
std::vector<std::vector<LaunchedKernel>> launched_kernels(const Trace& trace) {
  std::vector<std::vector<LaunchedKernel>> by_thread(trace.threads.size());
  const Kernels& k = trace.kernels;
  for (Row kernel = 0; kernel < k.launch.size(); ++kernel) {
    const Row call = k.launch[kernel];
    if (call == kNone || !is_nccl_kernel(trace, kernel)) continue;
    const ThreadId thread = value_or_absent(trace.api.thread, call);
    if (thread < by_thread.size()) by_thread[thread].push_back({trace.api.start[call], trace.api.end[call], kernel});
  }
  for (auto& kernels : by_thread) std::ranges::stable_sort(kernels, {}, &LaunchedKernel::call_start);
  return by_thread;
}

/// In the order of time. An operation without a group is one of its own.
std::vector<Group> groups_of(const Trace& trace) {
  const NcclOperations& o = trace.nccl_operations;
  std::vector<Group> groups;
  std::map<std::pair<ProcessId, int64_t>, size_t> known;
  for (Row row = 0; row < row_count(o); ++row) {
    if (o.thread[row] >= trace.threads.size()) continue;
    const auto next = groups.size();
    const std::pair key{trace.threads[o.thread[row]].process, o.group[row]};
    const size_t place = o.group[row] == kUnknown ? next : known.try_emplace(key, next).first->second;
    if (place == next) groups.push_back({.thread = o.thread[row], .start = o.start[row], .operations = {}});
    groups[place].operations.push_back(row);
  }
  return groups;
}

/// The kernel that NCCL's own report of a launch encloses.
Row kernel_by_launch(const NcclOperations& o, const Group& group, const std::vector<LaunchedKernel>& kernels) {
  const Row first = group.operations.front();
  if (o.launch_before[first] == kUnknown) return kNone;
  const int64_t begin = o.start[first] - o.launch_before[first];
  const int64_t end = begin + o.launch_duration[first];
  const auto found = std::ranges::lower_bound(kernels, begin, {}, &LaunchedKernel::call_start);
  return found != kernels.end() && found->call_start <= end ? found->kernel : kNone;
}

/// The last kernel that the thread launched before NCCL reported the group, but after the group before it.
Row kernel_by_order(const Group& group, int64_t after, const std::vector<LaunchedKernel>& kernels) {
  const auto next = std::ranges::upper_bound(kernels, group.start, {}, &LaunchedKernel::call_start);
  if (next == kernels.begin() || std::prev(next)->call_start < after) return kNone;
  return std::prev(next)->kernel;
}

/// "ncclDevKernel_AllReduce_Sum_f32_RING_LL" does an AllReduce, and whatever else was launched with it.
bool names_another(const Trace& trace, Row kernel, const Group& group) {
  const std::string_view name = trace.name(trace.kernels.name[kernel]);
  if (name.contains("SendRecv")) return false;
  const auto* const named =
      std::ranges::find_if(kFunctions, [&](const NcclFunction& f) { return name.contains(f.name); });
  if (named == kFunctions.end()) return false;
  return std::ranges::none_of(group.operations, [&](Row row) { return function_of(trace, row) == named->name; });
}

class Descriptions {
 public:
  explicit Descriptions(Trace& trace) : trace_(trace) {}

  /// Of a kernel that does one thing; kNone for several functions at once.
  [[nodiscard]] uint32_t of(const Group& group) {
    const NcclOperations& o = trace_.nccl_operations;
    const Row first = group.operations.front();
    const bool alike = std::ranges::all_of(group.operations, [&](Row row) {
      return o.function[row] == o.function[first] && o.datatype[row] == o.datatype[first] &&
             o.communicator[row] == o.communicator[first];
    });
    return alike ? row_of(description(group)) : kNone;
  }

 private:
  [[nodiscard]] Collective description(const Group& group) {
    const NcclOperations& o = trace_.nccl_operations;
    const Row first = group.operations.front();
    const NcclFunction* const function = function_named(function_of(trace_, first));
    Collective c;
    c.name = function == nullptr ? o.function[first] : trace_.names.intern(function->framework);
    c.dtype = o.datatype[first];
    c.algorithm = o.algorithm[first];
    c.protocol = o.protocol[first];
    c.in_elements = c.out_elements = 0;
    for (const Row row : group.operations) {
      c.in_elements = c.out_elements = size_sum(c.in_elements, elements_of_all(trace_, row));
    }
    if (o.communicator[first] < trace_.communicators.size()) describe_group(c, o.communicator[first]);
    return c;
  }

  void describe_group(Collective& c, uint32_t row) {
    const Communicator& communicator = trace_.communicators[row];
    c.group = trace_.names.intern(text_of(trace_, communicator));
    if (communicator.ranks) c.group_size = *communicator.ranks;
  }

  uint32_t row_of(const Collective& description) {
    const auto [place, fresh] = rows_.try_emplace(description, static_cast<uint32_t>(trace_.collectives.size()));
    if (fresh) trace_.collectives.push_back(description);
    return place->second;
  }

  Trace& trace_;
  std::map<Collective, uint32_t> rows_;
};

/// Sends and receives are matched by who meets whom: NCCL's one description of a kernel does not tell.
bool may_describe(const NcclOperations& o, const Group& group) {
  return std::ranges::none_of(group.operations,
                              [&](Row row) { return o.kind[row] == static_cast<uint8_t>(NcclKind::point_to_point); });
}

void set_kernel(Trace& trace, Descriptions& descriptions, const Group& group, Row kernel, NcclMatch match) {
  NcclOperations& o = trace.nccl_operations;
  for (const Row row : group.operations) {
    o.kernel[row] = kernel;
    o.match[row] = static_cast<uint8_t>(match);
  }
  Ids& collective = trace.kernels.collective;
  collective.resize(row_count(trace.kernels), kNone);
  if (collective[kernel] == kNone && may_describe(o, group)) collective[kernel] = descriptions.of(group);
}

}  // namespace

int64_t size_product(int64_t a, int64_t b) {
  int64_t product = 0;
  const bool known = a != kUnknown && b != kUnknown && !__builtin_mul_overflow(a, b, &product);
  return known ? product : kUnknown;
}

int64_t size_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  const bool known = a != kUnknown && b != kUnknown && !__builtin_add_overflow(a, b, &sum);
  return known ? sum : kUnknown;
}

int64_t time_between(int64_t first, int64_t last) {
  int64_t between = 0;
  const bool known = first != kUnknown && last != kUnknown && !__builtin_sub_overflow(last, first, &between);
  return known && between >= 0 ? between : kUnknown;
}

int64_t bytes_of_nccl_type(std::string_view datatype) {
  constexpr auto kTypes = std::to_array<std::pair<std::string_view, int64_t>>({{"ncclInt8", 1},
                                                                               {"ncclUint8", 1},
                                                                               {"ncclInt32", 4},
                                                                               {"ncclUint32", 4},
                                                                               {"ncclInt64", 8},
                                                                               {"ncclUint64", 8},
                                                                               {"ncclFloat16", 2},
                                                                               {"ncclFloat32", 4},
                                                                               {"ncclFloat64", 8},
                                                                               {"ncclBfloat16", 2},
                                                                               {"ncclFloat8e4m3", 1},
                                                                               {"ncclFloat8e5m2", 1}});
  const auto* const found = std::ranges::find(kTypes, datatype, &std::pair<std::string_view, int64_t>::first);
  return found == kTypes.end() ? kUnknown : found->second;
}

int64_t bytes_of_operation(const Trace& trace, Row operation) {
  const NameId datatype = value_or_absent(trace.nccl_operations.datatype, operation);
  const int64_t element = datatype == kNone ? kUnknown : bytes_of_nccl_type(trace.name(datatype));
  const int64_t elements = elements_of_all(trace, operation);
  return size_product(elements, element);
}

std::string text_of(const Trace& trace, const Communicator& communicator) {
  std::string text = fmt::format("{:#x}", static_cast<uint64_t>(communicator.hash));
  if (communicator.name != kNone) text += fmt::format(" ({})", trace.name(communicator.name));
  return text;
}

void link_nccl(Trace& trace) {
  NcclOperations& o = trace.nccl_operations;
  o.kernel.assign(row_count(o), kNone);
  o.match.assign(row_count(o), static_cast<uint8_t>(NcclMatch::none));
  if (row_count(o) == 0 || trace.kernels.launch.empty()) return;
  const auto kernels = launched_kernels(trace);
  std::vector<int64_t> after(trace.threads.size(), std::numeric_limits<int64_t>::min());
  Descriptions descriptions(trace);
  for (const Group& group : groups_of(trace)) {
    Row kernel = kernel_by_launch(o, group, kernels[group.thread]);
    const bool by_launch = kernel != kNone;
    const bool by_order = !by_launch && o.launch_before[group.operations.front()] == kUnknown;
    if (by_order) kernel = kernel_by_order(group, after[group.thread], kernels[group.thread]);
    after[group.thread] = group.start;
    if (kernel == kNone || names_another(trace, kernel, group)) continue;
    set_kernel(trace, descriptions, group, kernel, by_launch ? NcclMatch::by_launch : NcclMatch::by_order);
  }
}

}  // namespace sonde
