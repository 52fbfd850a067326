// What reading one document may cost by its Limits, and has cost so far. What goes beyond throws norn::Error
// (LimitExceeded).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/model.h"
#include "norn/limits.h"

namespace norn::format {

// Of a tensor's elements, wherever in the message they are: as many as they take in memory, so that it is one number
// for raw_data and for typed fields, whose entries may be wider than the elements. Of strings, their contents.
std::uint64_t bytes_in(const ir::Tensor& tensor) noexcept;

class Bounds {
 public:
  Bounds(std::size_t input_bytes, const Limits& limits);

  // How many messages may be nested. Readers go down recursively, and the stack does not allow what Limits may say.
  int max_depth() const noexcept { return max_depth_; }
  // One message inside of another (or a row of them, each inside the one before), for the lifetime of the object.
  // `where` is a function that gives the place for the error, here and below.
  class Level {
   public:
    template <class Where>
    Level(Bounds& bounds, Where&& where, int messages = 1) : bounds_(bounds), messages_(messages) {
      if (bounds_.depth_ + messages > bounds_.max_depth_) bounds_.too_deep(where());
      bounds_.depth_ += messages;
    }
    ~Level() { bounds_.depth_ -= messages_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Bounds& bounds_;
    const int messages_;
  };
  [[noreturn]] void too_deep(std::string where) const;

  template <class Where>
  void count_nodes(std::uint64_t more, Where&& where) {
    if ((nodes_ += more) > limits_.max_nodes) too_many_nodes(where());
  }
  bool at_top() const noexcept { return depth_ == 0; }
  std::uint64_t nodes_left() const noexcept { return limits_.max_nodes - std::min(nodes_, limits_.max_nodes); }
  template <class Where>
  void check_payload(std::uint64_t bytes, const char* name, Where&& where) const {
    if (bytes > limits_.max_tensor_bytes) too_large(bytes, name, where());
  }
  // Of a tensor that has been read, in any notation. What is known while it is read may be refused earlier.
  template <class Where>
  void check_tensor(const ir::Tensor& tensor, Where&& where) const {
    if (const std::uint64_t bytes = bytes_in(tensor); bytes > limits_.max_tensor_bytes)
      too_large(bytes, "a tensor", where());
  }

 private:
  [[noreturn]] void too_many_nodes(std::string where) const;
  [[noreturn]] void too_large(std::uint64_t bytes, const char* name, std::string where) const;

  Limits limits_;
  int max_depth_;
  int depth_ = 0;
  std::uint64_t nodes_ = 0;
};

}  // namespace norn::format
