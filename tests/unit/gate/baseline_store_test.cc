#include "gate/store/baseline_store.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include "gate/store/choose_baseline.h"
#include "gate/store/prune.h"

namespace sonde::gate {
namespace baseline_store_test {

namespace fs = std::filesystem;

RunRecord record_of(const std::string& driver = "550", const std::string& gpu = "H100", int64_t wall_ns = 1000) {
  RunRecord record;
  record.source = "runs/a.sqlite";
  record.conditions = {{"gpu", gpu}, {"driver", driver}, {"tool", "nsys"}};
  record.wall_ns = wall_ns;
  record.extent_ns = wall_ns;
  return record;
}

class BaselineStore : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sonde_store_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    store_ = (folder_ / "baseline").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Adds an entry of one run; a commit of 40 digits is made of `digit`.
  BaselineEntry add(int64_t time_s, char digit, const RunRecord& record = record_of(), bool pinned = false,
                    const std::string& name = "default") {
    const std::vector<RunRecord> records = {record};
    auto added = add_baseline(
        store_, {.name = name, .time_s = time_s, .commit = std::string(40, digit), .pinned = pinned}, records);
    EXPECT_TRUE(added) << added.error().message;
    return added.value_or(BaselineEntry{});
  }

  void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  fs::path folder_;
  std::string store_;
};

TEST_F(BaselineStore, EntryComesBackAsItWas) {
  const std::vector<RunRecord> records = {record_of(), record_of("550", "H100", 1100)};
  const auto added = add_baseline(store_,
                                  {.name = "main",
                                   .time_s = 1767225600,
                                   .commit = "8e1e4ab",
                                   .branch = "main",
                                   .label = "v1 \"quoted\"",
                                   .pinned = true},
                                  records);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_TRUE(added->id.starts_with("20260101T000000Z-8e1e4ab-")) << added->id;
  const auto listing = list_baseline(store_, "");
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->entries.size(), 1U);
  const BaselineEntry& read = listing->entries.front();
  EXPECT_EQ(read.name, "main");
  EXPECT_EQ(read.id, added->id);
  EXPECT_EQ(read.time_s, 1767225600);
  EXPECT_EQ(read.commit, "8e1e4ab");
  EXPECT_EQ(read.branch, "main");
  EXPECT_EQ(read.label, "v1 \"quoted\"");
  EXPECT_TRUE(read.pinned);
  EXPECT_EQ(read.conditions, record_of().conditions);
  const auto loaded = load_entry(store_, read);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->size(), 2U);
  EXPECT_EQ((*loaded)[1].wall_ns, 1100);
}

TEST_F(BaselineStore, NothingIsLeftOfWhatWasMade) {
  add(100, 'a');
  for (const auto& each : fs::directory_iterator(fs::path(store_) / "default")) {
    EXPECT_FALSE(each.path().filename().string().starts_with('.')) << each.path();
  }
}

TEST_F(BaselineStore, WritersAtOnceLoseNothing) {
  constexpr int kWriters = 8;
  constexpr int kEach = 20;
  std::vector<std::jthread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([this] {
      // All in the same second, of the same commit and runs: every name is taken already.
      for (int i = 0; i < kEach; ++i) add(100, 'a');
    });
  }
  writers.clear();
  const auto listing = list_baseline(store_, "default");
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->broken.empty());
  EXPECT_EQ(listing->entries.size(), size_t{kWriters} * kEach);
}

TEST_F(BaselineStore, NamesAreChecked) {
  for (const char* name : {"default", "a", "main-2.1_x", "7"}) EXPECT_TRUE(check_baseline_name(name)) << name;
  for (const char* name : {"", ".hidden", "..", "a/b", "a b", "-x", "a\nb", "a@b", "\xC3\xA4"}) {
    EXPECT_FALSE(check_baseline_name(name)) << name;
  }
  EXPECT_FALSE(check_baseline_name(std::string(101, 'a')));
  EXPECT_NE(check_baseline_name("feature/x").error().message.find("for example 'feature-x'"), std::string::npos);
  const std::vector<RunRecord> records = {record_of()};
  EXPECT_FALSE(add_baseline(store_, {.name = "../escaped"}, records));
  EXPECT_FALSE(fs::exists(folder_ / "escaped"));
}

