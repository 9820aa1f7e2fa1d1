// A value or an Error, for failures that the caller is expected to handle:
// files, networks, untrusted input.
//
// The interface follows std::expected (C++23), except that an Error converts
// implicitly, so that functions can `return Error(...)`. Reading the value of
// an error, or the error of a value, throws LogicError.

#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

#include "lamarck/base/error.h"

namespace lamarck {

namespace internal {
[[noreturn]] void fail_no_value(const Error& error);
[[noreturn]] void fail_no_error();
}  // namespace internal

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = Error;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // Accepts anything that converts to T, such as a literal for a string.
  template <class U>
  requires(std::is_convertible_v<U&&, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, Error> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result>) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return checked_value(*this); }
  const T& value() const& { return checked_value(*this); }
  T&& value() && { return std::move(checked_value(*this)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    if (has_value()) internal::fail_no_error();
    return *std::get_if<1>(&state_);
  }

  template <class U>
  T value_or(U&& otherwise) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(otherwise));
  }
  template <class U>
  T value_or(U&& otherwise) && {
    return has_value() ? std::move(*this).value()
                       : static_cast<T>(std::forward<U>(otherwise));
  }

  // Returns `next(value)`, itself a Result<U>, or the error.
  template <class F>
  std::invoke_result_t<F, T&&> and_then(F&& next) && {
    if (!has_value()) return error();
    return std::invoke(std::forward<F>(next), std::move(*this).value());
  }
  // Returns `change(value)`, a plain U, as a Result<U>, or the error.
  template <class F>
  Result<std::invoke_result_t<F, T&&>> transform(F&& change) && {
    if (!has_value()) return error();
    return std::invoke(std::forward<F>(change), std::move(*this).value());
  }
  // Returns the same value, or `change(error)`.
  template <class F>
  Result transform_error(F&& change) && {
    if (has_value()) return std::move(*this);
    return std::invoke(std::forward<F>(change), error());
  }

 private:
  template <class Self>
  static auto& checked_value(Self& self) {
    auto* value = std::get_if<0>(&self.state_);
    if (value == nullptr) internal::fail_no_value(self.error());
    return *value;
  }

  std::variant<T, Error> state_;
};

// Success without a value: `return {};`.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Error;

  Result() = default;
  Result(Error error) : error_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return error_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  void value() const {
    if (!has_value()) internal::fail_no_value(error());
  }
  const Error& error() const {
    if (has_value()) internal::fail_no_error();
    return *std::get_if<1>(&error_);
  }

 private:
  std::variant<std::monostate, Error> error_;
};

}  // namespace lamarck

#define LAMARCK_JOIN_INNER(a, b) a##b
#define LAMARCK_JOIN(a, b) LAMARCK_JOIN_INNER(a, b)

// Returns the error of the expression from the function, if it has one.
#define LAMARCK_RETURN_IF_ERROR(...) \
  LAMARCK_RETURN_IF_ERROR_AS(LAMARCK_JOIN(outcome_, __COUNTER__), __VA_ARGS__)
#define LAMARCK_RETURN_IF_ERROR_AS(outcome, ...)              \
  do {                                                        \
    if (auto outcome = (__VA_ARGS__); !outcome.has_value()) { \
      return outcome.error();                                 \
    }                                                         \
  } while (false)

// LAMARCK_ASSIGN_OR_RETURN(const Thought parent, thoughts.find(id));
// Assigns the value, or returns the error from the function. A declared type
// that contains a comma needs an alias.
#define LAMARCK_ASSIGN_OR_RETURN(declaration, ...)                 \
  LAMARCK_ASSIGN_OR_RETURN_AS(LAMARCK_JOIN(outcome_, __COUNTER__), \
                              declaration, __VA_ARGS__)
#define LAMARCK_ASSIGN_OR_RETURN_AS(outcome, declaration, ...) \
  auto outcome = (__VA_ARGS__);                                \
  if (!outcome.has_value()) return outcome.error();            \
  declaration = std::move(outcome).value()
