#include "cli/ci/shared_written_files.h"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "base/text/suggest.h"
#include "cli/ci/shared_quoting.h"
#include "cli/ci/shared_templates.h"

namespace sonde {
namespace {

/// What stands in a template after `before`, at the beginning of a line, up to the line's end is the user's.
struct Place {
  std::string_view before;
  std::string value;
};

std::string_view template_text(std::string_view name) {
  const auto all = ci_templates();
  const auto found = std::ranges::find(all, name, &CiTemplate::name);
  if (found == all.end()) throw std::logic_error(fmt::format("deploy/ci/embed.py does not list {}", name));
  return found->text;
}

/// A place that a template does not have, or has twice, would leave its example in a user's file.
void fill(std::string& text, const Place& place) {
  const std::string line = fmt::format("\n{}", place.before);
  const size_t at = text.find(line);
  if (at == std::string::npos || text.find(line, at + 1) != std::string::npos) {
    throw std::logic_error(fmt::format("a file of deploy/ci has not exactly one line '{}'", place.before));
  }
  const size_t begin = at + line.size();
  text.replace(begin, text.find('\n', begin) - begin, place.value);
}

std::string filled(std::string_view name, std::span<const Place> places) {
  std::string text(template_text(name));
  for (const Place& place : places) fill(text, place);
  return text;
}

CiFile script() { return {.path = ".sonde/ci/gate.sh", .text = std::string(template_text("gate.sh"))}; }

std::vector<CiFile> github_files(const CiSettings& s) {
  const std::array places = {Place{"    branches: ", fmt::format("[{}]", workflow_value(s.branch))},
                             Place{"          command: ", workflow_value(s.command)},
                             Place{"          budget: ", workflow_value(s.budget)},
                             Place{"          runs: ", fmt::format("{}", s.runs)}, Place{"          tool: ", s.tool}};
  return {{".github/workflows/gpu-performance.yml", filled("github/gpu-performance.yml", places)},
          {".sonde/ci/github/action.yml", std::string(template_text("github/action.yml"))},
          script()};
}

std::vector<CiFile> gitlab_files(const CiSettings& s) {
  const std::array places = {Place{"      value: ", yaml_value(s.command)},
                             Place{"    SONDE_BUDGET: ", yaml_value(s.budget)},
                             Place{"    SONDE_RUNS: ", fmt::format("'{}'", s.runs)}, Place{"    SONDE_TOOL: ", s.tool}};
  return {{".sonde/ci/gpu-performance.gitlab-ci.yml", filled("gitlab/gpu-performance.yml", places)},
          {".gitlab-ci.yml", std::string(template_text("gitlab/.gitlab-ci.yml")), true},
          script()};
}

std::vector<CiFile> jenkins_files(const CiSettings& s) {
  const std::array places = {
      Place{"def command = ", groovy_value(s.command)}, Place{"def mainBranch = ", groovy_value(s.branch)},
      Place{"    SONDE_BUDGET = ", groovy_value(s.budget)}, Place{"    SONDE_RUNS = ", fmt::format("'{}'", s.runs)},
      Place{"    SONDE_TOOL = ", groovy_value(s.tool)}};
  return {{"Jenkinsfile", filled("jenkins/Jenkinsfile", places)}, script()};
}

constexpr std::string_view kGithubSteps =
    R"(  - Register a runner with the labels self-hosted and gpu, and put sonde on its PATH.
  - Build and install what the command needs in .github/workflows/gpu-performance.yml, before the gate.
  - Commit these files to {branch}: its first run makes the baseline.
)";
constexpr std::string_view kGitlabSteps = R"(  - Register a runner with the tag gpu, and put sonde on its PATH.
  - A .gitlab-ci.yml that was there before has to include the job:
        include:
          - local: .sonde/ci/gpu-performance.gitlab-ci.yml
  - For a note on merge requests give the project a masked variable SONDE_GITLAB_TOKEN (scope api).
  - Commit these files to {branch}: its first pipeline makes the baseline.
)";
constexpr std::string_view kJenkinsSteps = R"(  - Give the agent with the GPU the label gpu, and put sonde on its PATH.
  - Install the plugins Pipeline, JUnit and Lockable Resources.
  - Build and install what the command needs in a stage before Profile.
  - Commit these files to {branch}: its first build makes the baseline.
)";

constexpr std::array kSystems = {CiSystem{"github", kGithubSteps, &github_files},
                                 CiSystem{"jenkins", kJenkinsSteps, &jenkins_files},
                                 CiSystem{"gitlab", kGitlabSteps, &gitlab_files}};

}  // namespace

Result<const CiSystem*> find_ci_system(std::string_view name) {
  std::vector<std::string_view> known;
  for (const CiSystem& system : kSystems) {
    if (system.name == name) return &system;
    known.push_back(system.name);
  }
  return fail("unknown CI system '{}'{} (github, jenkins, gitlab)", name, did_you_mean(name, known));
}

std::vector<CiFile> ci_files(const CiSystem& system, const CiSettings& settings) {
  std::vector<CiFile> files = system.files(settings);
  const std::string_view budget = settings.tool == "none" ? "budget/wall_time.yaml" : "budget/profile.yaml";
  files.push_back({settings.budget, std::string(template_text(budget)), true});
  return files;
}

}  // namespace sonde
