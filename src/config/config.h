#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// config.yaml of `sonde serve`: docs/serve/configuration.md. Members are named as the keys; times are in seconds,
/// shares 0..1.
namespace sonde::config {

/// Names of the selection strategies.
inline constexpr auto kStrategies = std::to_array<std::string_view>({
#define SONDE_STRATEGY(name) #name,
#include "config/strategies.inc"
#undef SONDE_STRATEGY
});

struct MultiGpu {
  bool enabled = true;  ///< else only the first eligible GPU is used
  std::string default_strategy = "least_loaded";
  std::vector<std::string> strategies{kStrategies.begin(), kStrategies.end()};
  bool batch_split = true;
  int64_t min_batch_size_per_gpu = 4;
  int64_t max_concurrent_tasks_per_gpu = 8;
  std::map<std::string, std::string> task_specific_mappings;  ///< task type -> gpu_N or UUID
  double queue_processing_interval = 0.1;
  std::map<std::string, int64_t> queue_priority_levels = {{"high", 0}, {"normal", 1}, {"low", 2}};
  std::string default_queue_priority = "normal";
  int64_t max_queue_size = 1000;
  double queue_timeout = 3600;
};

struct Monitoring {
  bool enabled =
      true;  ///< else GPUs are read at health_check_interval only, and no history, metrics or alerts are made
  double interval = 10;  ///< of samples
  bool prometheus_metrics = true;
  std::string prometheus_endpoint = "/metrics";
  std::string log_level = "info";    ///< debug, info, warning, error
  bool detailed_gpu_metrics = true;  ///< else metrics have utilization, memory, temperature and power only
  bool task_metrics = true;
  bool queue_metrics = true;
};

struct Gpu {
  bool enabled = true;
  int64_t min_compute_capability = 700;  ///< 100 * major + minor
  double memory_threshold = 0.9;
  double utilization_threshold = 0.95;
  double max_temperature = 85;        ///< Celsius
  double health_check_interval = 60;  ///< of slow values: ECC, remapped rows, PCIe, NVLink
  MultiGpu multi_gpu;
  Monitoring monitoring;
};

/// What Sonde adds stands in a section of its own, `sonde:`, since sites have sections of theirs beside `gpu:`.
struct Tls {
  std::string certificate;  ///< PEM, the chain; empty: no TLS
  std::string key;          ///< PEM
};

struct Server {
  std::string address = "127.0.0.1";
  int64_t port = 8470;            ///< 0: any free port, printed to the log and to `port_file`
  std::string port_file;          ///< gets "ADDRESS:PORT" once the service listens
  bool allow_plain_http = false;  ///< listen on other addresses than loopback without TLS
  Tls tls;
  std::string keys_file = "keys.json";
  bool metrics_need_key = false;  ///< the metrics endpoint asks for a key with the role read
  int64_t max_connections = 1024;
  int64_t max_header_bytes = 16 << 10;
  int64_t max_body_bytes = 1 << 20;
  double request_timeout = 30;      ///< from the first byte of a request to its last
  double idle_timeout = 120;        ///< of a connection between requests
  double requests_per_second = 50;  ///< of a key, on average
  int64_t burst = 200;              ///< of a key, at once
};

struct Devices {
  std::string source = "nvml";  ///< nvml or simulated
  std::string simulated;        ///< description of simulated GPUs: docs/serve/simulated_gpus.md
  std::string library;          ///< path of NVML; empty: as the loader finds it
};

struct History {
  std::string path;         ///< folder; empty: $STATE_DIRECTORY, else $XDG_STATE_HOME/sonde, else ~/.local/state/sonde
  double days = 30;         ///< that one-minute values are kept
  double memory_hours = 1;  ///< that all samples are kept in memory
};

struct Alerts {
  std::vector<std::string> alertmanagers;     ///< base URLs: http://alertmanager:9093
  std::vector<std::string> webhooks;          ///< URLs that get each change as JSON
  double resend_interval = 60;                ///< interval at which firing alerts are re-sent
  std::string minimum_severity = "warning";   ///< info, warning, critical
  std::map<std::string, std::string> labels;  ///< added to each alert
  std::string external_url;                   ///< of this service, for links in alerts
};

struct Cost {
  std::string currency = "EUR";
  double per_kwh = 0;       ///< 0: energy is not priced
  double per_gpu_hour = 0;  ///< 0: GPUs are not priced
};

/// What tasks of a type may run, and what holds for those that do not say otherwise.
struct TaskType {
  std::string description;
  std::vector<std::string> command;            ///< program and its first arguments; empty where it asks workers
  bool allow_arguments = false;                ///< submissions may add arguments behind those
  std::vector<std::string> allow_environment;  ///< names of variables that submissions may set
  std::map<std::string, std::string> environment;
  std::string working_directory;               ///< empty: a folder of the task's own
  std::string model;                           ///< of the workers (KServe v2)
  std::string model_version;                   ///< empty: the worker's choice
  std::map<std::string, std::string> workers;  ///< gpu_N or UUID -> base URL of the worker that serves that GPU
  int64_t gpus = 1;
  int64_t memory_bytes = 0;            ///< on each GPU; 0: learned ("16GiB" in the file)
  double time_limit = 0;               ///< of an attempt; 0: none
  std::string priority;                ///< empty: default_queue_priority
  int64_t retries = -1;                ///< -1: sonde.tasks.retries
  std::string profile = "never";       ///< "never", "always", "every N"
  double simulated_utilization = 80;   ///< percent that a task puts on a simulated GPU
  int64_t simulated_memory_bytes = 0;  ///< likewise; 0: what is kept for it
};

/// Recordings of tasks.
struct TaskProfiles {
  /// Put before a task's command; {output} is a file's path without its ending.
  std::vector<std::string> command = {"nsys", "profile", "--trace=cuda,nvtx,osrt", "--output={output}"};
  /// Records a worker that runs, from outside: {pid}, {seconds}, {output}. Empty: those are not recorded.
  std::vector<std::string> attach_command;
  double attach_seconds = 30;
  int64_t max_per_hour = 4;     ///< that start by themselves; asked ones are not counted
  double slow_factor = 1.5;     ///< slow: above this factor times the 90th percentile of its type
  int64_t max_bytes = 1 << 30;  ///< of one profile; a larger one is removed once it is analysed
  double keep_days = 7;
};

struct Tasks {
  bool enabled = true;                     ///< else no tasks are taken
  bool allow_undeclared_commands = false;  ///< keys with the role submit may run any program as the service's user
  std::map<std::string, TaskType> types;
  double ageing = 600;       ///< in which a task that waits rises one level of priority
  int64_t retries = 2;       ///< after attempts that failed for no fault of the program's: see docs/serve/tasks.md
  double cancel_grace = 10;  ///< between SIGTERM and SIGKILL
  int64_t output_limit = 10 << 20;          ///< bytes that are kept of each stream of a task
  int64_t output_total_limit = 10LL << 30;  ///< bytes of all tasks' files; beyond it submissions are refused
  double drain_timeout = 30;                ///< on SIGTERM, for requests to workers
  double keep_days = 30;                    ///< that tasks which are over are kept
  double worker_timeout = 300;              ///< of a request to a worker
  TaskProfiles profiles;
};

struct Sonde {
  Server server;
  Devices devices;
  History history;
  Alerts alerts;
  Cost cost;
  Tasks tasks;
};

struct Config {
  Gpu gpu;
  Sonde sonde;
};

}  // namespace sonde::config
