// Measures saving of tasks: new tasks in groups of 1, 16 and 256 per save, each synced before save() returns.
//   task_store FOLDER TASKS
// FOLDER is on the measured disk. Prints one line "disk MEDIAN P99": microseconds of a sync of 4 KiB appended to a
// file; then one line per group size "save SIZE TASKS_PER_S PROCESSOR_US MEDIAN P99 LONGEST": tasks per second,
// processor time per task and times of a save in microseconds; then "restore TASKS OPEN RESTORE", in microseconds.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dispatch/store.h"

namespace {

using namespace sonde::dispatch;  // NOLINT(google-build-using-namespace): a program of its own
using std::chrono::steady_clock;

constexpr int kSyncs = 300;

double us_since(steady_clock::time_point began) {
  return std::chrono::duration<double, std::micro>(steady_clock::now() - began).count();
}

double processor_us() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto us = [](const timeval& t) { return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec); };
  return us(use.ru_utime) + us(use.ru_stime);
}

double percentile(std::vector<double>& values, double part) {
  std::ranges::sort(values);
  return values.at(static_cast<size_t>(part * static_cast<double>(values.size() - 1)));
}

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "task_store: {}\n", why);
  std::exit(1);
}

void measure_disk(const std::string& folder) {
  const std::string path = folder + "/sync_probe";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) give_up("cannot write " + path);
  const std::string page(4096, 'x');
  std::vector<double> times;
  for (int i = 0; i < kSyncs; ++i) {
    const auto began = steady_clock::now();
    if (write(file, page.data(), page.size()) < 0 || fdatasync(file) != 0) give_up("cannot sync " + path);
    times.push_back(us_since(began));
  }
  close(file);
  unlink(path.c_str());
  fmt::print("disk {:.0f} {:.0f}\n", percentile(times, 0.5), percentile(times, 0.99));
}

Task new_task(int64_t id) {
  Task task;
  task.id = id;
  task.spec.name = fmt::format("run {}", id);
  task.spec.type = "training";
  task.spec.priority = "normal";
  task.spec.command = {"/usr/bin/python3", "/data/project/train.py", "--learning-rate", "0.0003", "--seed", "17"};
  task.spec.environment = {{"OMP_NUM_THREADS", "8"}};
  task.spec.submitted_by = "ci";
  task.spec.idempotency_key = fmt::format("pipeline-{}", id);
  task.submitted_ns = task.ready_ns = 1'700'000'000'000'000'000 + id;
  return task;
}

void measure_saves(TaskStore& store, size_t size, int64_t count, int64_t& last_id) {
  std::vector<double> times;
  std::vector<Task> group(size);
  const auto began = steady_clock::now();
  const double processor = processor_us();
  for (int64_t saved = 0; saved < count; saved += static_cast<int64_t>(size)) {
    Changes changes;
    for (Task& task : group) changes.tasks.push_back(&(task = new_task(++last_id)));
    const auto start = steady_clock::now();
    if (const auto done = store.save(changes); !done) give_up(done.error().message);
    times.push_back(us_since(start));
  }
  const auto tasks = static_cast<double>(times.size() * size);
  fmt::print("save {} {:.0f} {:.1f} {:.0f} {:.0f} {:.0f}\n", size, tasks / us_since(began) * 1e6,
             (processor_us() - processor) / tasks, percentile(times, 0.5), percentile(times, 0.99), times.back());
}

std::unique_ptr<TaskStore> opened(const std::string& folder) {
  auto store = TaskStore::open(folder);
  if (!store) give_up(store.error().message);
  return std::move(*store);
}

void measure_restore(const std::string& folder) {
  const auto began = steady_clock::now();
  const auto store = opened(folder);
  const double open_us = us_since(began);
  const auto start = steady_clock::now();
  const auto restored = store->restore();
  if (!restored) give_up(restored.error().message);
  fmt::print("restore {} {:.0f} {:.0f}\n", restored->tasks.size(), open_us, us_since(start));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const std::string folder = words[1];
  const int64_t tasks = std::atoll(words[2]);
  auto store = opened(folder);
  int64_t last_id = 0;
  measure_disk(folder);
  for (const size_t size : {1, 16, 256}) measure_saves(*store, size, size == 1 ? tasks / 10 : tasks, last_id);
  store.reset();
  measure_restore(folder);
  return 0;
}
