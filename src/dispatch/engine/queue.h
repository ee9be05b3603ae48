#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "dispatch/engine/entry.h"

namespace sonde::dispatch {

/// Place of a task in the queue: smaller places start first. Equal places are ordered by id, the order of submission.
struct Place {
  int64_t place = 0;
  int64_t task = 0;
  auto operator<=>(const Place&) const = default;
};
[[nodiscard]] inline Place place_of(const Entry& entry) { return {entry.place, entry.task.id}; }

/// Tasks that every rule judges alike: what one of them finds holds for all. They differ in their places only.
struct Shape {
  std::string key;
  int64_t gpus = 1;
  std::set<Place> tasks;
};

/// Tasks that wait for GPUs (or for nothing but a place), by shape and place. A step looks at the first of each shape,
/// in the order of their places: with 10,000 alike that is one look, not 10,000.
class Queue {
 public:
  struct Head {
    Place place;
    Shape* shape = nullptr;
    auto operator<=>(const Head& other) const { return place <=> other.place; }
    bool operator==(const Head& other) const { return place == other.place; }
  };
  using Heads = std::set<Head>;

  void add(Entry& entry);
  void remove(Entry& entry);
  /// First of each shape that needs GPUs, or of each that needs none.
  [[nodiscard]] const Heads& heads(bool of_gpus) const { return of_gpus ? gpu_heads_ : host_heads_; }
  [[nodiscard]] const std::set<Place>& order() const { return order_; }

 private:
  Heads& heads_of(const Shape& shape) { return shape.gpus > 0 ? gpu_heads_ : host_heads_; }

  std::unordered_map<std::string, std::unique_ptr<Shape>> shapes_;  ///< never walked: its order is not fixed
  Heads gpu_heads_;
  Heads host_heads_;
  std::set<Place> order_;
};

}  // namespace sonde::dispatch