TEST_F(BaselineStore, RunsUnderOtherConditionsAreNoEntry) {
  const std::vector<RunRecord> records = {record_of("550"), record_of("560")};
  const auto added = add_baseline(store_, {.name = "default"}, records);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message.find("'driver' is 550 in runs/a.sqlite and 560"), std::string::npos)
      << added.error().message;
  EXPECT_FALSE(add_baseline(store_, {.name = "default"}, {}));
}

TEST_F(BaselineStore, EntriesAreFoundByWhatTheyAreCalled) {
  const BaselineEntry first = add(100, 'a');
  const BaselineEntry second = add(200, 'b');
  EXPECT_EQ(find_entry(store_, "", "latest")->id, second.id);
  EXPECT_EQ(find_entry(store_, "default", "aaaa")->id, first.id);
  EXPECT_EQ(find_entry(store_, "", "default@bbbb")->id, second.id);
  EXPECT_EQ(find_entry(store_, "", first.id)->id, first.id);
  EXPECT_FALSE(find_entry(store_, "", "aaa"));  // too short for a commit
  EXPECT_FALSE(find_entry(store_, "", "cccc"));
  EXPECT_FALSE(find_entry(store_, "", ""));
  add(300, 'a');
  const auto both = find_entry(store_, "", "aaaa");
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().message.find("'aaaa' is ambiguous, it matches 2 entries: "), std::string::npos);
}

