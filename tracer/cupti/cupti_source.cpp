#include "tracer/cupti/cupti_source.hpp"

#include <cupti.h>

#include <cstdio>
#include <cstring>

#include "tracer/capture/buffer_pool.hpp"
#include "tracer/capture/complain.hpp"
#include "tracer/cupti/activity_decoder.hpp"
#include "tracer/cupti/recorded_calls.hpp"

namespace gradwire {
namespace {

struct RecordedKind {
  CUpti_ActivityKind kind;
  const char* name;
};

constexpr RecordedKind kOtherKinds[] = {
    {CUPTI_ACTIVITY_KIND_MEMCPY, "MEMCPY"},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, "MEMCPY2"},
    {CUPTI_ACTIVITY_KIND_MEMSET, "MEMSET"},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "SYNCHRONIZATION"},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, "OVERHEAD"},
};

/// Versions as in cupti_version.h.
constexpr std::uint32_t kMayRefuseBuffer = 27;  // 12.9; before it a null buffer could crash CUPTI
constexpr std::uint32_t kDisableDeadlocks =
    130000;  // 13.0 before its update 1, by its release notes

/// What CUPTI's callbacks need, which carry no pointer. Set once and left, since a callback may be
/// on its way when a session ends.
std::atomic<BufferPool*> callback_pool{nullptr};
std::atomic<bool> buffers_wanted{false};
std::atomic<bool> may_refuse{false};
std::atomic<bool> cupti_has_failed{false};

void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  const bool refusable = may_refuse.load(std::memory_order_relaxed);
  BufferPool* pool = callback_pool.load(std::memory_order_acquire);
  *max_records = 0;  // as many as fit
  *buffer = nullptr;
  if (pool != nullptr && (buffers_wanted.load(std::memory_order_relaxed) || !refusable)) {
    *buffer = pool->take(refusable);
  }
  *size = *buffer != nullptr ? BufferPool::kBufferBytes : 0;
}

void CUPTIAPI complete_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t size, std::size_t valid_size) {
  BufferPool* pool = callback_pool.load(std::memory_order_acquire);
  if (pool == nullptr || buffer == nullptr) return;
  // Of whoever had registered before us, as PyTorch's profiler does without claiming CUPTI.
  if (size != BufferPool::kBufferBytes) return;
  pool->hand_over({buffer, valid_size, context, stream});
}

/// CUPTI tells of its own failure, after which it has stopped and must not be called.
void CUPTIAPI on_callback(void* /*userdata*/, CUpti_CallbackDomain domain,
                          CUpti_CallbackId callback, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_STATE || callback != CUPTI_CBID_STATE_FATAL_ERROR) return;
  if (cupti_has_failed.exchange(true)) return;
  const auto* state = static_cast<const CUpti_StateData*>(data);
  const char* message = state != nullptr ? state->notification.message : nullptr;
  complain("CUPTI has failed (%s): nothing on the device is recorded from here on",
           message != nullptr ? message : "it does not say why");
}

}  // namespace

const char* CuptiSource::start(BufferPool& pool) {
  if (recording_.load()) return nullptr;
  refused_[0] = '\0';
  devices_seen_ = 0;
  devices_told_ = 0;
  driver_.load();
  const std::uint32_t driver_version = driver_.version();
  if (driver_version != 0) {
    std::snprintf(driver_text_, sizeof driver_text_, "%u", driver_version);
  }
  const char* problem = api_.load(driver_version);
  if (api_.version != 0) std::snprintf(version_text_, sizeof version_text_, "%u", api_.version);
  if (problem == nullptr) problem = claim();
  if (problem != nullptr) {
    if (driver_.is_loaded()) return problem;
    return "no NVIDIA driver (libcuda.so.1) is here, so kernels are not recorded";
  }
  problem = enable(pool);
  if (problem != nullptr) {
    disable_all();
    api_.unsubscribe(subscriber_);
    subscriber_ = nullptr;
    return problem;
  }
  recording_.store(true);
  return nullptr;
}

