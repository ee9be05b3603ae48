#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/files/yaml_documents.h"
#include "base/time_units.h"
#include "dispatch/simulation/workload.h"
#include "dispatch/simulation/yaml_values.h"

namespace sonde::dispatch::simulation {
namespace {

constexpr double kLongest_ns = 366 * kDayNs;
constexpr double kMaxBytes = 1e15;
constexpr auto kFileKeys =
    std::to_array<std::string_view>({"version", "duration", "gpus", "driver_version", "speeds", "types", "tasks"});
constexpr auto kKindKeys = std::to_array<std::string_view>(
    {"type", "arrivals", "count", "batch", "run_time", "memory", "utilization", "failures", "priority", "gpus",
     "declared_memory", "time_limit", "retries", "strategy", "submitters"});
constexpr auto kTaskKeys = std::to_array<std::string_view>(
    {"type", "at", "count", "batch", "run_time", "memory", "utilization", "failures", "priority", "gpus",
     "declared_memory", "time_limit", "retries", "strategy", "submitters"});
constexpr auto kArrivalKeys = std::to_array<std::string_view>({"every", "regular", "from", "until"});
constexpr auto kShapeKeys = std::to_array<std::string_view>(
    {"median", "spread", "mean", "deviation", "from", "to", "least", "tail", "fixed", "share"});

struct ShapeOf {
  const char* first;
  const char* second;
  Distribution::Shape shape;
  bool is_second_amount;  ///< it has the unit of the first; else it is a number
};
constexpr auto kShapes = std::to_array<ShapeOf>({{"median", "spread", Distribution::Shape::log_normal, false},
                                                 {"mean", "deviation", Distribution::Shape::normal, true},
                                                 {"from", "to", Distribution::Shape::uniform, true},
                                                 {"least", "tail", Distribution::Shape::power, false}});

class Reader {
 public:
  Reader(std::string_view yaml, const std::string& file, const config::Config& config)
      : yaml_(yaml), file_(file), values_(file) {
    for (const auto& [name, number] : config.gpu.multi_gpu.queue_priority_levels) priorities_.push_back(name);
    for (const std::string& name : config.gpu.multi_gpu.strategies) strategies_.push_back(name);
  }

  Result<Workload> read() {
    try {
      if (const auto second = second_yaml_document(yaml_)) {
        values_.problem(*second, "a second YAML document begins here; a file describes one workload");
      } else {
        read_file(YAML::Load(yaml_));
      }
    } catch (const YAML::Exception& e) {
      values_.problem(e.mark, fmt::format("not valid YAML: {}", e.msg));
    }
    if (!values_.problems.empty()) return fail("{}", fmt::join(values_.problems, "\n"));
    return std::move(workload_);
  }

 private:
  void read_file(const YAML::Node& document) {
    if (!values_.is_map(document, kFileKeys)) return;
    (void)values_.whole(document, "version", kNumbers, 1, 1);
    if (const auto duration = values_.whole(document, "duration", kTimes, 1e9, kLongest_ns))
      workload_.duration_ns = *duration;
    read_host(document);
    read_speeds(document);
    for (const YAML::Node& node : values_.list(document, "types")) read_type(node);
    for (const YAML::Node& node : values_.list(document, "tasks")) read_task(node);
    if (workload_.types.empty() && workload_.tasks.empty() && values_.problems.empty())
      values_.problem(document.Mark(),
                      "no tasks: define 'types' (tasks that arrive over the day) or 'tasks' (single tasks)");
  }

