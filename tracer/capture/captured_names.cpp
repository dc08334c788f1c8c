#include "tracer/capture/captured_names.hpp"

#include <cstring>

#include "tracer/capture/mapped_memory.hpp"

namespace gradwire {
namespace {

constexpr std::uint64_t mix(std::uint64_t value) {  // a round of SplitMix64
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = mix(text.size());
  for (std::size_t at = 0; at < text.size(); at += 8) {
    std::uint64_t word = 0;
    const std::size_t left = text.size() - at;
    std::memcpy(&word, text.data() + at, left < 8 ? left : 8);
    hash = mix(hash ^ word) + 0x9E3779B97F4A7C15U;
  }
  return hash;
}

}  // namespace

CapturedNames::~CapturedNames() {
  unmap_memory(texts_, kMaxNameBytes);
  unmap_memory(kept_, kMaxNames * sizeof(Kept));
  unmap_memory(slots_, kSlots * sizeof(std::uint32_t));
}

bool CapturedNames::open() {
  texts_ = static_cast<char*>(map_memory(kMaxNameBytes));
  kept_ = static_cast<Kept*>(map_memory(kMaxNames * sizeof(Kept)));
  slots_ = static_cast<std::uint32_t*>(map_memory(kSlots * sizeof(std::uint32_t)));
  return texts_ != nullptr && kept_ != nullptr && slots_ != nullptr;
}

std::string_view CapturedNames::text(std::uint32_t index) const {
  return {texts_ + kept_[index].begin, kept_[index].size};
}

CapturedNames::Entry CapturedNames::find_or_add(std::string_view name) {
  const bool full =
      count_ + 1 >= kMaxNames || texts_size_ + name.size() + kNoRoom.size() > kMaxNameBytes;
  for (const std::string_view wanted : {name, kNoRoom}) {
    const std::uint64_t hash = hash_of(wanted);
    std::size_t slot = hash % kSlots;
    for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const std::uint32_t index = slots_[slot] - 1;
      if (kept_[index].hash == hash && text(index) == wanted) return {index, false, wanted};
    }
    if (full && wanted.data() != kNoRoom.data()) continue;
    std::memcpy(texts_ + texts_size_, wanted.data(), wanted.size());
    kept_[count_] = {hash, static_cast<std::uint32_t>(texts_size_),
                     static_cast<std::uint32_t>(wanted.size())};
    texts_size_ += wanted.size();
    slots_[slot] = ++count_;
    return {count_ - 1, true, text(count_ - 1)};
  }
  return {};  // not reached: kNoRoom is found or added
}

CapturedNames::Entry CapturedNames::number_of(const char* name) {
  const char* const bytes = name == nullptr ? "" : name;
  Known& known = known_[mix(reinterpret_cast<std::uintptr_t>(bytes)) % kKnownPointers];
  if (known.pointer == bytes) {
    const std::string_view then = text(known.index);
    // strncmp and not memcmp: what is there now may be shorter.
    if (std::strncmp(bytes, then.data(), then.size()) == 0 &&
        (bytes[then.size()] == '\0' || then.size() == kMaxNameSize)) {
      return {known.index, false, then};
    }
  }
  const Entry entry = find_or_add({bytes, strnlen(bytes, kMaxNameSize)});
  // A stand-in's text differs from what the pointer shows, so that it is never taken for known.
  known = {bytes, entry.index};
  return entry;
}

}  // namespace gradwire
