// What becomes of a submission by its type and the configuration, and what is refused.

#include "dispatch/submission.h"

#include <cmath>

#include <gtest/gtest.h>

#include "config/read.h"

namespace sonde::dispatch {
namespace submission_test {

constexpr std::string_view kFile = R"(
gpu:
  multi_gpu:
    strategies: [least_loaded, round_robin]
    queue_priority_levels: {high: 0, normal: 1, low: 2}
    task_specific_mappings: {image_segmentation: gpu_0}
sonde:
  tasks:
    retries: 3
    types:
      training:
        command: [/usr/bin/python3, train.py]
        allow_arguments: true
        allow_environment: [SEED]
        environment: {OMP_NUM_THREADS: 8, SEED: 1}
        working_directory: /srv
        gpus: 2
        memory_bytes: 16GiB
        time_limit: 60
        priority: low
        retries: 1
        simulated_utilization: 40
        simulated_memory_bytes: 1GiB
      fixed: {command: [date]}
      asking: {model: resnet50, model_version: "3", workers: {gpu_0: "http://a:8000"}}
      open_model: {workers: {gpu_0: "http://a:8000"}}
)";

config::Config config_of(const std::string& more = "") {
  const auto reading = config::read_config(std::string(kFile) + more, "/etc/sonde/config.yaml");
  EXPECT_EQ(config::problems_text(reading.problems, "f"), "");
  return reading.config;
}

config::Config free_config() {
  config::Config config = config_of();
  config.sonde.tasks.allow_undeclared_commands = true;
  return config;
}

Submission of_type(const std::string& type) {
  Submission submission;
  submission.type = type;
  submission.submitted_by = "ci";
  return submission;
}

/// "code: detail".
std::string refusal(const Submission& submission, const config::Config& config = config_of()) {
  const auto spec = resolve(submission, config);
  EXPECT_FALSE(spec);
  return spec ? "" : spec.error().code + ": " + spec.error().detail;
}

TEST(Submission, takes_what_it_does_not_say_from_its_type) {
  const auto spec = resolve(of_type("training"), config_of());
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->type, "training");
  EXPECT_EQ(spec->command, (std::vector<std::string>{"/usr/bin/python3", "train.py"}));
  EXPECT_EQ(spec->environment, (std::map<std::string, std::string>{{"OMP_NUM_THREADS", "8"}, {"SEED", "1"}}));
  EXPECT_EQ(spec->folder, "/srv");
  EXPECT_EQ(spec->gpus, 2);
  EXPECT_EQ(spec->memory_bytes, int64_t{16} << 30U);
  EXPECT_EQ(spec->time_limit_ns, 60'000'000'000);
  EXPECT_EQ(spec->priority, "low");
  EXPECT_EQ(spec->retries, 1);
  EXPECT_TRUE(spec->retry_failures);
  EXPECT_EQ(spec->strategy, "");
  EXPECT_FALSE(spec->profile);
  EXPECT_EQ(spec->submitted_by, "ci");
  EXPECT_EQ(spec->simulated_utilization_percent, 40);
  EXPECT_EQ(spec->simulated_memory_bytes, int64_t{1} << 30U);
}

TEST(Submission, and_what_its_type_does_not_say_from_the_configuration) {
  const auto spec = resolve(of_type("fixed"), config_of());
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->priority, "normal");
  EXPECT_EQ(spec->retries, 3);
  EXPECT_FALSE(spec->retry_failures);
  EXPECT_EQ(spec->gpus, 1);
  EXPECT_FALSE(spec->memory_bytes);
  EXPECT_FALSE(spec->time_limit_ns);
  EXPECT_FALSE(spec->simulated_memory_bytes);
}

TEST(Submission, the_default_priority_is_the_configured_one) {
  config::Config config = config_of();
  config.gpu.multi_gpu.default_queue_priority = "high";
  EXPECT_EQ(resolve(of_type("fixed"), config)->priority, "high");
  EXPECT_EQ(resolve(of_type("training"), config)->priority, "low") << "its type says";
}

