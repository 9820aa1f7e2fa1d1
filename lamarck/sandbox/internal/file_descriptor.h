// An owned file descriptor.

#pragma once

#include <unistd.h>

#include <utility>

namespace lamarck::internal {

// Closes the descriptor on destruction; -1 = none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  ~FileDescriptor() { reset(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset(int number = -1) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }

 private:
  int number_;
};

}  // namespace lamarck::internal
