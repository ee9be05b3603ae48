#include "gate/difference/kernel_pairs.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "trace/kernel_name.h"

namespace sonde::gate {
namespace {

/// "poisson_single_5(double *)" -> "poisson_single": what versions of one kernel share.
std::string base_name(const std::string& kernel) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view name = short_kernel_name(kernel);
  const size_t last = name.find_last_not_of(kDigits);
  if (last == std::string_view::npos || last + 1 == name.size()) return std::string(name);
  const bool version = last > 0 && name[last] == 'v' && name[last - 1] == '_';
  const size_t end = version ? last - 1 : name[last] == '_' ? last : last + 1;
  return std::string(end == 0 ? name : name.substr(0, end));
}

std::map<std::string, std::vector<std::string>> by_base_name(const std::set<std::string>& kernels) {
  std::map<std::string, std::vector<std::string>> found;
  for (const std::string& kernel : kernels) found[base_name(kernel)].push_back(kernel);
  return found;
}

class Pairs {
 public:
  Pairs(std::set<std::string> base, std::set<std::string> changed)
      : base_(std::move(base)), changed_(std::move(changed)) {}

  std::vector<KernelPair> make() && {
    std::set<std::string> both;
    std::ranges::set_intersection(base_, changed_, std::inserter(both, both.end()));
    for (const std::string& name : both) take(name, name);
    pair_versions();
    if (base_.size() == 1 && changed_.size() == 1) take(std::string(*base_.begin()), std::string(*changed_.begin()));
    for (const std::string& name : changed_) pairs_.push_back({{}, name});
    std::ranges::sort(pairs_, {}, &KernelPair::changed);
    for (const std::string& name : base_) pairs_.push_back({name, {}});
    return std::move(pairs_);
  }

 private:
  void pair_versions() {
    const auto after = by_base_name(changed_);
    for (const auto& [name, kernels] : by_base_name(base_)) {
      const auto others = after.find(name);
      if (kernels.size() == 1 && others != after.end() && others->second.size() == 1) {
        take(kernels.front(), others->second.front());
      }
    }
  }
  void take(const std::string& base, const std::string& changed) {
    pairs_.push_back({base, changed});
    base_.erase(pairs_.back().base);
    changed_.erase(pairs_.back().changed);
  }

  std::set<std::string> base_;
  std::set<std::string> changed_;
  std::vector<KernelPair> pairs_;
};

}  // namespace

std::vector<KernelPair> pair_kernels(const std::set<std::string>& base, const std::set<std::string>& changed) {
  return Pairs(base, changed).make();
}

}  // namespace sonde::gate