TEST(Submission, says_otherwise_where_it_may) {
  Submission submission = of_type("training");
  submission.name = "night";
  submission.arguments = {"--epochs", "10"};
  submission.environment = {{"SEED", "7"}};
  submission.gpus = 0;
  submission.memory_bytes = 5;
  submission.time_limit_s = 0.5;
  submission.priority = "high";
  submission.strategy = "round_robin";
  submission.after = {9, 3, 9};
  submission.retries = 0;
  submission.profile = true;
  submission.idempotency_key = "k";
  const auto spec = resolve(submission, config_of());
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->name, "night");
  EXPECT_EQ(spec->command, (std::vector<std::string>{"/usr/bin/python3", "train.py", "--epochs", "10"}));
  EXPECT_EQ(spec->environment.at("SEED"), "7");
  EXPECT_EQ(spec->gpus, 0);
  EXPECT_EQ(spec->memory_bytes, 5);
  EXPECT_EQ(spec->time_limit_ns, 500'000'000);
  EXPECT_EQ(spec->priority, "high");
  EXPECT_EQ(spec->strategy, "round_robin");
  EXPECT_EQ(spec->after, (std::vector<int64_t>{3, 9}));
  EXPECT_EQ(spec->retries, 0);
  EXPECT_TRUE(spec->retry_failures) << "somebody spoke of retries";
  EXPECT_EQ(spec->profile, true);
  EXPECT_EQ(spec->idempotency_key, "k");
}

TEST(Submission, unknown_names_get_the_nearest_known_ones) {
  EXPECT_EQ(refusal(of_type("trainin")),
            "unknown_type: There is no type 'trainin', did you mean 'training'? Known: asking, fixed, open_model, "
            "training.");
  EXPECT_EQ(refusal(of_type("zzz")),
            "unknown_type: There is no type 'zzz'. Known: asking, fixed, open_model, training.");
  Submission submission = of_type("fixed");
  submission.priority = "hgh";
  EXPECT_EQ(refusal(submission),
            "unknown_priority: There is no priority 'hgh', did you mean 'high'? Known: high, low, normal.");
  submission = of_type("fixed");
  submission.strategy = "random";
  EXPECT_EQ(refusal(submission), "unknown_strategy: There is no strategy 'random'. Known: least_loaded, round_robin.");
}

TEST(Submission, runs_nothing_that_is_not_declared) {
  Submission submission;
  EXPECT_TRUE(refusal(submission).starts_with("unknown_type: The task names no type")) << refusal(submission);
  submission.command = {"/bin/sh", "-c", "id"};
  EXPECT_TRUE(refusal(submission).starts_with("command_not_allowed: Only commands of declared types"));
  submission.type = "image_segmentation";
  EXPECT_TRUE(refusal(submission).starts_with("unknown_type: "));
  submission.type = "training";
  EXPECT_EQ(refusal(submission),
            "command_not_allowed: The type 'training' has its own command: send `arguments` instead.");
  submission.type = "fixed";
  EXPECT_EQ(refusal(submission), "command_not_allowed: The type 'fixed' has its own command.");
  EXPECT_TRUE(refusal(submission, free_config()).starts_with("command_not_allowed: "));
  submission = of_type("fixed");
  submission.arguments = {"--evil"};
  EXPECT_EQ(
      refusal(submission),
      "command_not_allowed: The type 'fixed' does not allow arguments (sonde.tasks.types.fixed.allow_arguments).");
  submission = of_type("training");
  submission.environment = {{"LD_PRELOAD", "/tmp/x.so"}};
  EXPECT_EQ(refusal(submission),
            "variable_not_allowed: The type 'training' does not let submissions set LD_PRELOAD "
            "(sonde.tasks.types.training.allow_environment). It allows: SEED.");
  submission.environment = {{"CUDA_VISIBLE_DEVICES", "0"}};
  EXPECT_TRUE(refusal(submission).starts_with("invalid_task: 'CUDA_VISIBLE_DEVICES' cannot be set"));
  submission = of_type("training");
  submission.folder = "/etc";
  EXPECT_TRUE(refusal(submission).starts_with("command_not_allowed: Only the type can set the working directory"));
  submission = of_type("training");
  submission.arguments = {std::string("a\0b", 3)};
  EXPECT_TRUE(refusal(submission).starts_with("invalid_task: ")) << refusal(submission);
}

