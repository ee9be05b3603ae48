#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fmt/format.h>

#include "dispatch/cut_disk.h"
#include "dispatch/dispatch_tasks.h"

namespace sonde::dispatch {
namespace dispatch_store_test {

using namespace std::string_literals;

namespace fs = std::filesystem;
using sonde::power_cut::CutDisk;

/// A folder of its own for each test, gone afterwards.
class DispatchStore : public ::testing::Test {
 protected:
  DispatchStore()
      : folder_(fs::temp_directory_path() /
                fmt::format("sonde_store_{}_{}", getpid(),
                            ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
  }
  ~DispatchStore() override { fs::remove_all(folder_); }
  DispatchStore(const DispatchStore&) = delete;
  DispatchStore& operator=(const DispatchStore&) = delete;

  std::unique_ptr<TaskStore> open() {
    auto store = TaskStore::open(folder_);
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }
  std::string why_not() const {
    const auto store = TaskStore::open(folder_);
    return store ? "" : store.error().message;
  }
  std::string file() const { return folder_ / "tasks.db"; }
  /// By another program.
  void run_sql(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  fs::path folder_;
};

/// Texts that somebody may send: bytes that end strings, are no UTF-8, or are many.
const std::string kHostile = "a\0b\xff\xc3\x28 \"\\\n\t\x01\x7f\xed\xa0\x80"s;

Task whole_task() {
  Task task;
  task.id = 7;
  task.spec = {.name = kHostile,
               .type = "train " + kHostile,
               .priority = "high",
               .command = {"python", kHostile, "", "ä€😀", std::string(1 << 20, 'x')},
               .environment = {{"KEY", kHostile}, {kHostile, "value"}, {"", ""}},
               .folder = "/data/" + kHostile,
               .inference = Inference{.model = "resnet", .version = "3", .request = R"({"inputs":[]})" + kHostile},
               .workers = {{"gpu_0", "http://127.0.0.1:8000"}, {"GPU-1", "http://[::1]:8001"}},
               .gpus = 3,
               .memory_bytes = 16LL << 30,
               .time_limit_ns = 7'200'000'000'001,
               .strategy = "least_loaded",
               .after = {1, 2, 9'000'000'000'000'000'000},
               .retries = 4,
               .retry_failures = true,
               .submitted_by = "ci " + kHostile,
               .idempotency_key = "key " + kHostile,
               .profile = false,
               .simulated_utilization_percent = 33.3,
               .simulated_memory_bytes = 5};
  task.state = TaskState::failed;
  task.cause = EndCause::out_of_memory;
  task.reason = "ran out " + kHostile;
  task.batch = 12;
  task.submitted_ns = 1'763'784'000'123'456'789;
  task.ready_ns = 1'763'784'000'123'456'790;
  task.started_ns = -5;
  task.ended_ns = 1'763'784'100'000'000'001;
  for (const auto source : {MemorySource::declared, MemorySource::learned, MemorySource::share}) {
    Attempt attempt = attempt_of(static_cast<int64_t>(task.attempts.size()) + 1, 17, 18);
    attempt.gpus = {"GPU-0", kHostile};
    attempt.reserved_bytes = 80LL << 30;
    attempt.memory_source = source;
    attempt.exit_status = 0;
    attempt.signal = 9;
    attempt.message = "said " + kHostile;
    attempt.peak_bytes = 0;
    attempt.recorded = true;
    task.attempts.push_back(attempt);
  }
  task.attempts.push_back(attempt_of(4, 19));
  task.cancelling = true;
  task.cancelled_by = "ops " + kHostile;
  task.least_room_bytes = 1;
  task.only_gpus = {"GPU-0", kHostile};
  return task;
}

void expect_same(const TaskSpec& a, const TaskSpec& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.priority, b.priority);
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.environment, b.environment);
  EXPECT_EQ(a.folder, b.folder);
  ASSERT_EQ(a.inference.has_value(), b.inference.has_value());
  if (a.inference) {
    EXPECT_EQ(a.inference->model, b.inference->model);
    EXPECT_EQ(a.inference->version, b.inference->version);
    EXPECT_EQ(a.inference->request, b.inference->request);
  }
  EXPECT_EQ(a.workers, b.workers);
  EXPECT_EQ(a.gpus, b.gpus);
  EXPECT_EQ(a.memory_bytes, b.memory_bytes);
  EXPECT_EQ(a.time_limit_ns, b.time_limit_ns);
  EXPECT_EQ(a.strategy, b.strategy);
  EXPECT_EQ(a.after, b.after);
  EXPECT_EQ(a.retries, b.retries);
  EXPECT_EQ(a.retry_failures, b.retry_failures);
  EXPECT_EQ(a.submitted_by, b.submitted_by);
  EXPECT_EQ(a.idempotency_key, b.idempotency_key);
  EXPECT_EQ(a.profile, b.profile);
  EXPECT_EQ(a.simulated_utilization_percent, b.simulated_utilization_percent);
  EXPECT_EQ(a.simulated_memory_bytes, b.simulated_memory_bytes);
}

void expect_same(const Attempt& a, const Attempt& b) {
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.gpus, b.gpus);
  EXPECT_EQ(a.gpu_name, b.gpu_name);
  EXPECT_EQ(a.reserved_bytes, b.reserved_bytes);
  EXPECT_EQ(a.memory_source, b.memory_source);
  EXPECT_EQ(a.started_ns, b.started_ns);
  EXPECT_EQ(a.ended_ns, b.ended_ns);
  EXPECT_EQ(a.cause, b.cause);
  EXPECT_EQ(a.exit_status, b.exit_status);
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.peak_bytes, b.peak_bytes);
  EXPECT_EQ(a.recorded, b.recorded);
}