/// The one reliable probe: who may subscribe has CUPTI, and a usable driver under it.
const char* CuptiSource::claim() {
  if (api_.set_thread_id_type != nullptr) {
    // Thread ids as gettid tells them, which host events carry; pthread_self otherwise.
    const CUptiResult result = api_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    if (result != CUPTI_SUCCESS) note_refused("cuptiSetThreadIdType", result);
  }
  char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN * 2] = "";
  CUptiResult result = CUPTI_SUCCESS;
  if (api_.subscribe_v2 != nullptr) {
    CUpti_SubscriberParams parameters{};
    parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    parameters.subscriberName = "gradwire";
    parameters.oldSubscriberName = holder;
    parameters.oldSubscriberSize = sizeof holder;
    result = api_.subscribe_v2(&subscriber_, on_callback, nullptr, &parameters);
  } else {
    result = api_.subscribe(&subscriber_, on_callback, nullptr);
  }
  if (result == CUPTI_SUCCESS) return nullptr;
  subscriber_ = nullptr;
  if (result != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    return refuse("cuptiSubscribe", result);
  }
  holder[sizeof holder - 1] = '\0';
  std::snprintf(sentence_, sizeof sentence_,
                "another tool holds CUPTI in this process (%s), so kernels are not recorded: run "
                "without that profiler or debugger",
                holder[0] != '\0' ? holder : "it does not say which");
  return sentence_;
}

const char* CuptiSource::enable(BufferPool& pool) {
  callback_pool.store(&pool, std::memory_order_release);
  may_refuse.store(api_.version >= kMayRefuseBuffer);
  buffers_wanted.store(true);
  if (api_.enable_callback != nullptr) {
    const CUptiResult state =
        api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
    if (state != CUPTI_SUCCESS) note_refused("STATE", state);
  }
  CUptiResult result = api_.activity_register_callbacks(request_buffer, complete_buffer);
  if (result != CUPTI_SUCCESS) return refuse("cuptiActivityRegisterCallbacks", result);
  result = api_.activity_enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result != CUPTI_SUCCESS) return refuse("cuptiActivityEnable of kernels", result);
  for (const RecordedKind& kind : kOtherKinds) {
    result = api_.activity_enable(kind.kind);
    if (result != CUPTI_SUCCESS) note_refused(kind.name, result);
  }
  enable_calls();
  return nullptr;
}

/// Launches one by one where CUPTI can (12.5 and later); else it records every call and the decoder
/// keeps these.
void CuptiSource::enable_calls() {
  one_by_one_ =
      api_.activity_enable_runtime_api != nullptr && api_.activity_enable_driver_api != nullptr;
  if (one_by_one_) {
    const RecordedCalls runtime = recorded_runtime_calls();
    const RecordedCalls driver = recorded_driver_calls();
    std::size_t enabled = 0;
    // A call that this CUPTI does not know yet does not happen either.
    for (std::size_t i = 0; i < runtime.count; ++i) {
      enabled +=
          api_.activity_enable_runtime_api(runtime.callbacks[i], 1) == CUPTI_SUCCESS ? 1U : 0U;
    }
    for (std::size_t i = 0; i < driver.count; ++i) {
      enabled += api_.activity_enable_driver_api(driver.callbacks[i], 1) == CUPTI_SUCCESS ? 1U : 0U;
    }
    if (enabled > 0) return;
    one_by_one_ = false;
  }
  for (const RecordedKind& kind : {RecordedKind{CUPTI_ACTIVITY_KIND_RUNTIME, "RUNTIME"},
                                   RecordedKind{CUPTI_ACTIVITY_KIND_DRIVER, "DRIVER"}}) {
    const CUptiResult result = api_.activity_enable(kind.kind);
    if (result != CUPTI_SUCCESS) note_refused(kind.name, result);
  }
}

