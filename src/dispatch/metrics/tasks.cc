#include <array>

#include "dispatch/metrics/family.h"

namespace sonde::dispatch {
namespace tasks {
namespace {

void submitted(const TaskScrape& scrape, TaskSamples& out) {
  for (const auto& [type, count] : scrape.queue.counts.submitted) out.add({{"type", type}}, count);
}

void ended(const TaskScrape& scrape, TaskSamples& out) {
  for (const auto& [of, count] : scrape.queue.counts.ended) {
    out.add({{"type", of.first}, {"outcome", of.second}}, count);
  }
}

void refused(const TaskScrape& scrape, TaskSamples& out) {
  for (const auto& [code, count] : scrape.queue.counts.refused) out.add({{"code", code}}, count);
}

void retries(const TaskScrape& scrape, TaskSamples& out) {
  for (const auto& [cause, count] : scrape.queue.counts.retries) out.add({{"cause", cause}}, count);
}

void out_of_memory(const TaskScrape& scrape, TaskSamples& out) {
  for (const auto& [type, count] : scrape.queue.counts.out_of_memory) out.add({{"type", type}}, count);
}

void running(const TaskScrape& scrape, TaskSamples& out) {
  const auto count = scrape.queue.engine.by_state.find(TaskState::running);
  out.add({}, count == scrape.queue.engine.by_state.end() ? int64_t{0} : count->second);
}

void on_gpu(const TaskScrape& scrape, TaskSamples& out) {
  for (const QueueSnapshot::OnGpu& gpu : scrape.queue.gpus) out.add({{"uuid", gpu.uuid}}, gpu.tasks);
}

void reserved(const TaskScrape& scrape, TaskSamples& out) {
  for (const QueueSnapshot::OnGpu& gpu : scrape.queue.gpus) out.add({{"uuid", gpu.uuid}}, gpu.reserved_bytes);
}

void store_up(const TaskScrape& scrape, TaskSamples& out) {
  out.add({}, int64_t{scrape.queue.trouble.empty() ? 1 : 0});
}

void files(const TaskScrape& scrape, TaskSamples& out) { out.add({}, scrape.file_bytes); }

constexpr auto kMetrics = std::to_array<TaskMetric>({
    {.name = "sonde_tasks_submitted_total",
     .kind = MetricKind::counter,
     .labels = "type",
     .help = "Tasks accepted, by type.",
     .collect = submitted},
    {.name = "sonde_tasks_ended_total",
     .kind = MetricKind::counter,
     .labels = "type, outcome",
     .help = "Tasks finished, by type and outcome: succeeded, or the cause of the end.",
     .collect = ended},
    {.name = "sonde_tasks_refused_total",
     .kind = MetricKind::counter,
     .labels = "code",
     .help = "Tasks rejected at submission, by problem code: queue_full, not_saved.",
     .collect = refused},
    {.name = "sonde_task_retries_total",
     .kind = MetricKind::counter,
     .labels = "cause",
     .help = "Failed attempts that are retried, by cause.",
     .collect = retries},
    {.name = "sonde_task_out_of_memory_total",
     .kind = MetricKind::counter,
     .labels = "type",
     .help = "Attempts that ran out of GPU memory, retried or not.",
     .collect = out_of_memory},
    {.name = "sonde_tasks_running", .help = "Running tasks.", .collect = running},
    {.name = "sonde_gpu_tasks", .labels = "uuid", .help = "Tasks running on a GPU.", .collect = on_gpu},
    {.name = "sonde_gpu_reserved_memory_bytes",
     .labels = "uuid",
     .help = "GPU memory reserved for the tasks that run on the GPU.",
     .collect = reserved},
    {.name = "sonde_task_store_up",
     .help = "1 if tasks can be saved, 0 if not (disk full, read-only); no task is accepted or started then.",
     .collect = store_up},
    {.name = "sonde_task_files_bytes",
     .help = "Disk space used by the output and other files of all tasks.",
     .collect = files},
});

}  // namespace
}  // namespace tasks

extern constinit const TaskFamily tasks_family;
constinit const TaskFamily tasks_family{
    .name = "tasks",
    .title = "Tasks",
    .key = "gpu.monitoring.task_metrics",
    .is_on = [](const config::Monitoring& monitoring) { return monitoring.task_metrics; },
    .metrics = tasks::kMetrics};

}  // namespace sonde::dispatch