void expect_same(const Task& a, const Task& b) {
  EXPECT_EQ(a.id, b.id);
  expect_same(a.spec, b.spec);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.cause, b.cause);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.batch, b.batch);
  EXPECT_EQ(a.submitted_ns, b.submitted_ns);
  EXPECT_EQ(a.ready_ns, b.ready_ns);
  EXPECT_EQ(a.started_ns, b.started_ns);
  EXPECT_EQ(a.ended_ns, b.ended_ns);
  ASSERT_EQ(a.attempts.size(), b.attempts.size());
  for (size_t i = 0; i < a.attempts.size(); ++i) expect_same(a.attempts[i], b.attempts[i]);
  EXPECT_EQ(a.cancelling, b.cancelling);
  EXPECT_EQ(a.cancelled_by, b.cancelled_by);
  EXPECT_EQ(a.least_room_bytes, b.least_room_bytes);
  EXPECT_EQ(a.only_gpus, b.only_gpus);
}

Task found(const TaskStore& store, int64_t id) {
  const auto task = store.find(id);
  EXPECT_TRUE(task) << task.error().message;
  EXPECT_TRUE(task && *task) << id;
  return task && *task ? **task : Task();
}

std::vector<int64_t> ids(const Result<std::vector<Task>>& tasks) {
  EXPECT_TRUE(tasks) << tasks.error().message;
  std::vector<int64_t> list;
  for (const Task& task : *tasks) list.push_back(task.id);
  return list;
}

TEST_F(DispatchStore, EveryMemberOfATaskComesBack) {
  const Task whole = whole_task();
  const Task bare = small_task(8);
  Task blank;
  blank.id = 9;
  blank.spec.command.clear();
  {
    const auto store = open();
    ASSERT_TRUE(store->save(changes_of({whole, bare, blank})));
    expect_same(found(*store, 7), whole);
  }
  const auto store = open();
  expect_same(found(*store, 7), whole);
  expect_same(found(*store, 8), bare);
  expect_same(found(*store, 9), blank);
  EXPECT_FALSE(*store->find(1'000'000));
}

