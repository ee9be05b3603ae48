#include "dispatch/profiles/analyst.h"

#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "dispatch/profiles/bounded_run.h"
#include "dispatch/profiles/profile_file.h"

namespace sonde::dispatch::profiles {
namespace {

constexpr std::chrono::seconds kSaveAgain{1};
/// That a recorder may take to write its file, beyond the time that it records.
constexpr double kWritingSeconds = 120;

std::vector<LogField> fields_of(const ProfileRecord& record) {
  return {
      {"task", fmt::format("{}", record.task)}, {"attempt", fmt::format("{}", record.attempt)}, {"why", record.why}};
}

std::string nothing_left(const Recording& recording) {
  const std::string how = recording.end.empty() ? "" : fmt::format(" ({})", recording.end);
  return fmt::format(
      "the profiler wrote no file {}.*{}; its messages are in the task's standard error (sonde logs {} --stderr)",
      output_path(recording.folder), how, recording.record.task);
}

}  // namespace

void Analyst::analyse(Recording recording, int64_t max_bytes) {
  analyses_.add([this, recording = std::move(recording), max_bytes] { analyse_now(recording, max_bytes); });
}

void Analyst::attach(Recording recording, std::vector<std::string> words, double seconds, int64_t max_bytes) {
  attachments_.add([this, recording = std::move(recording), words = std::move(words), seconds, max_bytes] {
    attach_now(recording, words, seconds, max_bytes);
  });
}

void Analyst::attach_now(Recording recording, const std::vector<std::string>& words, double seconds,
                         int64_t max_bytes) {
  save(recording.record);
  const std::string output = output_path(recording.folder) + "-recorder";
  const auto limit = std::chrono::duration<double>(seconds + kWritingSeconds);
  const auto end = run_bounded({.words = words,
                                .output_file = output + ".stdout",
                                .error_file = output + ".stderr",
                                .time_limit = std::chrono::duration_cast<std::chrono::milliseconds>(limit)},
                               ends_);
  if (!end) return fail_with(std::move(recording), end.error().message);
  if (end->stopped) return;
  if (!find_profile(recording.folder)) {
    const std::string said = last_line(output + ".stderr");
    return fail_with(std::move(recording), fmt::format("the recorder wrote no profile ({}){}{}", shown_end(*end),
                                                       said.empty() ? "" : ": ", said));
  }
  analyse(std::move(recording), max_bytes);
}

void Analyst::analyse_now(Recording recording, int64_t max_bytes) {
  const auto file = find_profile(recording.folder);
  if (!file) {
    std::string trouble = nothing_left(recording);
    return fail_with(std::move(recording), std::move(trouble));
  }
  ProfileRecord& record = recording.record;
  record.state = "analysing";
  record.file = file->path;
  save(record);
  look_into(recording, file->path);
  if (ends_) return;
  if (file->bytes > max_bytes) {
    std::error_code error;
    std::filesystem::remove(file->path, error);
    record.file.clear();
  }
  finish(std::move(recording));
}

void Analyst::look_into(Recording& recording, const std::string& file) const {
  ProfileRecord& record = recording.record;
  record.state = "done";
  if (!parts_.analyse) return;
  const auto document = parts_.analyse(file, ends_);
  const auto findings = document ? findings_of(*document) : std::unexpected(document.error());
  if (findings) {
    record.findings = *findings;
  } else {
    record.state = "failed";
    record.trouble = findings.error().message;
  }
}

void Analyst::fail_with(Recording recording, std::string trouble) {
  recording.record.state = "failed";
  recording.record.trouble = std::move(trouble);
  finish(std::move(recording));
}

void Analyst::finish(Recording recording) {
  save(recording.record);
  if (ends_) return;
  std::vector<LogField> fields = fields_of(recording.record);
  if (recording.record.state == "done") {
    fields.push_back({"finding", greatest_finding(recording.record.task, recording.record.findings).says});
    parts_.log->info("task recorded", fields);
  } else {
    fields.push_back({"reason", recording.record.trouble});
    parts_.log->warning("recording of a task failed", fields);
  }
  parts_.finished(recording.record);
  const std::scoped_lock lock(mutex_);
  done_.push_back(std::move(recording));
}

void Analyst::save(const ProfileRecord& record) {
  while (!ends_ && !parts_.store->save(record)) {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, kSaveAgain, [&] { return ends_.load(); });
  }
}

void Analyst::remove(std::vector<ProfileRecord> records) {
  analyses_.add([this, records = std::move(records)]() mutable {
    for (ProfileRecord& record : records) {
      std::error_code error;
      // Where it went with its task, that has no record any more.
      if (!std::filesystem::remove(record.file, error)) continue;
      record.file.clear();
      save(record);
    }
  });
}

std::vector<Recording> Analyst::take_done() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(done_, {});
}

void Analyst::stop() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  attachments_.stop();
  analyses_.stop();
}

}  // namespace sonde::dispatch::profiles