TEST_F(BaselineStore, BrokenEntriesAreNamedAndPassedOver) {
  const BaselineEntry right = add(100, 'a');
  const std::string good = entry_json(right);
  struct Case {
    std::string text;
    std::string reported;
  };
  const std::vector<Case> cases = {
      {"", "not JSON"},
      {std::string(100'000, '['), "not JSON"},
      {"[]", "not a JSON object"},
      {"{}", "'schema' is not"},
      {R"({"schema":"sonde.baseline/99"})", "later version"},
      {R"({"schema":7})", "'schema' is not a string"},
      {R"({"schema":"sonde.baseline/1","time":"yesterday"})", "'time' is not a timestamp"},
      {R"({"schema":"sonde.baseline/1","time":"2026-01-01T00:00:00Z","pinned":"yes"})", "'pinned'"},
      {R"({"schema":"sonde.baseline/1","time":"2026-01-01T00:00:00Z","commit":"\u001b[2J"})", "control characters"},
      {R"({"schema":"sonde.baseline/1","time":"2026-01-01T00:00:00Z","conditions":{"gpu":1},"runs":[]})",
       "'gpu' is not a string"},
      {R"({"schema":"sonde.baseline/1","time":"2026-01-01T00:00:00Z","conditions":{},"runs":[]})", "'runs'"},
      {R"({"schema":"sonde.baseline/1","time":"2026-01-01T00:00:00Z","conditions":{},"runs":[{"file":"../../x"}]})",
       "not the name of a file"},
      {good.substr(0, good.size() / 2), "not JSON"},
  };
  for (const Case& each : cases) {
    write(fs::path(store_) / "default" / "broken" / "entry.json", each.text);
    const auto listing = list_baseline(store_, "");
    ASSERT_TRUE(listing);
    EXPECT_EQ(listing->entries.size(), 1U);
    ASSERT_EQ(listing->broken.size(), 1U) << each.text;
    EXPECT_NE(listing->broken.front().message.find(each.reported), std::string::npos)
        << each.reported << " / " << listing->broken.front().message;
    const auto chosen = baseline_records(store_, "default", record_of().conditions);
    ASSERT_FALSE(chosen);
    EXPECT_NE(chosen.error().message.find("sonde baseline remove default@broken"), std::string::npos);
  }
}

TEST_F(BaselineStore, RecordsThatAreGoneOrNoFileAreAnError) {
  const BaselineEntry entry = add(100, 'a');
  const fs::path record = fs::path(store_) / "default" / entry.id / "run-1.json";
  fs::remove(record);
  EXPECT_FALSE(baseline_records(store_, "default", record_of().conditions));
  fs::create_directory(record);
  EXPECT_FALSE(baseline_records(store_, "default", record_of().conditions));
  fs::remove(record);
  write(record, "{}");
  EXPECT_FALSE(baseline_records(store_, "default", record_of().conditions));
}

TEST_F(BaselineStore, ThePinnedOneIsChosenThenTheNewest) {
  const auto chosen = [&](const std::string& driver = "550", const std::string& gpu = "H100") {
    return baseline_records(store_, "default", record_of(driver, gpu).conditions);
  };
  const BaselineEntry oldest = add(100, 'a');
  const BaselineEntry newest = add(200, 'b');
  const BaselineEntry other = add(300, 'c', record_of("550", "A100"));
  ASSERT_TRUE(chosen());
  EXPECT_EQ(chosen()->entry.id, newest.id);
  EXPECT_EQ(chosen()->records.size(), 1U);
  EXPECT_TRUE(chosen()->note.empty());
  EXPECT_EQ(chosen("550", "A100")->entry.id, other.id);
  ASSERT_TRUE(set_pinned(store_, oldest, true));
  EXPECT_EQ(chosen()->entry.id, oldest.id);
  EXPECT_EQ(chosen("550", "A100")->entry.id, other.id);  // what is pinned on another GPU is no baseline for this one
  // A newer driver does not let the pin go: that would let a regression in.
  const BaselineEntry newer_driver = add(400, 'd', record_of("560"));
  EXPECT_EQ(chosen("560")->entry.id, oldest.id);
  EXPECT_NE(chosen("560")->note.find("driver is '550' in the baseline and '560' in these runs"), std::string::npos)
      << chosen("560")->note;
  ASSERT_TRUE(set_pinned(store_, *find_entry(store_, "", oldest.id), false));
  EXPECT_EQ(chosen("560")->entry.id, newer_driver.id);
  EXPECT_EQ(baseline_records(store_, "default@aaaa", {})->entry.id, oldest.id);
}

TEST_F(BaselineStore, WhyNoneFitsIsReported) {
  add(100, 'a');
  const auto chosen = baseline_records(store_, "default", record_of("550", "B200").conditions);
  ASSERT_FALSE(chosen);
  EXPECT_NE(chosen.error().message.find("GPU is 'H100' in the baseline and 'B200' in these runs"), std::string::npos)
      << chosen.error().message;
  const std::vector<std::string> allowed = {"gpu"};
  EXPECT_TRUE(baseline_records(store_, "default", record_of("550", "B200").conditions, allowed));
  const auto unknown = baseline_records(store_, "defualt", record_of().conditions);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("did you mean 'default'?"), std::string::npos) << unknown.error().message;
}

TEST_F(BaselineStore, PruningKeepsThePinnedAndTheOnlyOneOfAGpu) {
  add(100, 'a', record_of("550", "A100"));
  add(200, 'b', record_of(), true);
  for (int i = 0; i < 4; ++i) add(300 + i, static_cast<char>('c' + i));
  const auto entries = list_baseline(store_, "")->entries;
  const auto commits = [&](const PruneRule& rule) {
    std::string letters;
    for (const BaselineEntry& entry : entries_to_prune(entries, rule)) letters += entry.commit.front();
    return letters;
  };
  EXPECT_EQ(commits({.keep = 2}), "cd");
  EXPECT_EQ(commits({.before_s = 302}), "acd");
  EXPECT_EQ(commits({.keep = 1, .before_s = 301}), "c");
  EXPECT_EQ(commits({.keep = 0}), "acdef");
  ASSERT_TRUE(remove_entry(store_, entries.front()));
  EXPECT_EQ(list_baseline(store_, "")->entries.size(), entries.size() - 1);
  EXPECT_FALSE(remove_entry(store_, entries.front()));
}

}  // namespace baseline_store_test
}  // namespace sonde::gate
