#include "dispatch/engine/queue.h"

#include <fmt/ranges.h>

namespace sonde::dispatch {
namespace {

/// All that a rule, the strategy or the question whether it may go first looks at. '\x1f' stands in no name.
std::string key_of(const Task& task) {
  const TaskSpec& spec = task.spec;
  std::string key = fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", spec.gpus, spec.type, spec.strategy,
                                spec.memory_bytes.value_or(-1), spec.time_limit_ns.value_or(-1),
                                task.least_room_bytes.value_or(-1), fmt::join(task.only_gpus, ","));
  if (spec.inference) {
    for (const auto& [gpu, url] : spec.workers) key += '\x1f' + gpu;
  }
  return key;
}

}  // namespace

void Queue::add(Entry& entry) {
  std::string key = key_of(entry.task);
  std::unique_ptr<Shape>& shape = shapes_[key];
  if (!shape) shape = std::make_unique<Shape>(Shape{.key = std::move(key), .gpus = entry.task.spec.gpus, .tasks = {}});
  Heads& heads = heads_of(*shape);
  const Place place = place_of(entry);
  if (shape->tasks.empty() || place < *shape->tasks.begin()) {
    if (!shape->tasks.empty()) heads.erase({*shape->tasks.begin(), shape.get()});
    heads.insert({place, shape.get()});
  }
  shape->tasks.insert(place);
  order_.insert(place);
  entry.shape = shape.get();
}

void Queue::remove(Entry& entry) {
  Shape* const shape = entry.shape;
  if (shape == nullptr) return;
  entry.shape = nullptr;
  const Place place = place_of(entry);
  order_.erase(place);
  const bool was_first = place == *shape->tasks.begin();
  shape->tasks.erase(place);
  if (!was_first) return;
  Heads& heads = heads_of(*shape);
  heads.erase({place, shape});
  if (shape->tasks.empty())
    shapes_.erase(std::string(shape->key));
  else
    heads.insert({*shape->tasks.begin(), shape});
}

}  // namespace sonde::dispatch