TEST_F(DispatchStore, AChangedTaskIsSavedWithAllThatChanges) {
  const auto store = open();
  Task task = whole_task();
  task.state = TaskState::waiting;
  task.cause = EndCause::none;
  task.attempts.clear();
  task.started_ns.reset();
  task.ended_ns.reset();
  task.reason.clear();
  task.batch = 0;
  task.only_gpus.clear();
  task.least_room_bytes.reset();
  task.cancelling = false;
  task.cancelled_by.clear();
  ASSERT_TRUE(store->save(changes_of({task})));
  expect_same(found(*store, 7), task);
  const Task whole = whole_task();
  ASSERT_TRUE(store->save(changes_of({whole})));
  expect_same(found(*store, 7), whole);
  ASSERT_TRUE(store->save(changes_of({task})));
  expect_same(found(*store, 7), task);
}

TEST_F(DispatchStore, DecisionsBatchesAndProfilesComeBack) {
  const auto store = open();
  Decision decision{.task = 7,
                    .attempt = 2,
                    .moment_ns = 5,
                    .strategy = "task_specific",
                    .note = "no mapping for " + kHostile,
                    .gpus = {},
                    .waiting = 3};
  decision.gpus.push_back(
      {.gpu = 0, .uuid = "GPU-0", .refusals = {}, .score = 0.1, .score_text = "10 %", .chosen = true});
  decision.gpus.push_back(
      {.gpu = 63,
       .uuid = kHostile,
       .refusals = {{.rule = "memory_room", .reason = kHostile, .unblocked = "", .is_for_good = true},
                    {.rule = "health", .reason = "lost", .unblocked = "a reset", .is_for_good = false}},
       .score = {},
       .score_text = {},
       .chosen = false});
  decision.gpus.push_back(
      {.gpu = 2, .uuid = "GPU-2", .refusals = {}, .score = std::nan(""), .score_text = "no", .chosen = false});
  const Batch batch{.id = 4,
                    .name = kHostile,
                    .submitted_by = "ci",
                    .idempotency_key = "k",
                    .submitted_ns = 6,
                    .tasks = {7, 8, 9},
                    .split = {{"GPU-0", 2}, {kHostile, 1}}};
  Task task = small_task(7);
  Changes changes = changes_of({});
  changes.tasks = {&task};
  changes.batches = {&batch};
  changes.decisions = {decision};
  ASSERT_TRUE(store->save(changes));

  const auto decisions = store->decisions(7);
  ASSERT_TRUE(decisions && decisions->size() == 1);
  const Decision& back = decisions->front();
  EXPECT_EQ(back.task, 7);
  EXPECT_EQ(back.attempt, 2);
  EXPECT_EQ(back.moment_ns, 5);
  EXPECT_EQ(back.strategy, decision.strategy);
  EXPECT_EQ(back.note, decision.note);
  EXPECT_EQ(back.waiting, 3);
  ASSERT_EQ(back.gpus.size(), 3);
  EXPECT_TRUE(std::isnan(*back.gpus[2].score));
  for (size_t i = 0; i < 3; ++i) {
    const Judgement& a = back.gpus[i];
    const Judgement& b = decision.gpus[i];
    EXPECT_EQ(a.gpu, b.gpu);
    EXPECT_EQ(a.uuid, b.uuid);
    EXPECT_EQ(a.score_text, b.score_text);
    EXPECT_EQ(a.chosen, b.chosen);
    if (i < 2) {
      EXPECT_EQ(a.score, b.score);
    }
    ASSERT_EQ(a.refusals.size(), b.refusals.size());
    for (size_t r = 0; r < a.refusals.size(); ++r) {
      EXPECT_EQ(a.refusals[r].rule, b.refusals[r].rule);
      EXPECT_EQ(a.refusals[r].reason, b.refusals[r].reason);
      EXPECT_EQ(a.refusals[r].unblocked, b.refusals[r].unblocked);
      EXPECT_EQ(a.refusals[r].is_for_good, b.refusals[r].is_for_good);
    }
  }

  const auto batches = store->list_batches(0, 10);
  ASSERT_TRUE(batches && batches->size() == 1);
  for (const Batch& b : {batches->front(), **store->find_batch(4)}) {
    EXPECT_EQ(b.id, 4);
    EXPECT_EQ(b.name, batch.name);
    EXPECT_EQ(b.submitted_by, "ci");
    EXPECT_EQ(b.idempotency_key, "k");
    EXPECT_EQ(b.submitted_ns, 6);
    EXPECT_EQ(b.tasks, batch.tasks);
    EXPECT_EQ(b.split, batch.split);
  }
  EXPECT_TRUE(store->list_batches(4, 10)->empty());

  ProfileRecord profile{.task = 7,
                        .attempt = 2,
                        .why = "every 100",
                        .state = "recording",
                        .file = "/x",
                        .findings = "",
                        .trouble = "",
                        .moment_ns = 9};
  ASSERT_TRUE(store->save(profile));
  profile.state = "done";
  profile.findings = "[1]";
  profile.trouble = kHostile;
  ASSERT_TRUE(store->save(profile));
  for (const auto& list : {store->profiles(7), store->profiles_of_type("default", 5)}) {
    ASSERT_TRUE(list && list->size() == 1);
    EXPECT_EQ(list->front().task, 7);
    EXPECT_EQ(list->front().attempt, 2);
    EXPECT_EQ(list->front().why, "every 100");
    EXPECT_EQ(list->front().state, "done");
    EXPECT_EQ(list->front().file, "/x");
    EXPECT_EQ(list->front().findings, "[1]");
    EXPECT_EQ(list->front().trouble, kHostile);
    EXPECT_EQ(list->front().moment_ns, 9);
  }
  EXPECT_TRUE(store->profiles_of_type("other", 5)->empty());
  EXPECT_TRUE(store->profiles(8)->empty());
}

