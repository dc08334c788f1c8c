#pragma once

#include <memory>
#include <utility>

namespace gradwire {

/// A large value that copies share until one of them is edited: it reads like `const T` and copies
/// like a pointer. Copies may be read from several threads, each edited by one.
template <class T>
class SharedValue {
 public:
  SharedValue() : value_(std::make_shared<T>()) {}
  SharedValue(T value) : value_(std::make_shared<T>(std::move(value))) {}  // NOLINT: as a T

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }  // NOLINT: reads as a T

  /// The value for editing; other copies keep theirs.
  T& edit() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace gradwire
