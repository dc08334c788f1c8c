#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/capture/host_events.hpp"

namespace gradwire {

/// A text that a program registered; it lives for ever.
struct RegisteredText {
  std::uint32_t size = 0;
  const char* characters() const { return reinterpret_cast<const char*>(this + 1); }
  EventBytes bytes() const { return {characters(), size}; }
};

/// A domain of NVTX's, one for each name in the process however many libraries make it.
struct NvtxDomain {
  std::uint64_t number = 0;  ///< as in the capture: 1 is the first; 0 would be the default domain
  const RegisteredText* name = nullptr;
  bool recorded = false;
  std::atomic<std::uint64_t> announced{0};  ///< the session whose file has its name
};

/// What programs register by NVTX: their domains and strings. Any thread; neither locks (a child of
/// fork must not wait for a thread that it does not have) nor allocates: the room is fixed, and
/// only touched pages cost memory. What comes when the room is full shares one domain, and one
/// string whose text says so.
class NvtxRegistry {
 public:
  static constexpr std::size_t kMaxDomains = 256;
  static constexpr std::size_t kTextBytes = 1U << 20U;    ///< of all strings together
  static constexpr std::size_t kDomainBytes = 1U << 16U;  ///< kept free of strings
  static constexpr std::size_t kMaxTexts = 1U << 14U;

  /// Whether domains other than NCCL's and gradwire's are recorded: for those made later.
  void record_all(bool all) { record_all_.store(all, std::memory_order_relaxed); }
  bool records_all() const { return record_all_.load(std::memory_order_relaxed); }

  /// The domain of that name. Names longer than kMaxEventBytes are cut.
  NvtxDomain& domain(EventBytes name);

  /// The string of that text, cut likewise.
  const RegisteredText& text(EventBytes text);

  /// `handle` as a string of this registry; null for any other pointer.
  const RegisteredText* find_text(const void* handle) const;

 private:
  RegisteredText* store(EventBytes text, std::size_t limit);
  std::byte* take(std::size_t size, std::size_t limit);

  std::atomic<bool> record_all_{false};
  std::atomic<std::size_t> used_{0};
  std::atomic<NvtxDomain*> domains_[kMaxDomains] = {};
  std::atomic<RegisteredText*> texts_[kMaxTexts] = {};
  alignas(8) std::byte room_[kTextBytes + kDomainBytes] = {};
};

/// The one of this process.
NvtxRegistry& nvtx_registry();

}  // namespace gradwire
