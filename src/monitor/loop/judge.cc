#include "monitor/loop/judge.h"

#include "monitor/loop/merge_xid_states.h"

namespace sonde::monitor::loop {
namespace {

/// More than that open at once is no state that anyone could act on.
constexpr int64_t kMaxOpen = 10000;

IncidentBook restored(const History& history) {
  auto open = history.incidents({}, true, 0, kMaxOpen);
  const auto last = history.incidents({}, false, 0, 1);
  const int64_t last_id = last && !last->empty() ? last->front().id : 0;
  return IncidentBook(open ? std::move(*open) : std::vector<Incident>(), last_id);
}

}  // namespace

Judge::Judge(const History& history, int64_t booted_ns) : book_(restored(history)) {
  for (const DetectorRow* row : detector_rows()) {
    watches_.push_back({row, row->make()});
    std::vector<Incident> own;
    for (const Incident& incident : book_.open()) {
      if (incident.detector == row->name) own.push_back(incident);
    }
    watches_.back().detector->restore(own, booted_ns);
  }
}

std::vector<IncidentNews> Judge::look(const Round& round) {
  std::vector<IncidentNews> news;
  std::vector<Found> all;
  for (const Watch& watch : watches_) {
    Found& found = all.emplace_back(watch.row);
    watch.detector->look(round, found.seen);
  }
  book_.begin(round);
  merge_xid_states(all, round, book_);
  for (const Found& found : all) {
    for (IncidentNews& one : book_.take(*found.row, round, found.seen)) news.push_back(std::move(one));
  }
  return news;
}

}  // namespace sonde::monitor::loop
