#include "analyses/modules/module_tree.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/gpus/idle_time.h"
#include "analyses/ranges/range_label.h"
#include "analyses/steps/run_extent.h"
#include "analyses/steps/thread_nesting.h"
#include "analyses/steps/warm_up.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Where each range stands: under which other range, whatever thread that is on.
class Places {
 public:
  Places(const Trace& trace, const ModuleChoice& choice) : trace_(trace), taken_(row_count(trace.ranges), 0) {
    choose(choice);
    nesting_ = nest_by_thread(trace.ranges, [&](Row row) { return !is_python(row) || taken(row); });
    find_around();
    place();
  }

  [[nodiscard]] bool taken(Row row) const { return taken_[row] != 0; }
  /// The innermost taken range around it on its own thread.
  [[nodiscard]] Row around(Row row) const { return around_[row]; }
  /// The range that it belongs to: the one around it, or the one around its forward operator.
  [[nodiscard]] Row parent(Row row) const { return parent_[row]; }

  /// The innermost taken range around each API call, over all domains.
  [[nodiscard]] Ids innermost_of_calls() const {
    Ids innermost(row_count(trace_.api), kNone);
    for (const DomainLinks& links : trace_.range_links) {
      for (Row call = 0; call < links.of_api.size(); ++call) {
        const Row row = first_taken(links.of_api[call]);
        if (row == kNone) continue;
        Row& best = innermost[call];
        if (best == kNone || nesting_.level[row] > nesting_.level[best]) best = row;
      }
    }
    return innermost;
  }

 private:
  [[nodiscard]] bool is_python(Row row) const {
    return trace_.domains[trace_.ranges.domain[row]].kind == DomainKind::python;
  }

  void choose(const ModuleChoice& choice) {
    for (Row row = 0; row < taken_.size(); ++row) {
      if (!is_push_pop(trace_.ranges, row)) continue;
      taken_[row] = static_cast<uint8_t>(choice.chosen ? choice.chosen(row) : !is_python(row));
    }
  }

  void find_around() {
    around_ = nesting_.parent;
    for (Row& row : around_) {
      if (row != kNone && !taken(row)) row = around_[row];
    }
  }

  /// Itself or the first of its domain around it that is taken.
  [[nodiscard]] Row first_taken(Row row) const {
    while (row != kNone && !taken(row)) row = trace_.ranges.parent[row];
    return row;
  }

  /// A backward operator at the bottom of its thread's stack, or in ranges that took no place themselves, takes its
  /// forward operator's: that one began before, so that its own place is known.
  void place() {
    const Ids& forward = trace_.ranges.forward;
    parent_ = around_;
    std::vector<uint8_t> moved(forward.size(), 0);
    for (Row row = 0; row < forward.size(); ++row) {
      moved[row] = around_[row] == kNone ? uint8_t{0} : moved[around_[row]];
      const Row original = forward[row];
      if (moved[row] != 0 || original == kNone || original >= row || !taken(row) || !taken(original)) continue;
      parent_[row] = parent_[original];
      moved[row] = 1;
    }
  }

  const Trace& trace_;
  std::vector<uint8_t> taken_;
  ThreadNesting nesting_;
  Ids around_;
  Ids parent_;
};

/// Turns ranges into modules: one for each (module around it, domain, name).
class Grower {
 public:
  Grower(const Trace& trace, const ModuleChoice& choice) : trace_(trace), choice_(choice) {}

  void grow(const Places& places, ModuleTree& tree) {
    tree.of_range.assign(row_count(trace_.ranges), kNone);
    tree.is_call.assign(row_count(trace_.ranges), 0);
    for (Row row = 0; row < tree.of_range.size(); ++row) {
      if (!places.taken(row)) {
        tree.of_range[row] = places.around(row) == kNone ? kNone : tree.of_range[places.around(row)];
        continue;
      }
      const uint32_t parent = places.parent(row) == kNone ? kNone : tree.of_range[places.parent(row)];
      const uint32_t depth = parent == kNone ? 0 : tree.modules[parent].depth + 1;
      const bool hidden = depth >= choice_.depth && parent != kNone;
      tree.of_range[row] = hidden ? parent : module_of(row, parent, depth, tree);
      if (!hidden) count(row, places, tree);
    }
  }

 private:
  using Key = std::tuple<uint32_t, DomainId, NameId>;

  uint32_t module_of(Row row, uint32_t parent, uint32_t depth, ModuleTree& tree) {
    const NameId name = trace_.ranges.name[row];
    const DomainId domain = trace_.ranges.domain[row];
    const auto [found, fresh] = modules_.try_emplace(Key{parent, domain, label_of(name)}, tree.modules.size());
    if (fresh) {
      Module& module = tree.modules.emplace_back();
      module.name = trace_.name(name);
      module.domain = domain;
      module.parent = parent;
      module.depth = depth;
      first_name_.push_back(name);
    } else if (first_name_[found->second] != name) {
      tree.modules[found->second].name = without_numbers(trace_.name(name));
    }
    return found->second;
  }

  /// The first name met that differs by numbers only.
  NameId label_of(NameId name) {
    if (choice_.exact_names) return name;
    const auto [known, fresh] = labels_.try_emplace(name, name);
    if (fresh) known->second = first_of_label_.try_emplace(without_numbers(trace_.name(name)), name).first->second;
    return known->second;
  }

