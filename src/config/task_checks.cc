#include "config/task_checks.h"

#include <algorithm>
#include <ranges>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/suggest.h"
#include "config/value_reader.h"

namespace sonde::config {
namespace {

using Report = std::function<void(std::string_view key, std::string_view other, std::string says)>;

constexpr std::string_view kTypes = "sonde.tasks.types";

/// Reports errors of one type, at its key or, if the file does not contain the key, at the type.
class TypeCheck {
 public:
  TypeCheck(std::string_view name, const TaskType& type, const Config& config, const Report& report)
      : path_(fmt::format("{}.{}", kTypes, name)), type_(type), config_(config), report_(report) {}

  void run() const {
    check_what_it_runs();
    check_program();
    if (!type_.workers.empty()) check_workers();
    check_priority();
    check_profile();
  }

 private:
  void wrong(std::string_view key, std::string says) const {
    report_(fmt::format("{}.{}", path_, key), path_, std::move(says));
  }

  void check_what_it_runs() const {
    const bool runs_command = !type_.command.empty();
    if (runs_command && !type_.workers.empty()) {
      wrong("workers", "the type also has a command; allowed: command or workers, not both");
    }
    if (!runs_command && type_.workers.empty() && !config_.sonde.tasks.allow_undeclared_commands) {
      wrong("command",
            "the type runs nothing; allowed: a command, workers, or sonde.tasks.allow_undeclared_commands: true, which "
            "lets submissions set their own command");
    }
    if (!runs_command && type_.allow_arguments) {
      wrong("allow_arguments", "the type has no command to add arguments to; allowed: false, or a command");
    }
    if (type_.workers.empty() && !type_.model.empty()) {
      wrong("model", "the type has a model but no workers; allowed: workers, or no model");
    }
    if (type_.workers.empty() && !type_.model_version.empty()) {
      wrong("model_version", "the type has a model version but no workers; allowed: workers, or no model_version");
    }
  }

  void check_program() const {
    if (type_.command.empty()) return;
    const std::string& program = type_.command.front();
    if (program.empty()) wrong("command", "the program's name is empty; allowed: a path, or a name to search in PATH");
    if (program.contains('/') && program[0] != '/' && type_.working_directory.empty()) {
      wrong("command", fmt::format("{} is resolved against the task's own folder, which is empty; allowed: an absolute "
                                   "path, a name to search in PATH, or a working_directory",
                                   in_quotes(program)));
    }
  }

  /// A request is sent to the one worker of the one GPU; no program is started.
  void check_workers() const {
    if (type_.gpus != 1)
      wrong("gpus", fmt::format("{} GPUs, but a request goes to one worker; allowed: 1", type_.gpus));
    const auto without = [&](bool is_set, std::string_view key) {
      if (is_set)
        wrong(key, "requests to workers start no program that could use it; allowed: workers without it, or a command");
    };
    without(!type_.environment.empty(), "environment");
    without(!type_.allow_environment.empty(), "allow_environment");
    without(!type_.working_directory.empty(), "working_directory");
  }

  void check_priority() const {
    const auto& levels = config_.gpu.multi_gpu.queue_priority_levels;
    if (type_.priority.empty() || levels.contains(type_.priority)) return;
    wrong("priority", fmt::format("{} is not in gpu.multi_gpu.queue_priority_levels; allowed: {}",
                                  in_quotes(type_.priority), fmt::join(std::views::keys(levels), ", ")));
  }

  void check_profile() const {
    if (type_.profile == "never" || !config_.sonde.tasks.profiles.command.empty()) return;
    wrong("profile", fmt::format("{} needs sonde.tasks.profiles.command, which is empty; allowed: never",
                                 in_quotes(type_.profile)));
  }

  std::string path_;
  const TaskType& type_;
  const Config& config_;
  const Report& report_;
};

void check_has(std::string_view key, std::span<const std::string> words, std::string_view part, const Report& report) {
  const bool has = std::ranges::any_of(words, [&](const std::string& word) { return word.contains(part); });
  if (words.empty() || has) return;
  report(key, key,
         fmt::format("no argument contains {}, the path of the profile; allowed: a command with it, or []", part));
}

}  // namespace

void check_tasks(const Config& config, const Report& report) {
  const TaskProfiles& profiles = config.sonde.tasks.profiles;
  for (const auto& [name, type] : config.sonde.tasks.types) TypeCheck(name, type, config, report).run();
  check_has("sonde.tasks.profiles.command", profiles.command, "{output}", report);
  check_has("sonde.tasks.profiles.attach_command", profiles.attach_command, "{output}", report);
  check_has("sonde.tasks.profiles.attach_command", profiles.attach_command, "{pid}", report);
}

}  // namespace sonde::config