/// The sentence for a call that CUPTI answered with an error.
const char* CuptiSource::refuse(const char* what, CUptiResult result) {
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
      result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
    std::snprintf(
        sentence_, sizeof sentence_,
        "the NVIDIA driver lets only administrators profile, so kernels are not recorded: "
        "load its module with NVreg_RestrictProfilingToAdminUsers=0 or give the process "
        "CAP_SYS_ADMIN (%s answered %d)",
        what, static_cast<int>(result));
    return sentence_;
  }
  const char* meaning = nullptr;
  if (api_.get_result_string != nullptr) api_.get_result_string(result, &meaning);
  if (meaning == nullptr) meaning = "no text";
  const bool too_old = result == CUPTI_ERROR_NOT_INITIALIZED;
  std::snprintf(sentence_, sizeof sentence_,
                "CUPTI cannot record here, so kernels are not recorded: %s answered %d (%s)%s; the "
                "driver's version is %s, CUPTI's %u (%s)",
                what, static_cast<int>(result), meaning,
                too_old ? ", which it does when the driver is older than it" : "",
                driver_text_[0] != '\0' ? driver_text_ : "unknown", api_.version, api_.path);
  return sentence_;
}

void CuptiSource::note_refused(const char* what, CUptiResult result) {
  const std::size_t used = std::strlen(refused_);
  std::snprintf(refused_ + used, sizeof refused_ - used, "%s%s (%d)", used == 0 ? "" : ", ", what,
                static_cast<int>(result));
}

bool CuptiSource::is_recording() const { return recording_.load() && !cupti_has_failed.load(); }

void CuptiSource::flush(bool forced) {
  if (is_recording()) api_.activity_flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

void CuptiSource::decode(const FullBuffer& buffer, RecordSink& sink) {
  devices_seen_ |= decode_activities(api_.activity_get_next_record, buffer, sink);
}

void CuptiSource::devices(RecordSink& sink) {
  for (std::uint32_t index = 0; index < 64 && devices_seen_ != devices_told_; ++index) {
    const std::uint64_t bit = std::uint64_t{1} << index;
    if ((devices_seen_ & bit) == 0 || (devices_told_ & bit) != 0) continue;
    devices_told_ |= bit;
    char name[256] = "";
    CaptureDevice device;
    if (driver_.describe(index, name, device)) sink.take(device);
  }
}

std::uint64_t CuptiSource::dropped_records() {
  std::uint64_t dropped = dropped_at_stop_.exchange(0);
  std::size_t more = 0;
  if (is_recording() && api_.activity_get_dropped(nullptr, 0, &more) == CUPTI_SUCCESS) {
    dropped += more;
  }
  return dropped;
}

bool CuptiSource::fact(std::size_t index, const char*& name, const char*& value) {
  const struct {
    const char* name;
    const char* value;
  } facts[] = {
      {"cupti", version_text_},
      {"cupti library", api_.path},
      {"driver", driver_text_},
      {"cupti functions missing", api_.missing_functions},
      {"cupti refused", refused_},
      {"calls recorded", !recording_.load() ? ""
                         : one_by_one_      ? "one by one"
                                            : "all"},
  };
  for (const auto& fact : facts) {
    if (fact.value[0] == '\0') continue;
    if (index-- > 0) continue;
    name = fact.name;
    value = fact.value;
    return true;
  }
  return false;
}

void CuptiSource::disable_all() {
  buffers_wanted.store(false);
  if (one_by_one_) {
    const RecordedCalls runtime = recorded_runtime_calls();
    const RecordedCalls driver = recorded_driver_calls();
    for (std::size_t i = 0; i < runtime.count; ++i) {
      api_.activity_enable_runtime_api(runtime.callbacks[i], 0);
    }
    for (std::size_t i = 0; i < driver.count; ++i) {
      api_.activity_enable_driver_api(driver.callbacks[i], 0);
    }
  } else {
    api_.activity_disable(CUPTI_ACTIVITY_KIND_RUNTIME);
    api_.activity_disable(CUPTI_ACTIVITY_KIND_DRIVER);
  }
  for (const RecordedKind& kind : kOtherKinds) api_.activity_disable(kind.kind);
  // Where that can block for ever, kernel records are left on and refused a buffer.
  if (api_.version != kDisableDeadlocks) {
    api_.activity_disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  }
}

void CuptiSource::stop() {
  if (!is_recording()) return;
  disable_all();
  api_.activity_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  dropped_at_stop_.store(dropped_records());
  recording_.store(false);
  api_.unsubscribe(subscriber_);
  subscriber_ = nullptr;
}

namespace {

constinit CuptiSource g_source;

}  // namespace

ActivitySource& activity_source() { return g_source; }

}  // namespace gradwire