  void count(Row row, const Places& places, ModuleTree& tree) const {
    const Ranges& r = trace_.ranges;
    Module& module = tree.modules[tree.of_range[row]];
    tree.is_call[row] = 1;
    ++module.calls;
    if (!is_closed(r, row)) {
      ++module.open_calls;
      return;
    }
    const int64_t duration = r.end[row] - r.start[row];
    module.host_ns += duration;
    module.host_self_ns += duration;
    // Time is taken from the range around it on its own thread, wherever that is in the tree.
    const Row around = places.around(row);
    if (around != kNone && is_closed(r, around) && tree.of_range[around] != tree.of_range[row]) {
      tree.modules[tree.of_range[around]].host_self_ns -= duration;
    }
  }

  const Trace& trace_;
  const ModuleChoice& choice_;
  boost::unordered_flat_map<Key, uint32_t> modules_;
  boost::unordered_flat_map<NameId, NameId> labels_;
  boost::unordered_flat_map<std::string, NameId> first_of_label_;
  std::vector<NameId> first_name_;  ///< of each module
};

/// Gives each GPU operation to the module whose range launched it.
class Distributor {
 public:
  Distributor(const Trace& trace, ModuleTree& tree) : trace_(trace), tree_(tree) {}

  void distribute() {
    give(trace_.kernels, &LaunchedWork::kernels);
    give(trace_.graph_launches, &LaunchedWork::graphs);
    give(trace_.sets, &LaunchedWork::sets);
    give(trace_.copies, &LaunchedWork::copies);
    for (Row row = 0; row < row_count(trace_.copies); ++row) {
      if (trace_.copies.bytes[row] != kUnknown) owner(trace_.copies, row).copy_bytes += trace_.copies.bytes[row];
    }
    count_launches();
  }

 private:
  LaunchedWork& owner_of_call(Row call) {
    const uint32_t module = call == kNone ? kNone : tree_.of_call[call];
    return module == kNone ? tree_.outside : tree_.modules[module].self;
  }
  LaunchedWork& owner(const GpuOps& ops, Row row) { return owner_of_call(ops.launch[row]); }

  void give(const GpuOps& ops, int64_t LaunchedWork::* counted) {
    const Longs& shares = tree_.shares.of(trace_, ops);
    for (Row row = 0; row < row_count(ops); ++row) {
      LaunchedWork& work = owner(ops, row);
      work.device_ns += shares[row];
      ++(work.*counted);
    }
  }

  /// A call that launched several operations, as a graph's does, is one launch.
  void count_launches() {
    std::vector<uint8_t> launched(row_count(trace_.api), 0);
    for_each_gpu_table(trace_, [&](const GpuOps& ops) {
      for (const Row call : ops.launch) {
        if (call != kNone) launched[call] = 1;
      }
    });
    for (Row call = 0; call < launched.size(); ++call) {
      if (launched[call] != 0) ++owner_of_call(call).launches;
    }
  }

  const Trace& trace_;
  ModuleTree& tree_;
};

/// The module around each API call.
Ids modules_of_calls(const Places& places, const Ids& of_range) {
  Ids modules = places.innermost_of_calls();
  for (uint32_t& row : modules) row = row == kNone ? kNone : of_range[row];
  return modules;
}

/// Idle time belongs to the module that the thread was in which the GPU waited for, or that launched what came next.
void give_idle_time(const Trace& trace, const Gpus& gpus, Span extent, ModuleTree& tree) {
  for_each_idle_piece(trace, gpus, extent, [&](const IdlePiece& piece) {
    uint32_t module = piece.range == kNone ? kNone : tree.of_range[piece.range];
    if (module == kNone && piece.launch != kNone) module = tree.of_call[piece.launch];
    LaunchedWork& work = module == kNone ? tree.outside : tree.modules[module].self;
    work.idle_ns += piece.end_ns - piece.start_ns;
  });
}

}  // namespace

LaunchedWork& LaunchedWork::operator+=(const LaunchedWork& other) {
  device_ns += other.device_ns;
  idle_ns += other.idle_ns;
  launches += other.launches;
  kernels += other.kernels;
  graphs += other.graphs;
  sets += other.sets;
  copies += other.copies;
  copy_bytes += other.copy_bytes;
  return *this;
}

ModuleTree module_tree(const Trace& trace, const ModuleChoice& choice) {
  ModuleTree tree;
  const Gpus gpus = gpus_of(trace);
  const Places places(trace, choice);
  Grower(trace, choice).grow(places, tree);
  tree.of_call = modules_of_calls(places, tree.of_range);
  tree.shares = share_gpu_time(trace, gpus);
  Distributor(trace, tree).distribute();
  give_idle_time(trace, gpus, run_extent(trace), tree);
  tree.whole = tree.outside;
  for (size_t m = tree.modules.size(); m-- > 0;) {
    Module& module = tree.modules[m];
    module.total += module.self;
    tree.whole += module.self;
    if (module.parent != kNone) tree.modules[module.parent].total += module.total;
  }
  return tree;
}

}  // namespace sonde
