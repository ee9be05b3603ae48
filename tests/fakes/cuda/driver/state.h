#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "machine.h"

/// What the stand-in driver has. The handles that programs hold are pointers to these.
namespace fake_cuda {

struct Context;
struct Graph;

struct Stream {
  uint32_t id = 0;
  Context* context = nullptr;
  int64_t ready = 0;         ///< when all that it was given so far has ended
  Graph* capture = nullptr;  ///< what is given to it goes there instead
};

struct Context {
  uint32_t id = 0;  ///< 0: it was destroyed
  uint32_t device = 0;
  Stream null_stream;
  std::vector<std::unique_ptr<Stream>> streams;
};

struct Event {
  uint32_t id = 0;
  int64_t time = 0;  ///< when it is reached; 0: it was never recorded
};

struct Node {
  uint64_t id = 0;
  Operation operation;
  int64_t duration = 0;
};

struct Graph {
  uint32_t id = 0;
  std::vector<std::unique_ptr<Node>> nodes;
};

struct Exec {
  uint32_t id = 0;
  std::vector<std::unique_ptr<Node>> nodes;
  Graph lowered;  ///< the form that the device takes
};

struct Allocation {
  uint64_t bytes = 0;
  uint32_t kind = 0;
};

constexpr uint32_t kManaged = 5;  ///< CUpti_ActivityMemoryKind
constexpr uint32_t kDevices = 2;

struct State {
  std::mutex mutex;
  std::atomic<bool> initialized{false};
  std::unique_ptr<Context> contexts[kDevices];
  std::map<uint64_t, Allocation> allocations;
  uint64_t next_address = 0x7000'0000'0000;
  uint32_t next_context = 1;
  uint32_t next_stream = 13;  ///< as the real one numbers them; the default stream is 7
  uint32_t next_event = 1;
  uint32_t next_graph = 1;
  uint64_t next_node = 1;
  int64_t next_grid = 1;
};

/// Never destroyed: threads of the program go on while it ends.
State& state();

/// Of this thread; null: none.
Context*& current_context();

int64_t now_ns();

/// Sleeps until that time, by a system call of its own: nobody is to see it as a call of the program.
void sleep_until(int64_t time);

const Listener* listener();

/// CUresult
enum Answer : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kNotInitialized = 3,
  kInvalidContext = 201,
};

/// After fork() without exec(): the driver works no more.
bool is_forked();

void enter(ApiCall* call);
void leave(ApiCall* call);

/// Runs `body` as a call of the driver's API that needs no context.
template <typename Body>
int api_anywhere(uint32_t id, const char* name, const void* parameters, const char* symbol, Body body) {
  if (is_forked() || !state().initialized) return kNotInitialized;
  ApiCall call{};
  call.domain = Domain::driver;
  call.id = id;
  call.name = name;
  call.parameters = parameters;
  call.symbol = symbol;
  enter(&call);
  call.result = static_cast<uint32_t>(body(call));
  leave(&call);
  return static_cast<int>(call.result);
}

/// The same of one that needs a context.
template <typename Body>
int api(uint32_t id, const char* name, const void* parameters, const char* symbol, Body body) {
  return api_anywhere(id, name, parameters, symbol, [&](const ApiCall& call) {
    return current_context() == nullptr ? int{kInvalidContext} : body(call);
  });
}

/// Places an operation on its stream's timeline and tells CUPTI of it; in a graph when that is being captured. When it
/// begins.
int64_t give(Stream& stream, Operation operation, int64_t duration, const ApiCall& call);

/// The default stream of the context where the handle is null.
Stream& stream_of(void* handle);

/// Tells of a wait that lies within a call.
void tell_wait(uint32_t type, uint32_t stream, uint32_t event, int64_t start, const ApiCall& call);

}  // namespace fake_cuda