TEST_F(DispatchStore, TasksAreListedByWhatIsAskedTheNewestFirst) {
  const auto store = open();
  std::vector<Task> tasks;
  for (int64_t id = 1; id <= 60; ++id) {
    tasks.push_back(small_task(id, static_cast<TaskState>(id % 6)));
    if (id % 4 == 0) tasks.back().spec.type = "train";
    if (id % 5 == 0) tasks.back().spec.submitted_by = "anna";
    if (id > 30) tasks.back().batch = 2;
  }
  ASSERT_TRUE(store->save(changes_of(tasks)));
  const auto asked = [&](const TaskQuery& query) {
    std::vector<int64_t> wanted;
    for (auto task = tasks.rbegin(); task != tasks.rend() && std::cmp_less(wanted.size(), query.max); ++task) {
      const bool in_state = query.states.empty() || std::ranges::find(query.states, task->state) != query.states.end();
      if (in_state && (query.type.empty() || query.type == task->spec.type) &&
          (query.submitted_by.empty() || query.submitted_by == task->spec.submitted_by) &&
          (query.batch == 0 || query.batch == task->batch) && (query.before_id == 0 || task->id < query.before_id)) {
        wanted.push_back(task->id);
      }
    }
    EXPECT_EQ(ids(store->list(query)), wanted);
  };
  const std::vector<std::vector<TaskState>> states = {
      {}, {TaskState::waiting}, {TaskState::cancelled, TaskState::blocked, TaskState::blocked}};
  for (const auto& state : states) {
    for (const char* const type : {"", "train", "none"}) {
      for (const char* const by : {"", "anna"}) {
        for (const int64_t batch : {0, 2, 3}) {
          for (const int64_t before : {0, 1, 33, 1000}) {
            for (const int64_t max : {0, 1, 7, 100}) asked({state, type, by, batch, before, max});
          }
        }
      }
    }
  }
}

