#pragma once

#include <random>
#include <vector>

namespace sonde::dispatch::simulation {

/// Of run times (nanoseconds) or memory (bytes): one shape, or several of which each has its share. Never below 0.
struct Distribution {
  enum class Shape {
    fixed,       ///< a
    log_normal,  ///< median a, standard deviation of the logarithm b
    normal,      ///< mean a, standard deviation b; below a tenth of the mean it is that
    uniform,     ///< from a to b
    power        ///< at least a, above x with probability (x / a)^-b (Pareto)
  };
  struct Part {
    double share = 1;
    Shape shape = Shape::fixed;
    double a = 0;
    double b = 0;
  };
  std::vector<Part> parts;

  [[nodiscard]] double draw(std::mt19937_64& random) const;
};

}  // namespace sonde::dispatch::simulation
