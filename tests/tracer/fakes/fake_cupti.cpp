// libcupti.so.13 (and, with GRADWIRE_FAKE_CUPTI_12, libcupti.so.12) that records what the fake
// libcuda.so.1 plays, in real records, through the activity interface. Its own thread gives buffers
// back, as the real one's does. $GRADWIRE_FAKE_CUPTI says what is odd about it: README.md.
#include <cupti.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/tracer/fakes/fake_driver.h"
#include "tests/tracer/fakes/fake_records.hpp"

namespace {

constexpr std::size_t kMaxKinds = 64;

struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
};

struct State {
  std::mutex lock;
  std::condition_variable changed;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  bool kinds[kMaxKinds] = {};
  std::set<std::uint32_t> runtime_calls;
  std::set<std::uint32_t> driver_calls;
  Buffer current;
  std::deque<Buffer> full;  ///< on the worker's desk
  std::size_t being_completed = 0;
  bool forced = false;
  bool worker_started = false;
  std::vector<std::uint8_t> held;  ///< the record that comes after the next, when out of order
  std::size_t dropped = 0;
  long to_drop = odd_number("drop");
  long until_takeover = odd_number("takeover");
  bool replayed = false;
  CUpti_CallbackFunc callback = nullptr;
  std::map<std::string, char*> names;
};

State& state() {
  static auto* leaked = new State;
  return *leaked;
}

/// The library's strings end with it: whoever reads a name later reads this.
struct NamesEnd {
  ~NamesEnd() {
    for (auto& [text, copy] : state().names) std::memset(copy, '?', text.size());
  }
} names_end;

const char* keep_name(State& s, const char* name) {
  if (name == nullptr) return nullptr;
  char*& copy = s.names[name];
  if (copy == nullptr) copy = strdup(name);
  return copy;
}

void others_request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *size = 1U << 16U;
  *records = 0;
  *buffer = static_cast<std::uint8_t*>(std::calloc(1, *size));
}
void others_complete(CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {}

bool late() { return oddity("late") != nullptr; }

void work() {
  State& s = state();
  std::unique_lock guard(s.lock);
  for (;;) {
    s.changed.wait(guard, [&] { return !s.full.empty() && (!late() || s.forced); });
    const Buffer buffer = s.full.front();
    s.full.pop_front();
    ++s.being_completed;
    const auto complete = s.complete;
    guard.unlock();
    complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
    guard.lock();
    --s.being_completed;
    s.changed.notify_all();
  }
}

void put_on_desk(State& s) {
  if (s.current.bytes == nullptr) return;
  s.full.push_back(s.current);
  s.current = {};
  if (!s.worker_started) {
    s.worker_started = true;
    std::thread(work).detach();
  }
  s.changed.notify_all();
}

void append(State& s, const void* record, std::size_t size) {
  if (s.current.bytes != nullptr && s.current.used + size > s.current.size) put_on_desk(s);
  if (s.current.bytes == nullptr) {
    std::size_t records = 0;
    s.request(&s.current.bytes, &s.current.size, &records);
    s.current.used = 0;
  }
  if (s.current.bytes == nullptr) {
    ++s.dropped;
    return;
  }
  std::memcpy(s.current.bytes + s.current.used, record, size);
  s.current.used += size;
}

template <typename Record>
void record(State& s, const Record& one) {
  if (s.to_drop > 0) {
    --s.to_drop;
    ++s.dropped;
    return;
  }
  if (s.until_takeover > 0 && --s.until_takeover == 0) {
    s.request = others_request;
    s.complete = others_complete;
  }
  append(s, &one, sizeof one);
  if (!s.held.empty()) {
    append(s, s.held.data(), s.held.size());
    s.held.clear();
  }
}

/// Records of a file {size u64, records, names with a zero behind each}, in which a kernel's name
/// is one more than its place among the names.
void replay(State& s, const char* path) {
  std::ifstream file(path, std::ios::binary);
  static auto* kept =
      new std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::uint64_t size = 0;
  if (kept->size() < sizeof size) return;
  std::memcpy(&size, kept->data(), sizeof size);
  if (size > kept->size() - sizeof size) return;
  auto* bytes = reinterpret_cast<std::uint8_t*>(kept->data()) + sizeof size;
  CUpti_Activity* at = nullptr;
  while (cuptiActivityGetNextRecord(bytes, size, &at) == CUPTI_SUCCESS) {
    if (at->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    auto& kernel = *reinterpret_cast<KernelRecord*>(at);
    const auto place = reinterpret_cast<std::uintptr_t>(kernel.name);
    kernel.name = place == 0 ? nullptr : reinterpret_cast<char*>(bytes) + size + place - 1;
  }
  append(s, bytes, size);
}

void record_call(State& s, const FakeEvent& event) {
  const auto kind =
      event.call.driver != 0 ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
  const auto& chosen = event.call.driver != 0 ? s.driver_calls : s.runtime_calls;
  if (!s.kinds[kind] && chosen.count(event.call.callback) == 0) return;
  CUpti_ActivityAPI one;
  std::memset(&one, 0, sizeof one);
  one.kind = kind;
  one.cbid = event.call.callback;
  one.start = event.start_ns;
  one.end = event.end_ns;
  one.processId = static_cast<std::uint32_t>(getpid());
  one.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
  one.correlationId = event.correlation;
  record(s, one);
}

void record_kernel(State& s, const FakeEvent& event) {
  auto one = operation_record<KernelRecord>(event, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  one.name = keep_name(s, event.call.name);
  one.gridX = 2;
  one.gridY = one.gridZ = 1;
  one.blockX = 128;
  one.blockY = one.blockZ = 1;
  one.registersPerThread = 32;
  if (oddity("reorder") != nullptr && s.held.empty()) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&one);
    s.held.assign(bytes, bytes + sizeof one);
    return;
  }
  record(s, one);
}

void record_event(const FakeEvent* event) {
  State& s = state();
  const std::lock_guard guard(s.lock);
  if (s.request == nullptr) return;
  if (const char* path = oddity("replay"); path != nullptr && !s.replayed) {
    s.replayed = true;
    replay(s, path);
  }
  switch (event->operation) {
    case FAKE_NOTHING:
      record_call(s, *event);
      break;
    case FAKE_KERNEL:
      if (s.kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]) record_kernel(s, *event);
      break;
    case FAKE_MEMCPY: {
      if (!s.kinds[CUPTI_ACTIVITY_KIND_MEMCPY]) break;
      auto one = operation_record<MemcpyRecord>(*event, CUPTI_ACTIVITY_KIND_MEMCPY);
      one.bytes = event->call.bytes;
      one.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
      record(s, one);
      break;
    }
    case FAKE_MEMSET: {
      if (!s.kinds[CUPTI_ACTIVITY_KIND_MEMSET]) break;
      auto one = operation_record<CUpti_ActivityMemset4>(*event, CUPTI_ACTIVITY_KIND_MEMSET);
      one.bytes = event->call.bytes;
      record(s, one);
      break;
    }
    default: {
      if (!s.kinds[CUPTI_ACTIVITY_KIND_SYNCHRONIZATION]) break;
      SynchronizationRecord one;
      std::memset(&one, 0, sizeof one);
      one.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
      one.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
      one.start = event->start_ns;
      one.end = event->end_ns;
      one.correlationId = event->correlation;
      one.streamId = event->call.stream;
      record(s, one);
    }
  }
}

CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback) {
  if (trouble() != CUPTI_SUCCESS) return trouble();
  if (oddity("busy") != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&state());
  state().callback = callback;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto listen = driver == nullptr
                          ? nullptr
                          : reinterpret_cast<decltype(&fake_listen)>(dlsym(driver, "fake_listen"));
  if (listen == nullptr) return CUPTI_ERROR_UNKNOWN;
  listen(record_event);
  return CUPTI_SUCCESS;
}

CUptiResult set_kind(CUpti_ActivityKind kind, bool on) {
  if (trouble() != CUPTI_SUCCESS) return trouble();
  if (on && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && oddity("permission") != nullptr) {
    return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  }
  const std::lock_guard guard(state().lock);
  state().kinds[kind] = on;
  return CUPTI_SUCCESS;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  const long other = odd_number("version");
  *version = other != 0 ? static_cast<std::uint32_t>(other) : kVersion;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "FAKE_RESULT";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void*) {
  return subscribe(subscriber, callback);
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) { return CUPTI_SUCCESS; }

CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (trouble() != CUPTI_SUCCESS) return trouble();
  const std::lock_guard guard(state().lock);
  state().request = request;
  state().complete = complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return set_kind(kind, true); }
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) { return set_kind(kind, false); }

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  State& s = state();
  std::unique_lock guard(s.lock);
  s.forced = flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED;
  if (!s.forced && late()) return CUPTI_SUCCESS;
  if (s.forced && !s.held.empty()) {
    append(s, s.held.data(), s.held.size());
    s.held.clear();
  }
  put_on_desk(s);
  s.changed.notify_all();
  s.changed.wait(guard, [&] { return s.full.empty() && s.being_completed == 0; });
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t size,
                                       CUpti_Activity** record) {
  std::uint8_t* at = buffer;
  if (*record != nullptr) {
    at = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
  }
  const std::size_t left = size - static_cast<std::size_t>(at - buffer);
  if (left < sizeof(CUpti_Activity)) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  auto* next = reinterpret_cast<CUpti_Activity*>(at);
  if (size_of(next->kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  if (left < size_of(next->kind)) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = next;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard guard(state().lock);
  *dropped = state().dropped;
  state().dropped = 0;
  return CUPTI_SUCCESS;
}

#ifndef GRADWIRE_FAKE_CUPTI_12
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                              void*, CUpti_SubscriberParams* parameters) {
  const char* holder = oddity("busy");
  if (holder != nullptr && parameters->oldSubscriberName != nullptr) {
    std::strncpy(parameters->oldSubscriberName, holder, parameters->oldSubscriberSize);
  }
  return subscribe(subscriber, callback);
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId callback, std::uint8_t on) {
  const std::lock_guard guard(state().lock);
  if (on != 0) state().runtime_calls.insert(callback);
  if (on == 0) state().runtime_calls.erase(callback);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId callback, std::uint8_t on) {
  const std::lock_guard guard(state().lock);
  if (on != 0) state().driver_calls.insert(callback);
  if (on == 0) state().driver_calls.erase(callback);
  return CUPTI_SUCCESS;
}
#endif

}  // extern "C"
