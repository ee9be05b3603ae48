#include "dispatch/executor/task_folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace sonde::dispatch {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenLooks{5};  ///< at what grows
constexpr int64_t kBlock = 512;                   ///< of st_blocks: stat(2)

int64_t allocated(const std::string& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0 ? int64_t{found.st_blocks} * kBlock : 0;
}

/// Without following links. What disappears meanwhile, or may not be read, is not counted.
int64_t size_of(const std::string& path) {
  int64_t sum = allocated(path);
  std::error_code error;
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) sum += allocated(at->path().string());
  return sum;
}

/// A task may have taken rights off its own folders.
void give_rights_back(const std::string& path) {
  std::error_code error;
  fs::permissions(path, fs::perms::owner_all, error);
  fs::recursive_directory_iterator at(path, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (!at->is_symlink(ignored) && at->is_directory(ignored))
      fs::permissions(at->path(), fs::perms::owner_all, ignored);
  }
}

void remove_all(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  give_rights_back(path);
  fs::remove_all(path, error);
}

std::optional<int64_t> task_of(std::string_view name) {
  int64_t task = 0;
  const char* const end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data(), end, task);
  if (error != std::errc{} || last != end) return std::nullopt;
  return task;
}

}  // namespace

TaskFolders::TaskFolders(std::string folder) : folder_(std::move(folder)) {
  thread_ = std::thread([this] { run(); });
}

TaskFolders::~TaskFolders() {
  stops_ = true;
  {
    const std::scoped_lock lock(mutex_);
    work_.push_back({.what = Work::stop});
  }
  changed_.notify_one();
  thread_.join();
}

std::string TaskFolders::path_of(int64_t task) const { return folder_ + "/" + std::to_string(task); }

void TaskFolders::grows(int64_t task) {
  bool is_first = false;
  {
    const std::scoped_lock lock(mutex_);
    is_first = growing_.empty();
    growing_.insert(task);
  }
  if (is_first) changed_.notify_one();  // the thread looks at the clock from now on
}

void TaskFolders::settled(int64_t task) {
  {
    const std::scoped_lock lock(mutex_);
    growing_.erase(task);
    work_.push_back({.what = Work::measure, .task = task});
  }
  changed_.notify_one();
}

void TaskFolders::remove(int64_t task) {
  {
    const std::scoped_lock lock(mutex_);
    work_.push_back({.what = Work::remove, .task = task});
  }
  changed_.notify_one();
}

void TaskFolders::remove_attempt(int64_t task, int64_t attempt) {
  {
    const std::scoped_lock lock(mutex_);
    work_.push_back({.what = Work::remove, .task = task, .attempt = attempt});
  }
  changed_.notify_one();
}

int64_t TaskFolders::bytes() const {
  asked_ = true;
  return total_;
}

void TaskFolders::run() {
  look_at_all();
  while (const auto work = next()) {
    if (work->what == Work::stop) return;
    if (work->what == Work::measure) measure(work->task);
    if (work->what == Work::remove) remove_now(*work);
  }
}

void TaskFolders::remove_now(const Work& work) {
  const std::string folder = path_of(work.task);
  if (work.attempt == 0) {
    remove_all(folder);
  } else {
    const std::string files = folder + "/" + std::to_string(work.attempt);
    for (const char* const ending : {"", ".stdout", ".stdout.tail", ".stderr", ".stderr.tail"})
      remove_all(files + ending);
    rmdir(folder.c_str());  // where no other attempt is left
  }
  measure(work.task);
}

void TaskFolders::look_at_all() {
  std::error_code error;
  for (fs::directory_iterator at(folder_, error); !error && at != fs::directory_iterator() && !stops_;
       at.increment(error)) {
    if (const auto task = task_of(at->path().filename().string())) measure(*task);
  }
}

/// Waits; looks at what grows meanwhile.
std::optional<TaskFolders::Work> TaskFolders::next() {
  std::unique_lock lock(mutex_);
  while (work_.empty() || is_look_due()) {
    if (growing_.empty()) {
      changed_.wait(lock);
    } else if (!is_look_due()) {
      changed_.wait_until(lock, next_look_);
    } else {
      lock.unlock();
      if (asked_.exchange(false)) measure_growing();
      next_look_ = std::chrono::steady_clock::now() + kBetweenLooks;
      lock.lock();
    }
  }
  const Work work = work_.front();
  work_.pop_front();
  return work;
}

/// However much other work there is.
bool TaskFolders::is_look_due() const { return !growing_.empty() && std::chrono::steady_clock::now() >= next_look_; }

void TaskFolders::measure_growing() {
  std::set<int64_t> growing;
  {
    const std::scoped_lock lock(mutex_);
    growing = growing_;
  }
  for (const int64_t task : growing) measure(task);
}

void TaskFolders::measure(int64_t task) { set_size(task, size_of(path_of(task))); }

void TaskFolders::set_size(int64_t task, int64_t bytes) {
  int64_t& size = sizes_[task];
  total_ += bytes - size;
  size = bytes;
  if (bytes == 0) sizes_.erase(task);
}

}  // namespace sonde::dispatch
