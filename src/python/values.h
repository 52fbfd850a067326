// Values between Python and Norn.
//
// A contiguous numpy array goes in without a copy and is kept alive by the Tensor that borrows it; outputs go out as
// arrays over the Tensor's memory. What must be copied: strings, signed 4- and 2-bit integers (ml_dtypes masks the
// upper bits, Norn extends the sign), arrays with strides, small outputs (a copy costs less than an owner), and an
// output that shares memory with a feed, because writing to a result must not change the caller's array.
#pragma once
#include <nanobind/nanobind.h>

#include <span>
#include <string_view>

#include "norn/session.h"
#include "norn/value.h"

namespace norn::python {

namespace nb = nanobind;

// Loads numpy; throws the Python error if that fails.
void import_numpy();

// `type` is the declared type in the specification's spelling ("tensor(float)", "seq(tensor(int64))"), "" if unknown:
// it decides what a list means and which element type Python scalars get.
Value to_value(nb::handle object, std::string_view type);
// True, and `value` is set, if `object` is an array that can be used as it is: the quick way in.
bool borrow_array(nb::handle object, Value& value);
// Whether a run may write to what the object was borrowed as: false for an array that is read-only.
bool may_be_written(nb::handle object);

// A tensor over the memory of a numpy array that can be written to as it is. Throws norn::Error (InvalidArgument).
Tensor place_of(nb::handle object);

nb::object to_python(const Value& value, std::span<const Feed> feeds = {});

}  // namespace norn::python
