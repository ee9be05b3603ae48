#include "dispatch/submission.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/suggest.h"
#include "base/time_units.h"
#include "config/text_form.h"

namespace sonde::dispatch {
namespace {

using Resolved = std::expected<TaskSpec, Refused>;
using Checked = std::expected<void, Refused>;

constexpr std::string_view kDefaultType = "default";

std::unexpected<Refused> refused(std::string_view code, std::string detail) {
  return std::unexpected(Refused{.code = std::string(code), .detail = std::move(detail), .retry_after_s = {}});
}

/// "There is no priority 'hgh', did you mean 'high'? Known: high, low, normal."
template <typename Names>
std::string unknown_name(std::string_view what, const std::string& given, const Names& known) {
  std::vector<std::string_view> names;
  for (const std::string& name : known) names.emplace_back(name);
  return fmt::format("There is no {} '{}'{}{} Known: {}.", what, given, did_you_mean(given, names),
                     did_you_mean(given, names).empty() ? "." : "", fmt::join(names, ", "));
}

/// A type that is not declared but may be used, since everything may be run: for learning and mappings.
bool is_free_type(const std::string& name, const config::Config& config) {
  return config.sonde.tasks.allow_undeclared_commands &&
         (name == kDefaultType || config.gpu.multi_gpu.task_specific_mappings.contains(name));
}

class Resolver {
 public:
  Resolver(const Submission& submission, const config::Config& config) : wanted_(submission), config_(config) {}

  Resolved run() {
    if (auto good = choose_type(); !good) return std::unexpected(good.error());
    if (auto good = choose_what_runs(); !good) return std::unexpected(good.error());
    if (auto good = choose_environment(); !good) return std::unexpected(good.error());
    if (auto good = choose_place(); !good) return std::unexpected(good.error());
    if (auto good = choose_limits(); !good) return std::unexpected(good.error());
    take_the_rest();
    return std::move(spec_);
  }

 private:
  [[nodiscard]] const config::Tasks& tasks() const { return config_.sonde.tasks; }

  Checked choose_type() {
    spec_.type = wanted_.type.value_or(std::string(kDefaultType));
    const auto declared = tasks().types.find(spec_.type);
    if (declared != tasks().types.end()) {
      type_ = &declared->second;
      return {};
    }
    if (is_free_type(spec_.type, config_)) return {};
    if (wanted_.type) return refused("unknown_type", unknown_type());
    if (!wanted_.command.empty()) return refused("command_not_allowed", command_refusal());
    return refused("unknown_type",
                   fmt::format("The task names no type, and no type is called '{}'. {}", kDefaultType, known_types()));
  }

  [[nodiscard]] std::string unknown_type() const {
    if (tasks().types.empty()) return fmt::format("There is no type '{}'. {}", spec_.type, known_types());
    return unknown_name("type", spec_.type, std::views::keys(tasks().types));
  }

  [[nodiscard]] std::string known_types() const {
    if (tasks().types.empty()) {
      return "No type is declared: an administrator must add it to sonde.tasks.types in the configuration and reload "
             "it.";
    }
    return fmt::format("Known: {}.", fmt::join(std::views::keys(tasks().types), ", "));
  }

  [[nodiscard]] static std::string command_refusal() {
    return "Only commands of declared types are allowed. Name a type (GET /api/v1/task_types lists them), or ask an "
           "administrator to declare one in sonde.tasks.types or to set sonde.tasks.allow_undeclared_commands.";
  }

  Checked choose_what_runs() {
    if (type_ != nullptr && !type_->workers.empty()) return ask_workers();
    if (wanted_.request)
      return refused("invalid_task",
                     fmt::format("A request needs workers, and the type '{}' has no workers.", spec_.type));
    if (wanted_.model)
      return refused("invalid_task",
                     fmt::format("A model needs workers, and the type '{}' has no workers.", spec_.type));
    if (type_ != nullptr && !type_->command.empty()) return run_declared();
    return run_undeclared();
  }

