#include "sample_queue.h"

using namespace sonde::dispatch;

QueueSnapshot sample_queue() {
  QueueSnapshot queue;
  queue.engine.by_state = {{TaskState::blocked, 2}, {TaskState::waiting, 5}, {TaskState::running, 3}};
  queue.engine.waiting_by_priority = {{"high", 1}, {"low", 4}};
  queue.engine.queue_length = 7;
  queue.counts.submitted = {{"default", 40}, {"a \"type\"\nof tasks", 3}};
  queue.counts.ended = {{{"default", "succeeded"}, 25}, {{"default", "out_of_memory"}, 1}};
  queue.counts.refused = {{"queue_full", 2}};
  queue.counts.decisions = {{"least_loaded", 29}};
  queue.counts.out_of_memory = {{"default", 2}};
  queue.counts.retries = {{"lost", 1}};
  queue.counts.wait_bounds_s = {0.01, 1, 60};
  queue.counts.wait_buckets = {{"normal", {10, 5, 0, 1}}};
  queue.counts.wait_sum_s = {{"normal", 130.5}};
  queue.counts.longest_decision_s = 0.00025;
  queue.gpus = {{.uuid = "GPU-a", .tasks = 2, .reserved_bytes = 20'000'000'000}, {.uuid = "GPU-b"}};
  queue.oldest_ready_ns = 1'763'784'000'000'000'000;
  return queue;
}
