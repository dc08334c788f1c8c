#include "tracer/cupti/nvtx_injection.hpp"

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "tracer/capture/host_events.hpp"
#include "tracer/capture/session.hpp"
#include "tracer/cupti/nvtx_event.hpp"
#include "tracer/cupti/nvtx_registry.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t kDefaultDomain = 0;

/// Of ranges that start and end on different threads. Odd ones are recorded: nvtxRangeEnd is not
/// told the domain.
std::atomic<std::uint64_t> next_range{2};

struct Target {
  bool recorded = false;
  std::uint64_t number = 0;
};

Target target_of(nvtxDomainHandle_t handle) {
  if (handle == nullptr) return {nvtx_registry().records_all(), kDefaultDomain};
  auto& domain = *reinterpret_cast<NvtxDomain*>(handle);
  return {domain.recorded, domain.number};
}

/// Puts the domain's name into this session's file, once. Another thread's event may come before
/// it.
void announce(nvtxDomainHandle_t handle) {
  if (handle == nullptr) return;
  auto& domain = *reinterpret_cast<NvtxDomain*>(handle);
  const std::uint64_t session = session_number();
  if (domain.announced.load(std::memory_order_relaxed) == session) return;
  if (domain.announced.exchange(session, std::memory_order_relaxed) == session) return;
  HostEvent event;
  event.kind = HostEventKind::kNvtxDomain;
  event.value = domain.number;
  event.text = domain.name->bytes();
  record_host_event(event);
}

template <typename Source>
void record(HostEventKind kind, nvtxDomainHandle_t domain, std::uint64_t range, Source source) {
  const Target target = target_of(domain);
  if (!target.recorded || !session_is_on()) return;
  announce(domain);
  const NvtxEvent said(source);
  HostEvent event;
  event.kind = kind;
  event.value = range;
  event.domain = target.number;
  said.put_into(event);
  record_host_event(event);
}

int pop(nvtxDomainHandle_t domain) {
  const Target target = target_of(domain);
  if (target.recorded && session_is_on()) {
    HostEvent event;
    event.kind = HostEventKind::kNvtxPop;
    event.domain = target.number;
    record_host_event(event);
  }
  return NVTX_NO_PUSH_POP_TRACKING;
}

template <typename Source>
int push(nvtxDomainHandle_t domain, Source source) {
  record(HostEventKind::kNvtxPush, domain, 0, source);
  return NVTX_NO_PUSH_POP_TRACKING;  // who reads the file builds the stacks
}

template <typename Source>
nvtxRangeId_t start(nvtxDomainHandle_t domain, Source source) {
  const std::uint64_t fresh = next_range.fetch_add(2, std::memory_order_relaxed);
  const std::uint64_t range = fresh | (target_of(domain).recorded ? 1U : 0U);
  record(HostEventKind::kNvtxStart, domain, range, source);
  return range;
}

void end(nvtxDomainHandle_t domain, nvtxRangeId_t range) {
  if ((range & 1U) == 0 || !session_is_on()) return;
  HostEvent event;
  event.kind = HostEventKind::kNvtxEnd;
  event.value = range;
  event.domain = target_of(domain).number;
  record_host_event(event);
}

template <typename Source>
void mark(nvtxDomainHandle_t domain, Source source) {
  record(HostEventKind::kNvtxMark, domain, 0, source);
}

// Calls of the default domain.
void mark_ex(const nvtxEventAttributes_t* attributes) { mark(nullptr, attributes); }
void mark_a(const char* message) { mark(nullptr, message); }
void mark_w(const wchar_t* message) { mark(nullptr, message); }
nvtxRangeId_t start_ex(const nvtxEventAttributes_t* attributes) {
  return start(nullptr, attributes);
}
nvtxRangeId_t start_a(const char* message) { return start(nullptr, message); }
nvtxRangeId_t start_w(const wchar_t* message) { return start(nullptr, message); }
void end_default(nvtxRangeId_t range) { end(nullptr, range); }
int push_ex(const nvtxEventAttributes_t* attributes) { return push(nullptr, attributes); }
int push_a(const char* message) { return push(nullptr, message); }
int push_w(const wchar_t* message) { return push(nullptr, message); }
int pop_default() { return pop(nullptr); }

// Calls of domains, and registration.
void domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  mark(domain, attributes);
}
nvtxRangeId_t domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return start(domain, attributes);
}
int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return push(domain, attributes);
}

