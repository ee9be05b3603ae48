#include "synth/builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "synth/noise.h"

namespace sonde::synth {
namespace {

/// What a framework does on the host for each operator before its launch: dispatch, shape checks, allocation.
constexpr int64_t kOperatorNs = 3800;

}  // namespace

Builder::Builder(Program& program, std::string thread_name, uint16_t gpu)
    : program_(program), thread_(program.threads.size()), path_(fmt::format("{}", thread_name)) {
  HostThread t;
  t.name = std::move(thread_name);
  t.gpu = gpu;
  program.threads.push_back(std::move(t));
}

Step& Builder::add(Step step, std::string_view what) {
  step.site = site_of(fmt::format("{}/{}#{}", path_, what, in_path_++));
  return steps_->emplace_back(step);
}

void Builder::push(RangeLevel level, std::string nvtx, std::string torch) {
  RangeName name;
  name.level = level;
  name.nvtx = std::move(nvtx);
  name.torch = std::move(torch);
  path_ends_.push_back(path_.size());
  path_ += '/' + name.nvtx;
  program_.ranges.push_back(std::move(name));
  Step step;
  step.kind = StepKind::push_range;
  step.what = static_cast<uint32_t>(program_.ranges.size() - 1);
  add(step, "push");
}

void Builder::push_op(std::string name, int64_t sequence, bool backward, std::string shapes) {
  push(RangeLevel::op, "", std::move(name));
  RangeName& range = program_.ranges.back();
  range.sequence = sequence;
  range.backward = backward;
  range.shapes = std::move(shapes);
}

void Builder::pop() {
  Step step;
  step.kind = StepKind::pop_range;
  add(step, "pop");
  path_.resize(path_ends_.back());
  path_ends_.pop_back();
}

void Builder::launch(uint32_t kernel, uint16_t stream) {
  host(kOperatorNs, "operator");
  Step step;
  step.kind = StepKind::launch;
  step.call = ApiCall::launch_kernel;
  step.stream = stream;
  step.what = kernel;
  add(step, "launch");
}

void Builder::launch_gemm(uint32_t kernel, uint16_t stream) {
  host(kOperatorNs, "operator");
  Step library;
  library.kind = StepKind::library_begin;
  library.what = add_text(program_, "cublasLtMatmul");
  add(library, "library");
  Step step;
  step.kind = StepKind::launch;
  step.call = ApiCall::launch_library_kernel;
  step.stream = stream;
  step.what = kernel;
  add(step, "launch");
  library.kind = StepKind::library_end;
  add(library, "library");
}

void Builder::collective(uint32_t kernel, uint16_t stream) {
  host(kOperatorNs, "operator");
  Step step;
  step.kind = StepKind::collective;
  step.call = ApiCall::launch_collective;
  step.stream = stream;
  step.what = kernel;
  Step& added = add(step, "collective");
  // Whichever GPU comes last makes the draw: it must be the same one for all.
  added.site = site_of(fmt::format("collective {}", path_.substr(path_.find('/') + 1)));
}

void Builder::copy(CopyKind kind, int64_t bytes, MemoryKind host_memory, uint16_t stream) {
  Step step;
  step.kind = StepKind::copy;
  step.call = ApiCall::copy_async;
  step.copy_kind = kind;
  step.host_memory = host_memory;
  step.stream = stream;
  step.amount = bytes;
  add(step, "copy");
}

void Builder::set(int64_t bytes, uint16_t stream) {
  Step step;
  step.kind = StepKind::set;
  step.call = ApiCall::set_async;
  step.stream = stream;
  step.amount = bytes;
  add(step, "set");
}

void Builder::record(uint32_t event, uint16_t stream) {
  Step step;
  step.kind = StepKind::record_event;
  step.call = ApiCall::record_event;
  step.stream = stream;
  step.what = event;
  add(step, "record");
}

void Builder::stream_wait(uint32_t event, uint16_t stream) {
  Step step;
  step.kind = StepKind::stream_wait;
  step.call = ApiCall::stream_wait;
  step.stream = stream;
  step.what = event;
  add(step, "wait");
}

void Builder::sync_stream(uint16_t stream) {
  Step step;
  step.kind = StepKind::sync_stream;
  step.stream = stream;
  add(step, "sync");
}

void Builder::sync_event(uint32_t event) {
  Step step;
  step.kind = StepKind::sync_event;
  step.what = event;
  add(step, "sync");
}

void Builder::sync_device(uint16_t stream) {
  Step step;
  step.kind = StepKind::sync_device;
  step.stream = stream;
  add(step, "sync");
}

void Builder::call(ApiCall call) {
  Step step;
  step.kind = StepKind::call;
  step.call = call;
  add(step, "call");
}

void Builder::allocate(int64_t bytes, std::string_view what) {
  Step step;
  step.kind = StepKind::allocate;
  step.call = ApiCall::allocate;
  step.amount = bytes;
  add(step, what).site = site_of(fmt::format("{} of GPU {}", what, thread().gpu));
}

void Builder::release(int64_t bytes, std::string_view what) {
  Step step;
  step.kind = StepKind::release;
  step.call = ApiCall::release;
  step.amount = bytes;
  add(step, what).site = site_of(fmt::format("{} of GPU {}", what, thread().gpu));
}

void Builder::host(int64_t ns, std::string_view what) {
  Step step;
  step.kind = StepKind::host_work;
  step.amount = ns;
  add(step, what);
}

void Builder::os(std::string_view name, int64_t ns) {
  Step step;
  step.kind = StepKind::os_call;
  step.what = add_text(program_, name);
  step.amount = ns;
  add(step, name);
}

void Builder::post(uint32_t semaphore) {
  Step step;
  step.kind = StepKind::post;
  step.what = semaphore;
  add(step, "post");
}

void Builder::wait(uint32_t semaphore, std::string_view os_name) {
  Step step;
  step.kind = StepKind::wait;
  step.what = semaphore;
  step.amount = add_text(program_, os_name);
  add(step, "wait");
}

void Builder::unified(StepKind kind, int64_t bytes, int32_t every) {
  Step step;
  step.kind = kind;
  step.amount = bytes;
  step.every = every;
  add(step, "unified");
}

uint32_t add_kernel(Program& program, Kernel kernel) {
  const auto found = std::ranges::find_if(program.kernels, [&](const Kernel& k) {
    return k.name == kernel.name && k.duration_ns == kernel.duration_ns && k.grid == kernel.grid;
  });
  const auto index = static_cast<uint32_t>(found - program.kernels.begin());
  if (found == program.kernels.end()) program.kernels.push_back(std::move(kernel));
  return index;
}

uint32_t add_text(Program& program, std::string_view text) {
  const auto found = std::ranges::find(program.texts, text);
  if (found != program.texts.end()) return static_cast<uint32_t>(found - program.texts.begin());
  program.texts.emplace_back(text);
  return static_cast<uint32_t>(program.texts.size() - 1);
}

uint16_t add_stream(Program& program, uint16_t gpu, uint32_t id, bool is_default, int priority) {
  program.streams.push_back({gpu, id, is_default, priority});
  return static_cast<uint16_t>(program.streams.size() - 1);
}

uint32_t add_semaphore(Program& program, int32_t posted) {
  program.semaphores.push_back(posted);
  return static_cast<uint32_t>(program.semaphores.size() - 1);
}

}  // namespace sonde::synth