TEST_F(DispatchStore, AKeyFindsTheFirstTaskOfItsSubmitter) {
  const auto store = open();
  std::vector<Task> tasks = {small_task(1), small_task(2), small_task(3), small_task(4)};
  for (Task& task : tasks) task.spec.idempotency_key = "nightly";
  tasks[2].spec.submitted_by = "anna";
  tasks[3].spec.idempotency_key = "";
  Batch batch{
      .id = 9, .name = {}, .submitted_by = "ci", .idempotency_key = "b", .submitted_ns = 0, .tasks = {}, .split = {}};
  Changes changes = changes_of(tasks);
  changes.batches = {&batch};
  ASSERT_TRUE(store->save(changes));
  EXPECT_EQ(store->task_of_key("ci", "nightly"), 1);
  EXPECT_EQ(store->task_of_key("anna", "nightly"), 3);
  EXPECT_EQ(store->task_of_key("anna", "other"), 0);
  EXPECT_EQ(store->task_of_key("ci", ""), 0);
  EXPECT_EQ(store->batch_of_key("ci", "b"), 9);
  EXPECT_EQ(store->batch_of_key("anna", "b"), 0);
}

TEST_F(DispatchStore, WhatWasNotOverIsRestoredWithWhatItComesAfter) {
  {
    const auto store = open();
    std::vector<Task> tasks = {ended_task(1, 100), ended_task(2, 50), small_task(3), small_task(4, TaskState::blocked),
                               small_task(5, TaskState::running)};
    tasks[3].spec.after = {2, 3, 77};
    tasks[3].batch = 6;
    tasks[4].attempts = {attempt_of(1, 10, 20), attempt_of(2, 30)};
    tasks[4].attempts[0].cause = EndCause::out_of_memory;
    tasks[4].started_ns = 10;
    const Batch mine{
        .id = 6, .name = {}, .submitted_by = {}, .idempotency_key = {}, .submitted_ns = 0, .tasks = {4}, .split = {}};
    const Batch other{
        .id = 8, .name = {}, .submitted_by = {}, .idempotency_key = {}, .submitted_ns = 0, .tasks = {1}, .split = {}};
    Changes changes = changes_of(tasks);
    changes.batches = {&mine, &other};
    ASSERT_TRUE(store->save(changes));
  }
  const auto restored = open()->restore();
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(ids(restored->tasks), (std::vector<int64_t>{2, 3, 4, 5}));
  ASSERT_EQ(restored->batches.size(), 1);
  EXPECT_EQ(restored->batches[0].id, 6);
  EXPECT_EQ(restored->last_task, 5);
  EXPECT_EQ(restored->last_batch, 8);
  ASSERT_EQ(restored->measured.size(), 3);
  EXPECT_TRUE(restored->measured[0].out_of_memory);
  EXPECT_FALSE(restored->measured[0].run_ns);
  EXPECT_EQ(restored->measured[1].ended_ns, 50);
  EXPECT_EQ(restored->measured[2].ended_ns, 100);
  EXPECT_EQ(restored->measured[2].run_ns, 10);
  EXPECT_EQ(restored->measured[2].gpu_name, "NVIDIA H100 80GB HBM3");
}

TEST_F(DispatchStore, WhatIsLearnedFromIsTheLastOfEachType) {
  const auto store = open();
  std::vector<Task> tasks;
  for (int64_t id = 1; id <= 500; ++id) {
    tasks.push_back(ended_task(id, id));
    if (id == 10) tasks.back().spec.type = "rare";
  }
  ASSERT_TRUE(store->save(changes_of(tasks)));
  const auto restored = store->restore();
  ASSERT_EQ(restored->measured.size(), 201);
  EXPECT_EQ(restored->measured[0].type, "rare");
  EXPECT_EQ(restored->measured[1].ended_ns, 301);
  EXPECT_EQ(restored->measured[200].ended_ns, 500);
}

