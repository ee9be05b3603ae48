#include "inject/thread_chunk.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "inject/encode.h"
#include "inject/process_rank.h"

namespace sonde::inject {

thread_local constinit ThreadChunk thread_chunk{};

namespace {

pthread_key_t key;
bool has_key = false;
/// The C library has room for the values of so many keys in each thread; for those beyond it allocates.
constexpr pthread_key_t kKeysInPlace = 32;

uint64_t fresh_token() noexcept { return static_cast<uint64_t>(syscall(SYS_getpid)) << 32U | 1U; }

void give_back(ThreadChunk& mine) noexcept {
  uint64_t owner = mine.owner_word;
  const uint64_t full = wire::owner_word(wire::ChunkState::full, wire::process_of(owner), wire::thread_of(owner));
  mine.owner->compare_exchange_strong(owner, full, std::memory_order_release, std::memory_order_relaxed);
  mine.chunk = nullptr;
  mine.next = mine.end = nullptr;
}

/// The C library calls it when a thread ends. Events that destructors behind this one record take a chunk again, and
/// it is called again.
void on_thread_end(void*) noexcept {
  ThreadChunk& mine = thread_chunk;
  if (mine.chunk == nullptr || mine.token != attachment.guard->load(std::memory_order_relaxed)) return;
  mine.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  give_back(mine);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  mine.busy = false;
}

/// The token of this process, made by the thread that finds that there is none: the first one, or that of a child of
/// fork().
uint64_t process_token(bool& made) noexcept {
  uint64_t token = attachment.guard->load(std::memory_order_relaxed);
  if (token != 0) return token;
  find_namespace();
  const uint64_t fresh = fresh_token();
  made = attachment.guard->compare_exchange_strong(token, fresh, std::memory_order_relaxed);
  return made ? fresh : token;
}

bool find_free(ThreadChunk& mine) noexcept {
  const bool foreign = attachment.foreign.load(std::memory_order_relaxed);
  const auto state = foreign ? wire::ChunkState::foreign : wire::ChunkState::written;
  const uint64_t word = wire::owner_word(state, static_cast<uint32_t>(attachment.guard->load() >> 32U), mine.thread);
  wire::Owner* owners = wire::owners_of(attachment.mapping);
  // From the first on, so that a program with few events touches few pages.
  for (uint32_t i = 0; i < wire::kChunks; ++i) {
    uint64_t found = owners[i].load(std::memory_order_relaxed);
    if (wire::state_of(found) != wire::ChunkState::free) continue;
    if (!owners[i].compare_exchange_strong(found, word, std::memory_order_acquire)) continue;
    mine.owner = &owners[i];
    mine.owner_word = word;
    mine.chunk = wire::chunk_of(attachment.mapping, i);
    mine.next = wire::records_of(mine.chunk);
    mine.end = mine.next + wire::kRecordBytes;
    return true;
  }
  return false;
}

/// What a record of usual size takes to write, in the shortest of some rounds: the first touches new pages. They are
/// written behind the last one, and not published.
uint32_t measure_cost(const ThreadChunk& mine) noexcept {
  constexpr int kRounds = 8;
  constexpr int64_t kRecords = 16;
  const Text text{"measure_cost", 12};
  int64_t shortest = INT64_MAX;
  for (int round = 0; round < kRounds; ++round) {
    const int64_t began = now_ns();
    for (int64_t i = 0; i < kRecords; ++i) {
      encode_event(mine.next, {.kind = wire::Kind::push, .time = now_ns(), .text = text}, event_bytes({.text = text}));
    }
    shortest = std::min(shortest, now_ns() - began);
  }
  return static_cast<uint32_t>(std::max(int64_t{1}, shortest / kRecords));
}

void report_rank(ThreadChunk& mine) noexcept {
  constexpr uint32_t kBytes = sizeof(wire::RecordHead) + sizeof(wire::ProcessRankBody);
  wire::ProcessRankBody body{};
  if (!process_rank(body)) return;
  put(put_head(mine.next, wire::Kind::process_rank, kBytes, 0, 0, now_ns()), body);
  mine.next += kBytes;
}

void report_process(ThreadChunk& mine) noexcept {
  const Text name = text_of(program_invocation_short_name);
  wire::ProcessBody body{};
  body.parent = static_cast<uint32_t>(syscall(SYS_getppid));
  body.event_cost_ns = measure_cost(mine);
  body.text_bytes = name.bytes;
  const auto bytes = static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof body + wire::padded(name.bytes));
  std::byte* at = put_head(mine.next, wire::Kind::process, bytes, 0, 0, now_ns());
  put_text(put(at, body), name);
  mine.next += bytes;
  report_rank(mine);
  mine.chunk->committed.store(static_cast<uint32_t>(mine.next - wire::records_of(mine.chunk)),
                              std::memory_order_release);
}

bool take(ThreadChunk& mine, uint32_t bytes) noexcept {
  if (attachment.header == nullptr) return false;  // no recorder has come yet
  bool new_process = false;
  const uint64_t token = process_token(new_process);
  if (mine.token != token) {  // what it holds is nothing, or its parent's
    mine.chunk = nullptr;
    mine.next = mine.end = nullptr;
    mine.thread = static_cast<uint32_t>(syscall(SYS_gettid));
    mine.none_free = false;
    mine.token = token;
  } else if (mine.chunk != nullptr) {
    give_back(mine);
  }
  const uint32_t freed = attachment.header->freed.load(std::memory_order_acquire);
  if (mine.none_free && mine.freed_seen == freed) return false;
  mine.none_free = !find_free(mine);
  mine.freed_seen = freed;
  if (mine.none_free) return false;
  if (has_key) pthread_setspecific(key, &mine);
  if (new_process) report_process(mine);
  return static_cast<size_t>(mine.end - mine.next) >= bytes;
}

}  // namespace

uint64_t own_token() noexcept {
  const uint64_t token = attachment.guard->load(std::memory_order_relaxed);
  return token != 0 ? token : fresh_token();
}

void prepare_threads() noexcept {
  has_key = pthread_key_create(&key, on_thread_end) == 0;
  if (!has_key || key < kKeysInPlace) return;
  pthread_key_delete(key);
  has_key = false;
}

void announce() noexcept {
  // Taking a process's first chunk writes its record; there is nothing to publish behind it.
  if (begin_record(sizeof(wire::RecordHead)) != nullptr) commit_record(0);
}

bool take_chunk(ThreadChunk& mine, uint32_t bytes) noexcept {
  const int error = errno;
  const bool taken = take(mine, bytes);
  errno = error;
  return taken;
}

}  // namespace sonde::inject
