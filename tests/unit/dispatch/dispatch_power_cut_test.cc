#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "dispatch/cut_disk.h"
#include "dispatch/dispatch_tasks.h"

/// The store on a disk whose power goes: whatever save() returned for is there, and nothing in part.
namespace sonde::dispatch {
namespace dispatch_power_cut_test {

using sonde::power_cut::CutDisk;
using sonde::power_cut::Files;
using sonde::power_cut::PowerCut;

const std::string kFolder = "/state";

/// All that a store is to hold, by other means than its own.
struct Book {
  std::map<int64_t, Task> tasks;
  std::map<int64_t, Batch> batches;
  std::map<int64_t, Decision> decisions;

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& [id, task] : tasks) all += line_of(task);
    for (const auto& [id, batch] : batches) all += fmt::format("batch {}: {}\n", id, fmt::join(batch.tasks, " "));
    for (const auto& [id, decision] : decisions) {
      all += fmt::format("decision on {}: {}, {} GPUs\n", id, decision.strategy, decision.gpus.size());
    }
    return all;
  }

 private:
  static std::string line_of(const Task& task) {
    return fmt::format("{}: {} of batch {}, {} .. {}, {} attempts: {}\n", task.id, state_name(task.state), task.batch,
                       task.started_ns.value_or(-1), task.ended_ns.value_or(-1), task.attempts.size(),
                       fmt::join(task.spec.command, " "));
  }
};

/// The same of a store; an error's text where it cannot be read.
std::string text_of(const TaskStore& store) {
  Book book;
  TaskQuery query;
  query.max = 1'000'000;
  const auto tasks = store.list(query);
  if (!tasks) return tasks.error().message;
  for (const Task& task : *tasks) {
    book.tasks[task.id] = task;
    const auto decisions = store.decisions(task.id);
    if (!decisions) return decisions.error().message;
    if (!decisions->empty()) book.decisions[task.id] = decisions->front();
  }
  const auto batches = store.list_batches(0, 1'000'000);
  if (!batches) return batches.error().message;
  for (const Batch& batch : *batches) book.batches[batch.id] = batch;
  return book.text();
}

/// What a service does in a while, drawn by a seed: submits, starts, ends, and removes what is old.
class Service {
 public:
  explicit Service(uint64_t seed) : random_(seed) {}

  [[nodiscard]] const Book& book() const { return book_; }

  /// One save. Where it fails the book stays as it was.
  Status act(TaskStore& store) {
    if (book_.tasks.size() > 20 && random_() % 8 == 0) return remove(store);
    Book next = book_;
    Changes changes;
    for (size_t count = 1 + random_() % 6; count > 0; --count) change(next, changes);
    if (random_() % 5 == 0) add_batch(next, changes);
    SONDE_TRY(store.save(changes));
    book_ = std::move(next);
    return {};
  }

 private:
  void change(Book& next, Changes& changes) {
    auto at = next.tasks.begin();
    std::advance(at, static_cast<int64_t>(random_() % (next.tasks.size() + 1)));
    if (at == next.tasks.end() || random_() % 4 == 0) {
      add_task(next, changes, 0);
    } else if (at->second.state == TaskState::waiting) {
      start(at->second, next, changes);
    } else if (at->second.state == TaskState::running) {
      end(at->second, changes);
    }
  }

  void add_task(Book& next, Changes& changes, int64_t batch) {
    Task task = small_task(++last_);
    task.spec.command.emplace_back(random_() % 300, 'x');
    task.batch = batch;
    changes.tasks.push_back(&(next.tasks[last_] = task));
  }

  void start(Task& task, Book& next, Changes& changes) {
    task.state = TaskState::running;
    task.started_ns = static_cast<int64_t>(random_() % 1000);
    task.attempts = {attempt_of(1, *task.started_ns)};
    Decision& decision = next.decisions[task.id];
    decision.task = task.id;
    decision.strategy = "least_loaded";
    decision.gpus.resize(4);
    changes.decisions.push_back(decision);
    changes.tasks.push_back(&task);
  }

  void end(Task& task, Changes& changes) {
    task.state = TaskState::succeeded;
    task.ended_ns = *task.started_ns + static_cast<int64_t>(random_() % 1000);
    task.attempts = {attempt_of(1, *task.started_ns, task.ended_ns)};
    changes.tasks.push_back(&task);
  }

  void add_batch(Book& next, Changes& changes) {
    Batch& batch = next.batches[++last_batch_];
    batch.id = last_batch_;
    for (int i = 0; i < 3; ++i) {
      add_task(next, changes, batch.id);
      batch.tasks.push_back(last_);
    }
    changes.batches.push_back(&batch);
  }

