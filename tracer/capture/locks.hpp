#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace gradwire {

/// A mutex that needs no constructor at run time and no libstdc++.
class ShortLock {
 public:
  constexpr ShortLock() = default;
  ShortLock(const ShortLock&) = delete;
  ShortLock& operator=(const ShortLock&) = delete;

  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }

  /// In a child of fork, where the thread that held it does not exist.
  void make_new() { mutex_ = PTHREAD_MUTEX_INITIALIZER; }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

class LockGuard {
 public:
  explicit LockGuard(ShortLock& lock) : lock_(lock) { lock_.lock(); }
  ~LockGuard() { lock_.unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  ShortLock& lock_;
};

/// Wakes one waiting thread. A notification that nobody waits for is kept, and several are one;
/// then it costs an atomic operation and no system call.
class Wakeup {
 public:
  constexpr Wakeup() = default;

  void notify();

  /// Until notified or `milliseconds` (of CLOCK_MONOTONIC) have passed, or at times earlier; true
  /// when notified.
  bool wait(std::int64_t milliseconds);

  void forget() { notified_.store(0); }

 private:
  std::atomic<std::uint32_t> notified_{0};
};

}  // namespace gradwire