  /// The lines of `gpus` alone are a description of simulated GPUs; the others become empty, so that places stay.
  void read_host(const YAML::Node& document) {
    const YAML::Node gpus = document["gpus"];
    if (!gpus) return;
    int from = 0;
    int until = static_cast<int>(std::ranges::count(yaml_, '\n')) + 1;
    for (const auto& pair : document) {
      if (pair.first.Scalar() == "gpus") from = pair.first.Mark().line;
    }
    for (const auto& pair : document) {
      const int line = pair.first.Mark().line;
      if (line > from) until = std::min(until, line);
      if (line == from && pair.first.Scalar() != "gpus") {
        values_.problem(pair.first.Mark(), "'gpus' must begin on its own line");
        return;
      }
    }
    auto host = device::simulated::read_description(lines_of(from, until), file_);
    if (host) {
      workload_.host = std::move(*host);
    } else {
      values_.problems.push_back(host.error().message);
    }
  }

  [[nodiscard]] std::string lines_of(int from, int until) const {
    std::string text;
    int line = 0;
    for (const char c : yaml_) {
      if (c == '\n' || (line >= from && line < until)) text += c;
      if (c == '\n') ++line;
    }
    return text;
  }

  void read_speeds(const YAML::Node& document) {
    const YAML::Node speeds = document["speeds"];
    if (!speeds) return;
    if (!speeds.IsMap()) {
      values_.problem(speeds.Mark(), "the keys of 'speeds' must be GPU names");
      return;
    }
    for (const auto& pair : speeds) {
      const auto speed = values_.amount_of(pair.second, pair.first.Scalar(), kNumbers, 0.01, 100);
      if (speed) workload_.speeds[pair.first.Scalar()] = *speed;
    }
  }

  void read_type(const YAML::Node& node) {
    if (!values_.is_map(node, kKindKeys)) return;
    TaskKind kind;
    read_kind(node, kind);
    read_arrivals(node, kind);
    if (!node["type"]) values_.problem(node.Mark(), "'type' is missing: the name of the type");
    workload_.types.push_back(std::move(kind));
  }

  /// What it does not say is as the type above says.
  void read_task(const YAML::Node& node) {
    if (!values_.is_map(node, kTaskKeys)) return;
    ListedTask task;
    const YAML::Node type = node["type"];
    const auto found =
        std::ranges::find(workload_.types, type && type.IsScalar() ? type.Scalar() : "", &TaskKind::type);
    if (found != workload_.types.end()) task.kind = *found;
    read_kind(node, task.kind);
    if (!node["at"]) values_.problem(node.Mark(), "'at' is missing: the submission time, such as '10 min'");
    task.at_ns = values_.whole(node, "at", kTimes, 0, kLongest_ns).value_or(0);
    workload_.tasks.push_back(std::move(task));
  }

  void read_kind(const YAML::Node& node, TaskKind& kind) {
    constexpr double kMaxAtOnce = 10'000;
    if (const auto type = values_.text(node, "type")) kind.type = *type;
    kind.count = values_.whole(node, "count", kNumbers, 1, kMaxAtOnce).value_or(kind.count);
    kind.is_batch = values_.yes_or_no(node, "batch").value_or(kind.is_batch);
    read_distribution(node, "run_time", kTimes, kLongest_ns, kind.run_time);
    read_distribution(node, "memory", kMemory, kMaxBytes, kind.memory);
    kind.utilization = values_.amount(node, "utilization", kShares, 0, 1).value_or(kind.utilization);
    kind.failures = values_.amount(node, "failures", kShares, 0, 1).value_or(kind.failures);
    set(kind.priority, values_.one_of(node, "priority", priorities_));
    set(kind.gpus, values_.whole(node, "gpus", kNumbers, 0, 1024));
    set(kind.declared_bytes, values_.whole(node, "declared_memory", kMemory, 1, kMaxBytes));
    set(kind.time_limit_ns, values_.whole(node, "time_limit", kTimes, 1e9, kLongest_ns));
    set(kind.retries, values_.whole(node, "retries", kNumbers, 0, 100));
    if (const auto strategy = values_.one_of(node, "strategy", strategies_)) kind.strategy = *strategy;
    if (node["submitters"]) kind.submitters = values_.texts(node, "submitters");
  }

