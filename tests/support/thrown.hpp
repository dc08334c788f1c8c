#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "base/errors.hpp"

namespace gradwire::test {

/// The text of the `Error` that `action` throws; a test failure and an empty text when it throws
/// none.
template <class Error, class Action>
std::string thrown_by(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception was thrown: " << error.what();
    return {};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

/// The text of the InputError that `action` throws.
template <class Action>
std::string input_error_of(Action action) {
  return thrown_by<InputError>(action);
}

}  // namespace gradwire::test