TEST(Submission, runs_anything_where_that_is_allowed) {
  Submission submission;
  submission.command = {"/bin/sh", "-c"};
  submission.arguments = {"id"};
  submission.environment = {{"ANY", "1"}};
  submission.folder = "/tmp";
  const auto spec = resolve(submission, free_config());
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->type, "default");
  EXPECT_EQ(spec->command, (std::vector<std::string>{"/bin/sh", "-c", "id"}));
  EXPECT_EQ(spec->environment.at("ANY"), "1");
  EXPECT_EQ(spec->folder, "/tmp");
  submission.type = "image_segmentation";
  EXPECT_EQ(resolve(submission, free_config())->type, "image_segmentation") << "a type that has a mapping";
  submission.type = "unheard_of";
  EXPECT_TRUE(refusal(submission, free_config()).starts_with("unknown_type: "));
  submission = {};
  EXPECT_TRUE(refusal(submission, free_config()).starts_with("invalid_task: The type 'default' has no command"));
  submission.command = {"a"};
  submission.folder = "relative";
  EXPECT_TRUE(refusal(submission, free_config()).starts_with("invalid_task: A working directory"));
}

TEST(Submission, asks_workers_for_the_declared_model) {
  Submission submission = of_type("asking");
  EXPECT_TRUE(
      refusal(submission).starts_with("invalid_task: The type 'asking' sends requests to workers: send a request"));
  submission.request = R"({"inputs":[]})";
  const auto spec = resolve(submission, config_of());
  ASSERT_TRUE(spec);
  ASSERT_TRUE(spec->inference);
  EXPECT_EQ(spec->inference->model, "resnet50");
  EXPECT_EQ(spec->inference->version, "3");
  EXPECT_EQ(spec->inference->request, R"({"inputs":[]})");
  EXPECT_EQ(spec->workers.at("gpu_0"), "http://a:8000");
  EXPECT_TRUE(spec->command.empty());
  submission.model = "other";
  EXPECT_TRUE(refusal(submission).starts_with("invalid_task: The type 'asking' uses the model 'resnet50'"));
  submission.model.reset();
  submission.gpus = 2;
  EXPECT_TRUE(refusal(submission).starts_with("invalid_task: A request goes to the worker of one GPU"));
  submission.gpus.reset();
  submission.arguments = {"a"};
  EXPECT_TRUE(refusal(submission).starts_with("command_not_allowed: The type 'asking' sends requests to workers"));
  submission = of_type("fixed");
  submission.request = "{}";
  EXPECT_TRUE(
      refusal(submission).starts_with("invalid_task: A request needs workers, and the type 'fixed' has no workers"));
}

TEST(Submission, names_a_model_only_where_the_type_has_none) {
  Submission submission = of_type("open_model");
  submission.request = "{}";
  EXPECT_TRUE(refusal(submission).starts_with("invalid_task: The type 'open_model' names no model"));
  submission.model = "../../v2/repository";
  EXPECT_TRUE(refusal(submission).starts_with("invalid_task: "));
  submission.model = "bert";
  EXPECT_EQ(resolve(submission, config_of())->inference->model, "bert");
}

TEST(Submission, refuses_what_cannot_be) {
  Submission submission = of_type("fixed");
  submission.gpus = -1;
  EXPECT_TRUE(refusal(submission).starts_with("invalid_task: "));
  submission.gpus = 1;
  submission.memory_bytes = -1;
  EXPECT_TRUE(refusal(submission).starts_with("invalid_task: "));
  submission.memory_bytes.reset();
  for (const double seconds : {0.0, -1.0, 1e300, std::nan("")}) {
    submission.time_limit_s = seconds;
    EXPECT_TRUE(refusal(submission).starts_with("invalid_task: A time limit")) << seconds;
  }
}

}  // namespace submission_test
}  // namespace sonde::dispatch
