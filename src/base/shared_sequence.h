// What every sequence of a Value is: a list that may be changed in place where nobody else holds it (given_up.h), at
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

  // Behind everything that its other holders, on whatever thread, have done with it.
  bool has_one_holder() const { return weak_from_this().lock().use_count() == 2; }
  // Takes the first items out that are gone; any number of threads may ask for it.
  void make_whole();

  bool given_up = false;
  // So many of `items` are gone, and empty values in their place, until somebody asks for the whole sequence. Only
  // lists that one thread works on have them.
  std::atomic<std::size_t> gone{0};

 private:
  ForkSafeMutex mutex_;
};

// list_of() of norn/value.h is the list as it is, of a Value that is a sequence; throws norn::Error if it is none.

}  // namespace norn::base
