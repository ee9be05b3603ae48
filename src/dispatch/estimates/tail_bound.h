#pragma once

#include <cstdint>
#include <span>

namespace sonde::dispatch {

/// A value that the next one of the same kind passes with a probability of `exceedance` at most, where the upper tail
/// of the values is no heavier than a power law (Pareto): log-normal, normal and bounded ones are lighter.
///
/// With the logarithms x(1) >= ... >= x(n) of the values, bound = exp(x(1) + c * g), where
///   k = n / 4, at least 2,
///   g = sum of (i + 1) * (x(i) - x(i+1)) for i = 1..k, divided by k: Hill's estimate of the tail's index, where the
///       weights are those of n + 1 values since the next one is above all of them where it matters,
///   c = k * ((1 / (exceedance * (n + 1))) ^ (1 / k) - 1), 0 where that is negative.
/// It is exact for a power law: the next value is the highest of n + 1 with probability 1 / (n + 1), is then above x(1)
/// by an exponential with mean g, and k * estimate / g has a Gamma(k) distribution (Renyi's representation of
/// exponential order statistics), so that P = (1 + c / k)^-k / (n + 1). From n = 1 / exceedance on c is 0 and the
/// highest value bounds by rank alone, whatever the distribution (Hill, Ann. Statist. 3, 1975; Renyi, Acta Math. Hung.
/// 4, 1953).
/// `sorted`: positive values, ascending, three or more.
[[nodiscard]] double tail_bound(std::span<const int64_t> sorted, double exceedance);

}  // namespace sonde::dispatch