TEST_F(DispatchStore, WhatEndedLongAgoIsRemovedButNoIdIsGivenTwice) {
  {
    const auto store = open();
    std::vector<Task> tasks;
    for (int64_t id = 1; id <= 1500; ++id) tasks.push_back(ended_task(id, 10'000 - id));
    tasks[0].batch = tasks[1499].batch = 3;  // the last end and the first
    tasks[1].batch = 4;
    Batch batch{
        .id = 3, .name = {}, .submitted_by = {}, .idempotency_key = {}, .submitted_ns = 0, .tasks = {}, .split = {}};
    Batch gone = batch;
    gone.id = 4;
    Changes changes = changes_of(tasks);
    changes.batches = {&batch, &gone};
    Decision decision;
    decision.task = 2;
    changes.decisions = {decision};
    ASSERT_TRUE(store->save(changes));
    ASSERT_TRUE(
        store->save({.task = 2, .attempt = 1, .why = {}, .state = {}, .file = {}, .findings = {}, .trouble = {}}));
    Task after = small_task(1501, TaskState::blocked);
    after.spec.after = {1000};
    ASSERT_TRUE(store->save(changes_of({after})));

    const auto first = store->remove_ended_before(9'999);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->size(), 1000);
    EXPECT_EQ(first->front(), 1500);
    EXPECT_TRUE(*store->find_batch(3)) << "one of its tasks is there";
    const auto second = store->remove_ended_before(9'999);
    EXPECT_EQ(second->size(), 498);
    EXPECT_TRUE(store->remove_ended_before(9'999)->empty());
    EXPECT_EQ(ids(store->list({})), (std::vector<int64_t>{1501, 1000, 1}));
    EXPECT_TRUE(*store->find_batch(3));
    EXPECT_FALSE(*store->find_batch(4));
    EXPECT_TRUE(store->decisions(2)->empty());
    EXPECT_TRUE(store->profiles(2)->empty());

    after.state = TaskState::cancelled;
    after.ended_ns = 5;
    ASSERT_TRUE(store->save(changes_of({after})));
    EXPECT_EQ(store->remove_ended_before(1'000'000)->size(), 3);
  }
  const auto restored = open()->restore();
  EXPECT_EQ(restored->last_task, 1501);
  EXPECT_EQ(restored->last_batch, 4);
}

TEST_F(DispatchStore, OnlyTheOwnerReadsIt) {
  const auto store = open();
  ASSERT_TRUE(store->save(changes_of({small_task(1)})));
  const auto mode = [](const std::string& path) {
    struct stat found{};
    EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 0777U;
  };
  EXPECT_EQ(mode(folder_), 0700U);
  EXPECT_EQ(mode(file()), 0600U);
  EXPECT_EQ(mode(file() + "-wal"), 0600U);
  EXPECT_EQ(mode(file() + "-shm"), 0600U);
}

TEST_F(DispatchStore, ABrokenFileIsRefusedAndKept) {
  fs::create_directories(folder_);
  std::ofstream(file()) << std::string(8192, 'x');
  EXPECT_NE(why_not().find("not a database"), std::string::npos) << why_not();
  EXPECT_NE(why_not().find("backup"), std::string::npos) << why_not();
  EXPECT_EQ(fs::file_size(file()), 8192);
}

TEST_F(DispatchStore, AFileThatCannotBeWrittenSaysWhatToDo) {
  fs::create_directories(file());  // for root, too, no permission would do
  EXPECT_EQ(why_not(),
            "cannot write " + file() + ": Is a directory; make it writable for the service, or set sonde.history.path");
}

TEST_F(DispatchStore, TornPagesAreFoundAtTheStart) {
  {
    const auto store = open();
    std::vector<Task> tasks;
    for (int64_t id = 1; id <= 2000; ++id) tasks.push_back(small_task(id));
    ASSERT_TRUE(store->save(changes_of(tasks)));
  }
  std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(fs::file_size(file()) / 8192 * 4096));
  bytes << std::string(4096, '\x55');
  bytes.close();
  EXPECT_NE(why_not().find("it is damaged: "), std::string::npos) << why_not();
  EXPECT_NE(why_not().find(".recover"), std::string::npos) << why_not();
}

TEST_F(DispatchStore, AnotherVersionOrProgramsFileIsLeftAlone) {
  open();
  run_sql("PRAGMA user_version = 99");
  EXPECT_NE(why_not().find("newer version of sonde (schema 99"), std::string::npos) << why_not();
  run_sql("PRAGMA user_version = 0");
  EXPECT_NE(why_not().find("the database of another program"), std::string::npos) << why_not();
}

TEST_F(DispatchStore, ARowThatCannotBeReadIsAnErrorThatNamesIt) {
  ASSERT_TRUE(open()->save(changes_of({small_task(1), small_task(2)})));
  for (const char* const change :
       {"UPDATE tasks SET state = 'odd' WHERE id = 2", "UPDATE tasks SET state = 'waiting', detail = '{' WHERE id = 2",
        R"(UPDATE tasks SET detail = '{"attempts":[{"cause":"odd"}]}' WHERE id = 2)",
        R"(UPDATE tasks SET detail = '{"only_gpus":[{"hex":"0"}]}' WHERE id = 2)"}) {
    run_sql(change);
    const auto store = open();
    const auto found = store->find(2);
    ASSERT_FALSE(found) << change;
    EXPECT_NE(found.error().message.find("task 2 cannot be read"), std::string::npos);
  }
  run_sql("UPDATE specs SET spec = '[]' WHERE task = 2");
  run_sql("UPDATE tasks SET detail = '{}' WHERE id = 2");
  EXPECT_FALSE(open()->restore());
}

TEST_F(DispatchStore, ASaveFailsWhileAnotherProgramHoldsTheFile) {
  const auto store = open();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Status failed = store->save(changes_of({small_task(1)}));
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("another program has locked it"), std::string::npos) << failed.error().message;
  EXPECT_TRUE(store->list({})->empty()) << "readers do not wait";
  sqlite3_close(other);
  EXPECT_TRUE(store->save(changes_of({small_task(1)})));
}

TEST_F(DispatchStore, AFileThatWasRemovedIsNotWrittenTo) {
  const auto store = open();
  ASSERT_TRUE(store->save(changes_of({small_task(1)})));
  fs::rename(file(), file() + ".away");
  EXPECT_FALSE(store->save(changes_of({small_task(2)})));
  fs::rename(file() + ".away", file());
  EXPECT_TRUE(store->save(changes_of({small_task(2)})));
}

TEST_F(DispatchStore, TheLogOfALongRunStaysShort) {
  const auto store = open();
  uintmax_t longest = 0;
  int64_t id = 0;
  for (int save = 0; save < 400; ++save) {
    std::vector<Task> tasks;
    for (int i = 0; i < 50; ++i) {
      tasks.push_back(small_task(++id));
      tasks.back().spec.command.emplace_back(2000, 'x');
    }
    ASSERT_TRUE(store->save(changes_of(tasks)));
    longest = std::max(longest, fs::file_size(file() + "-wal"));
  }
  EXPECT_GT(fs::file_size(file()), 30'000'000);
  EXPECT_LT(longest, 45'000'000);
}

TEST_F(DispatchStore, ReadersSeeWholeSavesWhileTheyHappen) {
  const auto store = open();
  std::atomic<int> reads = 0;
  const auto read = [&](const std::stop_token& over) {
    while (!over.stop_requested()) {
      const auto tasks = store->list({.states = {TaskState::waiting, TaskState::running},
                                      .type = {},
                                      .submitted_by = {},
                                      .batch = 0,
                                      .before_id = 0,
                                      .max = 1000});
      ASSERT_TRUE(tasks) << tasks.error().message;
      ASSERT_EQ(tasks->size() % 10, 0);
      for (const Task& task : *tasks) ASSERT_EQ(task.state, tasks->front().state);
      ASSERT_TRUE(store->find(3));
      ASSERT_TRUE(store->task_of_key("ci", "x"));
      ++reads;
    }
  };
  std::vector<std::jthread> readers;
  for (int i = 0; i < 4; ++i) readers.emplace_back(read);
  for (int save = 0; save < 300 || reads < 20; ++save) {
    std::vector<Task> tasks;
    for (int64_t id = 1; id <= 10; ++id) {
      tasks.push_back(small_task(id, save % 2 == 0 ? TaskState::waiting : TaskState::running));
    }
    const auto saved = store->save(changes_of(tasks));
    ASSERT_TRUE(saved) << saved.error().message;
  }
}

/// Fails operations of the disk in turn, for a while each, and saves on.
void save_on_failing_disk(int code, CutDisk::Operation kind, size_t done_bytes) {
  CutDisk disk;
  auto store = std::move(*TaskStore::open("/state", disk.name()));
  std::map<int64_t, TaskState> book;
  int failures = 0;
  for (int round = 0; round < 60; ++round) {
    int passed = 0;
    if (round % 2 == 1) {
      disk.set_faults([&, round](CutDisk::Operation operation, const std::string&) -> CutDisk::Fault {
        if (operation != kind || passed++ < round / 2) return {};
        return {.code = code, .done_bytes = done_bytes};
      });
    }
    for (int i = 0; i < 4; ++i) {
      const int64_t id = 1 + (round * 4 + i) / 2;
      std::vector<Task> tasks = {small_task(id, i % 2 == 0 ? TaskState::waiting : TaskState::running),
                                 small_task(id + 1000)};
      tasks[0].spec.command.emplace_back(3000, 'x');
      if (!store->save(changes_of(tasks))) {
        ++failures;
        continue;
      }
      for (const Task& task : tasks) book[task.id] = task.state;
    }
    disk.set_faults({});
    std::map<int64_t, TaskState> there;
    TaskQuery all;
    all.max = 10'000;
    const auto listed = store->list(all);
    ASSERT_TRUE(listed) << listed.error().message;
    for (const Task& task : *listed) there[task.id] = task.state;
    ASSERT_EQ(there, book) << "round " << round;
    ASSERT_TRUE(store->save(changes_of({small_task(5000 + round)}))) << "round " << round;
    book[5000 + round] = TaskState::waiting;
  }
  EXPECT_GT(failures, 5);
  store.reset();
  store = std::move(*TaskStore::open("/state", disk.name()));
  EXPECT_EQ(store->restore()->tasks.size(), book.size());
}

TEST(DispatchStoreFaults, AFullDisk) {
  save_on_failing_disk(SQLITE_FULL, CutDisk::Operation::write, 0);
  save_on_failing_disk(SQLITE_FULL, CutDisk::Operation::write, 100);
}
TEST(DispatchStoreFaults, WritesThatFail) { save_on_failing_disk(SQLITE_IOERR_WRITE, CutDisk::Operation::write, 1000); }
TEST(DispatchStoreFaults, SyncsThatFail) { save_on_failing_disk(SQLITE_IOERR_FSYNC, CutDisk::Operation::sync, 0); }
TEST(DispatchStoreFaults, ADiskThatTurnsReadOnly) {
  save_on_failing_disk(SQLITE_READONLY, CutDisk::Operation::write, 0);
}

TEST(DispatchStoreFaults, TheErrorSaysWhatToDo) {
  CutDisk disk;
  const auto store = std::move(*TaskStore::open("/state", disk.name()));
  disk.set_faults([](CutDisk::Operation, const std::string&) { return CutDisk::Fault{.code = SQLITE_FULL}; });
  const Status failed = store->save(changes_of({small_task(1)}));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "/state/tasks.db: database or disk is full (free space on its disk)");
}

}  // namespace dispatch_store_test
}  // namespace sonde::dispatch