  Checked ask_workers() {
    if (!wanted_.command.empty() || !wanted_.arguments.empty()) {
      return refused(
          "command_not_allowed",
          fmt::format("The type '{}' sends requests to workers and runs no command: send a request.", spec_.type));
    }
    if (!wanted_.request) {
      return refused(
          "invalid_task",
          fmt::format("The type '{}' sends requests to workers: send a request with the body of a KServe v2 inference.",
                      spec_.type));
    }
    if (wanted_.model && !type_->model.empty() && *wanted_.model != type_->model) {
      return refused("invalid_task", fmt::format("The type '{}' uses the model '{}', not '{}'.", spec_.type,
                                                 type_->model, *wanted_.model));
    }
    const std::string model = type_->model.empty() ? wanted_.model.value_or("") : type_->model;
    if (model.empty() || !config::is_model(model)) {
      return refused(
          "invalid_task",
          fmt::format("The type '{}' names no model: send `model`, a name of letters, digits, '.', '_', '-' and ':'.",
                      spec_.type));
    }
    spec_.inference = Inference{.model = model, .version = type_->model_version, .request = *wanted_.request};
    spec_.workers = type_->workers;
    return {};
  }

  Checked run_declared() {
    if (!wanted_.command.empty()) {
      return refused("command_not_allowed", fmt::format("The type '{}' has its own command{}", spec_.type,
                                                        type_->allow_arguments ? ": send `arguments` instead." : "."));
    }
    if (!wanted_.arguments.empty() && !type_->allow_arguments) {
      return refused("command_not_allowed",
                     fmt::format("The type '{}' does not allow arguments (sonde.tasks.types.{}.allow_arguments).",
                                 spec_.type, spec_.type));
    }
    spec_.command = type_->command;
    return add_words(wanted_.arguments);
  }

  Checked run_undeclared() {
    if (!tasks().allow_undeclared_commands) return refused("command_not_allowed", command_refusal());
    if (wanted_.command.empty() || wanted_.command.front().empty()) {
      return refused("invalid_task", fmt::format("The type '{}' has no command: send one.", spec_.type));
    }
    if (auto good = add_words(wanted_.command); !good) return good;
    return add_words(wanted_.arguments);
  }

  Checked add_words(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (!config::is_word(word)) return refused("invalid_task", "The command contains a NUL character.");
      spec_.command.push_back(word);
    }
    return {};
  }

  [[nodiscard]] bool brings_its_own() const {
    return type_ == nullptr || (type_->command.empty() && type_->workers.empty());
  }

  Checked choose_environment() {
    if (type_ != nullptr) spec_.environment = type_->environment;
    for (const auto& [name, value] : wanted_.environment) {
      if (!config::is_variable(name) || !config::is_word(value)) {
        return refused("invalid_task",
                       fmt::format("'{}' cannot be set: allowed are {}.", name, config::kVariable.allowed));
      }
      if (!brings_its_own() && std::ranges::find(type_->allow_environment, name) == type_->allow_environment.end()) {
        return refused("variable_not_allowed", variable_refusal(name));
      }
      spec_.environment[name] = value;
    }
    return {};
  }

  [[nodiscard]] std::string variable_refusal(const std::string& name) const {
    const auto& allowed = type_->allow_environment;
    return fmt::format(
        "The type '{}' does not let submissions set {} (sonde.tasks.types.{}.allow_environment). {}", spec_.type, name,
        spec_.type,
        allowed.empty() ? "It allows no variables." : fmt::format("It allows: {}.", fmt::join(allowed, ", ")));
  }

