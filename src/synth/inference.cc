#include <algorithm>

#include <fmt/format.h>

#include "synth/synth.h"
#include "synth/transformer.h"
#include "synth/worker.h"

namespace sonde::synth {
namespace inference {
namespace {

/// The model's kernels as one CUDA graph: no launches between them.
int64_t graph_ns(const Program& program, const Model& model) {
  int64_t sum = 0;
  for (const ModelOp& op : model) sum += program.kernels[op.kernel].duration_ns;
  return sum;
}

void emit_graph_making(Builder& b, uint32_t graph) {
  Step step;
  step.kind = StepKind::make_graph;
  step.call = ApiCall::instantiate_graph;
  step.what = graph;
  b.add(step, "graph");
}

void emit_graph(Builder& b, const Model& model, uint32_t graph, uint16_t stream) {
  b.push(RangeLevel::module, "model", "nn.Module: Transformer_0");
  Step step;
  step.kind = StepKind::graph;
  step.call = ApiCall::launch_graph;
  step.stream = stream;
  step.what = graph;
  step.amount = graph_ns(b.program(), model);
  b.add(step, "graph");
  b.pop();
}

/// One batch on one stream: in, through the model, out.
void emit_batch(Builder& b, const Model& model, const SynthOptions& options, uint16_t stream, uint32_t graph) {
  b.push(RangeLevel::phase, "input copy", "## input copy ##");
  b.copy(CopyKind::host_to_device, kInputBytes, MemoryKind::pinned, stream);
  b.pop();
  b.push(RangeLevel::phase, "forward", "## forward ##");
  if (options.graphs) {
    emit_graph(b, model, graph, stream);
  } else {
    emit_forward(b, model, stream);
  }
  b.pop();
  b.push(RangeLevel::phase, "output copy", "## output copy ##");
  b.copy(CopyKind::device_to_host, kOutputBytes, MemoryKind::pinned, stream);
  b.pop();
}

void emit_iteration(Builder& b, const Model& model, const SynthOptions& options, const std::vector<uint16_t>& streams,
                    const LoaderLink& loader, uint32_t first_graph) {
  b.push(RangeLevel::iteration, "iteration", "ProfilerStep");
  b.wait(loader.ready, "sem_wait");
  emit_warm_up_allocations(b);
  for (size_t i = 0; i < streams.size(); ++i) {
    emit_batch(b, model, options, streams[i], first_graph + static_cast<uint32_t>(i));
  }
  b.post(loader.slot);
  for (const uint16_t stream : streams) b.sync_stream(stream);
  b.host(70'000, "results");
  b.unified(StepKind::unified_write, 262'144, 16);
  b.unified(StepKind::unified_read, 131'072, 16);
  b.pop();
}

void add_gpu(Program& program, const Model& model, const SynthOptions& options, uint16_t gpu) {
  std::vector<uint16_t> streams;
  const uint16_t default_stream = add_stream(program, gpu, stream_id(gpu, 0), true);
  for (int i = 0; i < options.streams; ++i) {
    streams.push_back(add_stream(program, gpu, stream_id(gpu, static_cast<uint32_t>(i) + 1), false));
  }
  const uint32_t first_graph = program.graphs;
  if (options.graphs) program.graphs += static_cast<uint32_t>(options.streams);
  // The first thread is the one whose iterations are counted.
  Builder b(program, fmt::format("worker_{}", gpu), gpu);
  const LoaderLink loader = add_loader(program, gpu);
  emit_start(b, gpu, 2 * options.layers, default_stream);
  for (uint32_t g = first_graph; g < program.graphs; ++g) emit_graph_making(b, g);
  b.to_iteration();
  emit_iteration(b, model, options, streams, loader, first_graph);
  emit_end(b, 2 * options.layers, default_stream);
}

Program build(const SynthOptions& options) {
  Program program;
  program.name = "inference";
  program.gpus = static_cast<uint16_t>(options.gpus);
  const Model model = transformer(program, options.layers);
  for (uint16_t gpu = 0; gpu < program.gpus; ++gpu) add_gpu(program, model, options, gpu);
  return program;
}

}  // namespace
}  // namespace inference

extern const ProgramInfo inference_program;
const ProgramInfo inference_program = {
    "inference", "inference of a transformer in batches, several streams per GPU; each batch is copied in and out",
    &inference::build};

}  // namespace sonde::synth