  template <typename T>
  static void set(std::optional<T>& value, std::optional<T> given) {
    if (given) value = std::move(given);
  }

  void read_arrivals(const YAML::Node& node, TaskKind& kind) {
    const YAML::Node arrivals = node["arrivals"];
    if (!arrivals) return;  // it is there for 'tasks'
    if (!values_.is_map(arrivals, kArrivalKeys)) return;
    if (!arrivals["every"])
      values_.problem(arrivals.Mark(), "'every' is missing: the mean time between arrivals, such as '5 min'");
    Arrivals& read = kind.arrivals;
    read.every_ns = values_.whole(arrivals, "every", kTimes, 1e6, kLongest_ns).value_or(0);
    read.regular = values_.yes_or_no(arrivals, "regular").value_or(false);
    read.from_ns = values_.whole(arrivals, "from", kTimes, 0, kDayNs).value_or(read.from_ns);
    read.until_ns = values_.whole(arrivals, "until", kTimes, 0, kDayNs).value_or(read.until_ns);
    if (read.until_ns <= read.from_ns)
      values_.problem(arrivals.Mark(), "'until' must be later than 'from'; both are times of day");
  }

  void read_distribution(const YAML::Node& node, const char* key, Units units, double max, Distribution& read) {
    const YAML::Node value = node[key];
    if (!value) {
      if (read.parts.empty())
        values_.problem(node.Mark(), fmt::format("'{}' is missing: a value or a distribution", key));
      return;
    }
    read.parts.clear();
    if (!value.IsSequence()) {
      read.parts.push_back(read_part(value, key, units, max));
      return;
    }
    for (const YAML::Node& part : value) read.parts.push_back(read_part(part, key, units, max));
    if (value.size() == 0) values_.problem(value.Mark(), fmt::format("'{}' is an empty list", key));
  }

  Distribution::Part read_part(const YAML::Node& value, const char* key, Units units, double max) {
    Distribution::Part part;
    if (value.IsScalar()) {
      part.a = values_.amount_of(value, key, units, 0, max).value_or(0);
      return part;
    }
    if (!values_.is_map(value, kShapeKeys)) return part;
    constexpr double kMinShare = 1e-6;
    part.share = values_.amount(value, "share", kShares, kMinShare, 1).value_or(1);
    if (value["fixed"]) {
      part.a = values_.amount(value, "fixed", units, 0, max).value_or(0);
      return part;
    }
    const auto* const shape =
        std::ranges::find_if(kShapes, [&](const ShapeOf& of) { return value[of.first] && value[of.second]; });
    if (shape == kShapes.end()) {
      values_.problem(
          value.Mark(),
          fmt::format(
              "'{}' must be a value, or have median and spread, mean and deviation, from and to, or least and tail",
              key));
      return part;
    }
    constexpr double kMaxNumber = 100;
    part.shape = shape->shape;
    part.a = values_.amount(value, shape->first, units, 0, max).value_or(0);
    part.b = shape->is_second_amount ? values_.amount(value, shape->second, units, 0, max).value_or(0)
                                     : values_.amount(value, shape->second, kNumbers, 0, kMaxNumber).value_or(0);
    if (part.shape == Distribution::Shape::uniform && part.b < part.a)
      values_.problem(value.Mark(), "'to' must be larger than 'from'");
    if (part.shape == Distribution::Shape::power && part.b < 1)
      values_.problem(value.Mark(), "'tail' must be at least 1; otherwise the mean is infinite");
    return part;
  }

  std::string yaml_;
  const std::string& file_;
  YamlValues values_;
  Workload workload_;
  std::vector<std::string_view> priorities_;
  std::vector<std::string_view> strategies_;
};

}  // namespace

Result<Workload> read_workload(std::string_view yaml, const std::string& file, const config::Config& config) {
  return Reader(yaml, file, config).read();
}

}  // namespace sonde::dispatch::simulation
