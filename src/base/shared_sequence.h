// What every sequence of a Value is: a list that may be changed in place where it has no other holder (given_up.h), at
// its beginning as at its end.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "base/fork.h"
#include "norn/value.h"

namespace norn::base {

struct SharedSequence final : Sequence, std::enable_shared_from_this<SharedSequence> {
  explicit SharedSequence(Sequence sequence) : Sequence(std::move(sequence)) {}
  SharedSequence(const SharedSequence&) = delete;
  SharedSequence& operator=(const SharedSequence&) = delete;

  // Ordered behind everything that former holders have done with it, on any thread.
  bool has_one_holder() const { return weak_from_this().lock().use_count() == 2; }
  // Erases the removed first items; any number of threads may call it.
  void make_whole();

  bool given_up = false;
  // How many of the first `items` are removed: empty values stand in their place until the whole sequence is asked
  // for. Other than 0 only in lists that one thread works on.
  std::atomic<std::size_t> removed{0};

 private:
  ForkSafeMutex mutex_;
};

// list_of() of norn/value.h is the list as it is, of a Value that is a sequence; throws norn::Error if it is none.

}  // namespace norn::base
