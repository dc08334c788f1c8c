#include "tracer/cupti/nvtx_registry.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace gradwire {
namespace {

template <std::size_t Size>
struct FixedText {
  RegisteredText text;
  char characters[Size];
};

constexpr FixedText<sizeof "(more names than the tracer keeps)"> kNoRoom = {
    {sizeof "(more names than the tracer keeps)" - 1}, "(more names than the tracer keeps)"};

/// Takes the place of every domain that has no room; its number is above all others.
constinit NvtxDomain no_room_domain = {NvtxRegistry::kMaxDomains + 1, &kNoRoom.text, false, {0}};

constinit NvtxRegistry the_registry;

bool equal(const RegisteredText& a, EventBytes b) {
  return a.size == b.size && std::memcmp(a.characters(), b.bytes, b.size) == 0;
}

bool equal(EventBytes a, const char* b) {
  return a.size == std::strlen(b) && std::memcmp(a.bytes, b, a.size) == 0;
}

/// FNV-1a, 32 bits (Fowler, Noll, Vo).
std::uint32_t hash_of(EventBytes text) {
  std::uint32_t hash = 2166136261U;
  for (std::size_t i = 0; i < text.size; ++i) {
    hash = (hash ^ static_cast<const unsigned char*>(text.bytes)[i]) * 16777619U;
  }
  return hash;
}

EventBytes cut(EventBytes text) { return {text.bytes, std::min(text.size, kMaxEventBytes)}; }

}  // namespace

NvtxRegistry& nvtx_registry() { return the_registry; }

std::byte* NvtxRegistry::take(std::size_t size, std::size_t limit) {
  const std::size_t rounded = (size + 7) / 8 * 8;
  std::size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (used + rounded > limit) return nullptr;
  } while (!used_.compare_exchange_weak(used, used + rounded, std::memory_order_relaxed));
  return room_ + used;
}

RegisteredText* NvtxRegistry::store(EventBytes text, std::size_t limit) {
  std::byte* const room = take(sizeof(RegisteredText) + text.size, limit);
  if (room == nullptr) return nullptr;
  auto* const stored = new (room) RegisteredText{static_cast<std::uint32_t>(text.size)};
  if (text.size > 0) std::memcpy(room + sizeof(RegisteredText), text.bytes, text.size);
  return stored;
}

NvtxDomain& NvtxRegistry::domain(EventBytes name) {
  const EventBytes wanted = cut(name);
  NvtxDomain* made = nullptr;
  for (std::size_t i = 0; i < kMaxDomains; ++i) {
    NvtxDomain* there = domains_[i].load(std::memory_order_acquire);
    if (there == nullptr) {
      if (made == nullptr) {
        const RegisteredText* const stored = store(wanted, sizeof room_);
        std::byte* const room =
            stored == nullptr ? nullptr : take(sizeof(NvtxDomain), sizeof room_);
        if (room == nullptr) return no_room_domain;
        const bool ours = equal(wanted, "NCCL") || equal(wanted, "gradwire");
        made = new (room) NvtxDomain{0, stored, ours || records_all(), {0}};
      }
      made->number = i + 1;
      if (domains_[i].compare_exchange_strong(there, made, std::memory_order_acq_rel)) return *made;
    }
    if (equal(*there->name, wanted)) return *there;
  }
  return no_room_domain;
}

const RegisteredText& NvtxRegistry::text(EventBytes text) {
  const EventBytes wanted = cut(text);
  const std::uint32_t hash = hash_of(wanted);
  RegisteredText* made = nullptr;
  constexpr std::size_t kTries = 64;  // places that a crowded table is searched for
  for (std::size_t i = 0; i < kTries; ++i) {
    std::atomic<RegisteredText*>& place = texts_[(hash + i) % kMaxTexts];
    RegisteredText* there = place.load(std::memory_order_acquire);
    if (there == nullptr) {
      if (made == nullptr) made = store(wanted, kTextBytes);
      if (made == nullptr) return kNoRoom.text;
      if (place.compare_exchange_strong(there, made, std::memory_order_acq_rel)) return *made;
    }
    if (equal(*there, wanted)) return *there;
  }
  return kNoRoom.text;
}

const RegisteredText* NvtxRegistry::find_text(const void* handle) const {
  if (handle == &kNoRoom.text) return &kNoRoom.text;
  const auto at = reinterpret_cast<std::uintptr_t>(handle);
  const auto first = reinterpret_cast<std::uintptr_t>(room_);
  const bool ours = at >= first && at < first + used_.load(std::memory_order_acquire) &&
                    (at - first) % alignof(std::uint64_t) == 0;
  return ours ? static_cast<const RegisteredText*>(handle) : nullptr;
}

}  // namespace gradwire