  Checked choose_place() {
    if (type_ != nullptr) spec_.folder = type_->working_directory;
    if (wanted_.folder.empty()) return {};
    if (!brings_its_own()) {
      return refused("command_not_allowed",
                     fmt::format("Only the type can set the working directory: sonde.tasks.types.{}.working_directory.",
                                 spec_.type));
    }
    if (wanted_.folder[0] != '/' || !config::is_word(wanted_.folder)) {
      return refused("invalid_task", "A working directory must be an absolute path.");
    }
    spec_.folder = wanted_.folder;
    return {};
  }

  Checked choose_limits() {
    const auto& multi = config_.gpu.multi_gpu;
    spec_.priority = priority();
    if (!multi.queue_priority_levels.contains(spec_.priority)) {
      return refused("unknown_priority",
                     unknown_name("priority", spec_.priority, std::views::keys(multi.queue_priority_levels)));
    }
    spec_.strategy = wanted_.strategy.value_or("");
    if (!spec_.strategy.empty() && std::ranges::find(multi.strategies, spec_.strategy) == multi.strategies.end()) {
      return refused("unknown_strategy", unknown_name("strategy", spec_.strategy, multi.strategies));
    }
    spec_.gpus = wanted_.gpus.value_or(type_ == nullptr ? 1 : type_->gpus);
    if (spec_.inference && spec_.gpus != 1) {
      return refused("invalid_task", "A request goes to the worker of one GPU: `gpus` must be 1.");
    }
    if (spec_.gpus < 0) return refused("invalid_task", "`gpus` must not be negative.");
    return choose_memory_and_time();
  }

  [[nodiscard]] std::string priority() const {
    if (wanted_.priority) return *wanted_.priority;
    if (type_ != nullptr && !type_->priority.empty()) return type_->priority;
    return config_.gpu.multi_gpu.default_queue_priority;
  }

  Checked choose_memory_and_time() {
    constexpr double kMaxSeconds = 31'536'000;
    if (type_ != nullptr && type_->memory_bytes > 0) spec_.memory_bytes = type_->memory_bytes;
    if (wanted_.memory_bytes) spec_.memory_bytes = wanted_.memory_bytes;
    if (spec_.memory_bytes && *spec_.memory_bytes < 0) return refused("invalid_task", "Memory must not be negative.");
    const double limit_s = wanted_.time_limit_s.value_or(type_ == nullptr ? 0 : type_->time_limit);
    const bool is_time = limit_s >= 0 && limit_s <= kMaxSeconds;  // what is no number at all is none
    if (!is_time || (wanted_.time_limit_s && limit_s == 0)) {
      return refused("invalid_task", "A time limit must be above 0 s and at most 31536000 s (one year).");
    }
    if (limit_s > 0) spec_.time_limit_ns = std::max<int64_t>(1, std::llround(limit_s * kSecondNs));
    return {};
  }

  void take_the_rest() {
    spec_.name = wanted_.name;
    spec_.after = wanted_.after;
    std::ranges::sort(spec_.after);
    const auto repeated = std::ranges::unique(spec_.after);
    spec_.after.erase(repeated.begin(), repeated.end());
    const bool type_says = type_ != nullptr && type_->retries >= 0;
    spec_.retries = wanted_.retries.value_or(type_says ? type_->retries : tasks().retries);
    spec_.retry_failures = wanted_.retries.has_value() || type_says;
    spec_.profile = wanted_.profile;
    spec_.submitted_by = wanted_.submitted_by;
    spec_.idempotency_key = wanted_.idempotency_key;
    if (type_ == nullptr) return;
    spec_.simulated_utilization_percent = type_->simulated_utilization;
    if (type_->simulated_memory_bytes > 0) spec_.simulated_memory_bytes = type_->simulated_memory_bytes;
  }

  const Submission& wanted_;
  const config::Config& config_;
  const config::TaskType* type_ = nullptr;  ///< null: none is declared, and anything may be run
  TaskSpec spec_;
};

}  // namespace

std::expected<TaskSpec, Refused> resolve(const Submission& submission, const config::Config& config) {
  return Resolver(submission, config).run();
}

}  // namespace sonde::dispatch