  Status remove(TaskStore& store) {
    const auto removed = store.remove_ended_before(1000);
    if (!removed) return std::unexpected(removed.error());
    for (const int64_t id : *removed) {
      book_.tasks.erase(id);
      book_.decisions.erase(id);
    }
    std::erase_if(book_.batches, [&](const auto& batch) {
      return std::ranges::none_of(batch.second.tasks, [&](int64_t id) { return book_.tasks.contains(id); });
    });
    return {};
  }

  Book book_;
  std::mt19937_64 random_;
  int64_t last_ = 0;
  int64_t last_batch_ = 0;
};

/// What was on the disk for sure after so many operations of it.
struct Mark {
  size_t operations = 0;
  std::string text;
};

/// Opens a store again and again, and says after each save what it has to hold from then on.
std::vector<Mark> run_service(CutDisk& disk, uint64_t seed, int saves, int saves_between_openings) {
  Service service(seed);
  std::vector<Mark> marks = {{.operations = 0, .text = ""}};
  std::unique_ptr<TaskStore> store;
  for (int i = 0; i < saves; ++i) {
    if (i % saves_between_openings == 0) {
      store.reset();
      auto opened = TaskStore::open(kFolder, disk.name());
      EXPECT_TRUE(opened) << opened.error().message;
      if (!opened) return marks;
      store = std::move(*opened);
    }
    const Status saved = service.act(*store);
    EXPECT_TRUE(saved) << saved.error().message;
    marks.push_back({.operations = disk.operations(), .text = service.book().text()});
  }
  EXPECT_EQ(text_of(*store), service.book().text());
  return marks;
}

/// SQLite's own judgement.
std::string integrity(const CutDisk& disk) {
  sqlite3* db = nullptr;
  std::string said;
  EXPECT_EQ(sqlite3_open_v2((kFolder + "/tasks.db").c_str(), &db, SQLITE_OPEN_READWRITE, disk.name().c_str()),
            SQLITE_OK);
  const auto take = [](void* into, int, char** values, char**) {
    *static_cast<std::string*>(into) += values[0];
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(db, "PRAGMA integrity_check", take, &said, nullptr), SQLITE_OK);
  sqlite3_close(db);
  return said;
}

/// After a cut the store holds what it held at the last mark before, or at the one after that: a save that did not
/// return may have been done, but wholly. Then it works on.
void check_cut(const PowerCut& cut, PowerCut::Kept kept, std::mt19937_64& random, const Mark& before,
               const Mark& after) {
  CutDisk disk(cut.files(kept, random));
  auto store = TaskStore::open(kFolder, disk.name());
  ASSERT_TRUE(store) << store.error().message;
  const std::string text = text_of(**store);
  ASSERT_TRUE(text == before.text || text == after.text) << text << "instead of\n"
                                                         << before.text << "or\n"
                                                         << after.text;
  ASSERT_EQ(integrity(disk), "ok");
  const auto restored = (*store)->restore();
  ASSERT_TRUE(restored) << restored.error().message;
  const Task task = small_task(restored->last_task + 1);
  ASSERT_TRUE((*store)->save(changes_of({task})));
  ASSERT_TRUE((*store)->find(task.id));
}

constexpr auto kAllKept = {PowerCut::Kept::nothing, PowerCut::Kept::all, PowerCut::Kept::some};

/// Cuts the power after each `step`th operation, from the `first`.
void check_cuts(const CutDisk& disk, const std::vector<Mark>& marks, uint64_t seed, size_t first, size_t step) {
  std::mt19937_64 random(seed);
  PowerCut cut(disk);
  size_t mark = 0;
  for (size_t operations = first; operations <= disk.operations(); operations += step) {
    cut.move_to(operations);
    while (mark + 1 < marks.size() && marks[mark + 1].operations <= operations) ++mark;
    for (const auto kept : kAllKept) {
      check_cut(cut, kept, random, marks[mark], marks[std::min(mark + 1, marks.size() - 1)]);
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "cut after operation " << operations << " of seed " << seed;
    }
  }
}

TEST(DispatchPowerCut, AfterEachOperationOfTheDisk) {
  CutDisk disk;
  const std::vector<Mark> marks = run_service(disk, 1, 24, 8);
  check_cuts(disk, marks, 1, 0, 1);
}

TEST(DispatchPowerCut, AnywhereInLongerRuns) {
  for (const uint64_t seed : {2U, 3U}) {
    CutDisk disk;
    const std::vector<Mark> marks = run_service(disk, seed, 400, 1000);
    check_cuts(disk, marks, seed, 11 * seed, disk.operations() / 40);
  }
}

}  // namespace dispatch_power_cut_test
}  // namespace sonde::dispatch