template <typename Character>
nvtxDomainHandle_t create_domain(const Character* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(&nvtx_registry().domain(NvtxEvent(name).text()));
}

template <typename Character>
nvtxStringHandle_t register_string(nvtxDomainHandle_t, const Character* text) {
  const RegisteredText& stored = nvtx_registry().text(NvtxEvent(text).text());
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<RegisteredText*>(&stored));
}

struct Slot {
  unsigned index;
  NvtxFunctionPointer function;
};

template <typename Function>
Slot slot(unsigned index, Function* function) {
  return {index, reinterpret_cast<NvtxFunctionPointer>(function)};
}

/// Fills `slots` of one table of the object; false, and nothing is changed, when it has no such
/// table or a shorter one.
template <std::size_t Count>
bool fill(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module, unsigned size,
          const Slot (&slots)[Count]) {
  NvtxFunctionTable table = nullptr;
  unsigned entries = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &entries) == 0 || table == nullptr ||
      entries < size) {
    return false;
  }
  for (const Slot& each : slots) {
    if (table[each.index] != nullptr) *table[each.index] = each.function;
  }
  return true;
}

bool attach(const NvtxExportTableCallbacks& callbacks, bool all) {
  const Slot domains[] = {
      slot(NVTX_CBID_CORE2_DomainMarkEx, domain_mark),
      slot(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start),
      slot(NVTX_CBID_CORE2_DomainRangeEnd, end),
      slot(NVTX_CBID_CORE2_DomainRangePushEx, domain_push),
      slot(NVTX_CBID_CORE2_DomainRangePop, pop),
      slot(NVTX_CBID_CORE2_DomainRegisterStringA, register_string<char>),
      slot(NVTX_CBID_CORE2_DomainRegisterStringW, register_string<wchar_t>),
      slot(NVTX_CBID_CORE2_DomainCreateA, create_domain<char>),
      slot(NVTX_CBID_CORE2_DomainCreateW, create_domain<wchar_t>),
  };
  if (!fill(callbacks, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_Initialize, domains)) return false;
  const Slot range_end[] = {slot(NVTX_CBID_CORE_RangeEnd, end_default)};
  if (!all) {
    return fill(callbacks, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_SIZE, range_end);
  }
  const Slot defaults[] = {
      slot(NVTX_CBID_CORE_MarkEx, mark_ex),       slot(NVTX_CBID_CORE_MarkA, mark_a),
      slot(NVTX_CBID_CORE_MarkW, mark_w),         slot(NVTX_CBID_CORE_RangeStartEx, start_ex),
      slot(NVTX_CBID_CORE_RangeStartA, start_a),  slot(NVTX_CBID_CORE_RangeStartW, start_w),
      slot(NVTX_CBID_CORE_RangeEnd, end_default), slot(NVTX_CBID_CORE_RangePushEx, push_ex),
      slot(NVTX_CBID_CORE_RangePushA, push_a),    slot(NVTX_CBID_CORE_RangePushW, push_w),
      slot(NVTX_CBID_CORE_RangePop, pop_default),
  };
  return fill(callbacks, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_SIZE, defaults);
}

/// GRADWIRE_NVTX=1 asks for the ranges of all domains.
bool all_domains() {
  const char* const value = std::getenv("GRADWIRE_NVTX");
  return value != nullptr && std::strcmp(value, "1") == 0;
}

/// Of the object's NVTX headers; 0 when it does not tell.
std::uint32_t nvtx_version(NvtxGetExportTableFunc_t get_table) {
  const auto* const version =
      static_cast<const NvtxExportTableVersionInfo*>(get_table(NVTX_ETID_VERSIONINFO));
  const bool known = version != nullptr && version->struct_size >= sizeof *version;
  return known ? version->version : 0;
}

}  // namespace
}  // namespace gradwire

// NVTX chose the name. NOLINTNEXTLINE(readability-identifier-naming)
int InitializeInjectionNvtx2(const void* (*get_table)(std::uint32_t id)) {
  using namespace gradwire;
  if (get_table == nullptr) return 0;
  start_session_once();
  constexpr std::uint32_t kNvtx3 = 3;
  if (nvtx_version(get_table) != kNvtx3) return 0;
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks) return 0;
  nvtx_registry().record_all(all_domains());
  return attach(*callbacks, nvtx_registry().records_all()) ? 1 : 0;
}
