#include "values.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#define PY_ARRAY_UNIQUE_SYMBOL norn_numpy
#include <numpy/arrayobject.h>

#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "errors.h"
#include "norn/spaced.h"

namespace norn::python {

namespace {

// ml_dtypes' name for each element type numpy lacks.
struct Extended {
  DataType type;
  const char* name;
};
constexpr Extended kExtended[] = {
    {DataType::BFloat16, "bfloat16"},
    {DataType::Float8E4M3FN, "float8_e4m3fn"},
    {DataType::Float8E4M3FNUZ, "float8_e4m3fnuz"},
    {DataType::Float8E5M2, "float8_e5m2"},
    {DataType::Float8E5M2FNUZ, "float8_e5m2fnuz"},
    {DataType::Float8E8M0, "float8_e8m0fnu"},
    {DataType::Float6E2M3, "float6_e2m3fn"},
    {DataType::Float6E3M2, "float6_e3m2fn"},
    {DataType::Float4E2M1, "float4_e2m1fn"},
    {DataType::Uint4, "uint4"},
    {DataType::Int4, "int4"},
    {DataType::Uint2, "uint2"},
    {DataType::Int2, "int2"},
};

// Undefined for a width that no ONNX integer of whole bytes has.
DataType integer_of(std::size_t bits, bool is_signed) {
  switch (bits) {
    case 8: return is_signed ? DataType::Int8 : DataType::Uint8;
    case 16: return is_signed ? DataType::Int16 : DataType::Uint16;
    case 32: return is_signed ? DataType::Int32 : DataType::Uint32;
    case 64: return is_signed ? DataType::Int64 : DataType::Uint64;
    default: return DataType::Undefined;
  }
}

// Numpy's own types; Undefined for any other, String for object arrays.
DataType builtin_type(int num) {
  switch (num) {
    case NPY_BOOL: return DataType::Bool;
    case NPY_BYTE: return DataType::Int8;
    case NPY_UBYTE: return DataType::Uint8;
    case NPY_SHORT: return DataType::Int16;
    case NPY_USHORT: return DataType::Uint16;
    case NPY_INT: return DataType::Int32;
    case NPY_UINT: return DataType::Uint32;
    case NPY_LONG: return integer_of(8 * sizeof(long), true);
    case NPY_ULONG: return integer_of(8 * sizeof(long), false);
    case NPY_LONGLONG: return DataType::Int64;
    case NPY_ULONGLONG: return DataType::Uint64;
    case NPY_HALF: return DataType::Float16;
    case NPY_FLOAT: return DataType::Float;
    case NPY_DOUBLE: return DataType::Double;
    case NPY_CFLOAT: return DataType::Complex64;
    case NPY_CDOUBLE: return DataType::Complex128;
    case NPY_OBJECT: return DataType::String;
    default: return DataType::Undefined;
  }
}

// ml_dtypes registers its types with numpy when it is imported, so their numbers are asked for, at first need. A
// guarded static would deadlock: the import may let go of the GIL while another thread waits for the guard with the GIL
// held.
using ExtendedTypes = std::array<int, kDataTypeCount>;
std::atomic<const ExtendedTypes*> extended{nullptr};

const ExtendedTypes& extended_types() {
  if (const ExtendedTypes* known = extended.load()) return *known;
  auto types = std::make_unique<ExtendedTypes>();
  types->fill(-1);
  const nb::module_ ml_dtypes = nb::module_::import_("ml_dtypes");
  for (const Extended& e : kExtended) {
    PyArray_Descr* descr = nullptr;
    if (!nb::hasattr(ml_dtypes, e.name)) continue;
    if (!PyArray_DescrConverter(nb::object(ml_dtypes.attr(e.name)).ptr(), &descr)) throw nb::python_error();
    (*types)[static_cast<std::size_t>(e.type)] = descr->type_num;
    Py_DECREF(descr);
  }
  const ExtendedTypes* expected = nullptr;
  if (extended.compare_exchange_strong(expected, types.get())) return *types.release();
  return *expected;
}

DataType type_of(int num) {
  if (!PyTypeNum_ISUSERDEF(num)) return builtin_type(num);
  const ExtendedTypes& types = extended_types();
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] == num) return static_cast<DataType>(i);
  }
  return DataType::Undefined;
}

int numpy_type(DataType type) {
  switch (type) {
    case DataType::Float: return NPY_FLOAT;
    case DataType::Uint8: return NPY_UINT8;
    case DataType::Int8: return NPY_INT8;
    case DataType::Uint16: return NPY_UINT16;
    case DataType::Int16: return NPY_INT16;
    case DataType::Int32: return NPY_INT32;
    case DataType::Int64: return NPY_INT64;
    case DataType::String: return NPY_OBJECT;
    case DataType::Bool: return NPY_BOOL;
    case DataType::Float16: return NPY_HALF;
    case DataType::Double: return NPY_DOUBLE;
    case DataType::Uint32: return NPY_UINT32;
    case DataType::Uint64: return NPY_UINT64;
    case DataType::Complex64: return NPY_CFLOAT;
    case DataType::Complex128: return NPY_CDOUBLE;
    default: {
      const int num = type == DataType::Undefined ? -1 : extended_types()[static_cast<std::size_t>(type)];
      if (num < 0) {
        throw Error(ErrorCode::NotImplemented,
                    "the installed ml_dtypes has no element type for " + std::string(data_type_name(type)), {},
                    "pip install --upgrade ml_dtypes");
      }
      return num;
    }
  }
}

bool is_signed_sub_byte(DataType type) { return type == DataType::Int4 || type == DataType::Int2; }

// Shares `object`'s life with a Tensor. Tensors may die on any thread, with or without the GIL.
std::shared_ptr<const void> keep(PyObject* object) {
  Py_INCREF(object);
  return std::shared_ptr<const void>(object, [](const void* p) {
    auto* owned = static_cast<PyObject*>(const_cast<void*>(p));
    if (PyGILState_Check()) {
      Py_DECREF(owned);
    } else if (Py_IsInitialized()) {
      const PyGILState_STATE state = PyGILState_Ensure();
      Py_DECREF(owned);
      PyGILState_Release(state);
    }
  });
}

Shape dims_of(PyArrayObject* array) {
  const npy_intp* dims = PyArray_DIMS(array);
  return Shape(dims, dims + PyArray_NDIM(array));
}

Tensor borrow(PyArrayObject* array, DataType type) {
  return Tensor::borrow(type, dims_of(array), PyArray_DATA(array), keep(reinterpret_cast<PyObject*>(array)));
}

// The bytes of a str, as UTF-8, or of bytes; nothing for another object.
std::optional<std::string> content_of(nb::handle object, const char* what) {
  if (PyUnicode_Check(object.ptr())) return string_argument(object, what);
  if (PyBytes_Check(object.ptr()))
    return std::string(PyBytes_AS_STRING(object.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr())));
  return {};
}

// A string's bytes are UTF-8; those that are not come out as bytes.
nb::object content_to_python(const std::string& content) {
  const auto size = static_cast<Py_ssize_t>(content.size());
  PyObject* text = PyUnicode_DecodeUTF8(content.data(), size, nullptr);
  if (!text) {
    PyErr_Clear();
    text = PyBytes_FromStringAndSize(content.data(), size);
    if (!text) throw nb::python_error();
  }
  return nb::steal(text);
}

Tensor string_tensor(PyArrayObject* array) {
  Tensor tensor(DataType::String, dims_of(array));
  auto* out = tensor.as_mutable<std::string>();
  auto* items = static_cast<PyObject**>(PyArray_DATA(array));
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (auto content = content_of(items[i], "an element of an object array")) {
      out[i] = std::move(*content);
    } else {
      invalid_argument(
          "element " + std::to_string(i) + " of an object array is " + name_of_type(items[i]) + ", not str or bytes",
          "object arrays stand for string tensors; give numbers a numeric dtype");
    }
  }
  return tensor;
}

Value from_array(PyArrayObject* given) {
  nb::object array = nb::borrow(reinterpret_cast<PyObject*>(given));
  const auto as_array = [&] { return reinterpret_cast<PyArrayObject*>(array.ptr()); };
  int num = PyArray_TYPE(given);
  if (num == NPY_UNICODE || num == NPY_STRING || num == NPY_VSTRING) {
    array = array.attr("astype")("O");
    num = NPY_OBJECT;
  }
  const DataType type = type_of(num);
  if (type == DataType::Undefined) {
    const nb::object dtype = array.attr("dtype");
    invalid_argument("numpy's " + std::string(nb::str(dtype).c_str()) + " is not an ONNX element type",
                     "convert the array with .astype()");
  }
  if (!PyArray_ISCARRAY_RO(as_array())) {
    PyArray_Descr* native = PyArray_DescrNewByteorder(PyArray_DESCR(as_array()), NPY_NATIVE);
    if (!native) throw nb::python_error();
    PyObject* dense = PyArray_FromArray(as_array(), native, NPY_ARRAY_CARRAY_RO);
    if (!dense) throw nb::python_error();
    array = nb::steal(dense);
  }
  if (type == DataType::String) return string_tensor(as_array());
  if (!is_signed_sub_byte(type)) return borrow(as_array(), type);
  Tensor tensor(type, dims_of(as_array()));
  const int bits = storage_bits(type), shift = 8 - bits;
  const auto* in = static_cast<const std::uint8_t*>(PyArray_DATA(as_array()));
  auto* out = tensor.as_mutable<std::int8_t>();
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const bool masked = in[i] >> bits == 0;  // otherwise extended already, or refused where the value goes
    const auto byte = static_cast<std::int8_t>(in[i] << (masked ? shift : 0));
    out[i] = static_cast<std::int8_t>(byte >> (masked ? shift : 0));
  }
  return tensor;
}

// The bits have to match the type exactly: a wrong width would read beyond the memory's end. DLPack packs elements of
// fewer than 8 bits, where Norn keeps each in a byte of its own, so that none of them is here.
DataType dlpack_type(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  if (type.lanes != 1) return DataType::Undefined;
  const auto of_bits = [&](int bits, DataType is) { return type.bits == bits ? is : DataType::Undefined; };
  switch (static_cast<Code>(type.code)) {
    case Code::Int: return integer_of(type.bits, true);
    case Code::UInt: return integer_of(type.bits, false);
    case Code::Bool: return of_bits(8, DataType::Bool);
    case Code::Bfloat: return of_bits(16, DataType::BFloat16);
    case Code::Float:
      return type.bits == 16 ? DataType::Float16 : type.bits == 32 ? DataType::Float : of_bits(64, DataType::Double);
    case Code::Complex: return type.bits == 64 ? DataType::Complex64 : of_bits(128, DataType::Complex128);
    case Code::Float8_E4M3FN: return of_bits(8, DataType::Float8E4M3FN);
    case Code::Float8_E4M3FNUZ: return of_bits(8, DataType::Float8E4M3FNUZ);
    case Code::Float8_E5M2: return of_bits(8, DataType::Float8E5M2);
    case Code::Float8_E5M2FNUZ: return of_bits(8, DataType::Float8E5M2FNUZ);
    case Code::Float8_E8M0FNU: return of_bits(8, DataType::Float8E8M0);
    default: return DataType::Undefined;
  }
}

// For messages: "int of 4 bits", "float of 32 bits in 4 lanes".
std::string dlpack_name(nb::dlpack::dtype type) {
  constexpr const char* kCodes[] = {"int",
                                    "uint",
                                    "float",
                                    "opaque",
                                    "bfloat",
                                    "complex",
                                    "bool",
                                    "float8_e3m4",
                                    "float8_e4m3",
                                    "float8_e4m3b11fnuz",
                                    "float8_e4m3fn",
                                    "float8_e4m3fnuz",
                                    "float8_e5m2",
                                    "float8_e5m2fnuz",
                                    "float8_e8m0fnu",
                                    "float6_e2m3fn",
                                    "float6_e3m2fn",
                                    "float4_e2m1fn"};
  std::string name = type.code < std::size(kCodes) ? kCodes[type.code] : "type code " + std::to_string(type.code);
  name += " of " + std::to_string(type.bits) + " bits";
  return type.lanes == 1 ? name : name + " in " + std::to_string(type.lanes) + " lanes";
}

Value from_dlpack(nb::handle object) {
  using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
  Array array;
  if (!nb::try_cast<Array>(object, array)) {
    invalid_argument("an object of type " + name_of_type(object) + " cannot be read as an array in main memory",
                     "move it to the CPU and detach it from a gradient first");
  }
  const DataType type = dlpack_type(array.dtype());
  if (type == DataType::Undefined) {
    invalid_argument("the element type of an object of type " + name_of_type(object) + ", " +
                         dlpack_name(array.dtype()) + ", is not an ONNX one that DLPack can hand over",
                     "convert it; smaller types than 8 bits are taken from numpy arrays of ml_dtypes' types");
  }
  Shape dims(array.ndim());
  for (std::size_t i = 0; i < array.ndim(); ++i) dims[i] = static_cast<std::int64_t>(array.shape(i));
  auto holder = std::shared_ptr<Array>(new Array(array), [](Array* p) {
    const nb::gil_scoped_acquire gil;
    delete p;
  });
  return Tensor::borrow(type, std::move(dims), const_cast<void*>(array.data()), std::move(holder));
}

// "seq(tensor(float))" with "seq(" gives "tensor(float)"; "" if `type` is not of that kind.
std::string_view inner(std::string_view type, std::string_view kind) {
  if (!type.starts_with(kind) || !type.ends_with(')')) return {};
  return type.substr(kind.size(), type.size() - kind.size() - 1);
}

bool is_integer(DataType type) {
  switch (type) {
    case DataType::Int64:
    case DataType::Int32:
    case DataType::Int16:
    case DataType::Int8:
    case DataType::Int4:
    case DataType::Int2:
    case DataType::Uint64:
    case DataType::Uint32:
    case DataType::Uint16:
    case DataType::Uint8:
    case DataType::Uint4:
    case DataType::Uint2: return true;
    default: return false;
  }
}

// The integers of an array as those of another type, which has to hold all of them.
nb::object as_integers(const nb::module_& numpy, const nb::object& array, const nb::object& dtype, DataType wanted) {
  nb::object converted = array.attr("astype")(dtype);
  const nb::object back = converted.attr("astype")(array.attr("dtype"));
  if (nb::cast<bool>(numpy.attr("array_equal")(back, array))) return converted;
  const nb::object places = numpy.attr("flatnonzero")(numpy.attr("not_equal")(back, array));
  const auto at = nb::cast<std::int64_t>(nb::int_(nb::object(places[0])));
  const nb::object element = array.attr("reshape")(-1)[at];
  invalid_argument("element " + std::to_string(at) + " is " + nb::cast<std::string>(nb::str(element)) + ", which " +
                       std::string(data_type_name(wanted)) + " does not hold",
                   "give numbers that the input's element type holds");
}

// Python numbers, strings and lists of them: they have no element type, so the declared one is theirs where no value
// is lost by it: integers that it holds, and otherwise what numpy calls "same_kind".
Value from_plain(nb::handle object, std::string_view type) {
  nb::module_ numpy = nb::module_::import_("numpy");
  const DataType wanted = data_type_from_name(inner(type, "tensor("));
  // As objects: numpy's own string type drops zero characters at the end.
  nb::object array;
  try {
    array = wanted == DataType::String ? numpy.attr("asarray")(object, "O") : numpy.attr("asarray")(object);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_ValueError)) throw;
    invalid_argument("the lists do not make an array: " + nb::cast<std::string>(nb::str(e.value())),
                     "give lists of one length on each level; a sequence of arrays is an input of another type");
  }
  if (wanted != DataType::Undefined && wanted != DataType::String) {
    const nb::object dtype = nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type(wanted))));
    const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    if (is_integer(wanted) && (kind == "i" || kind == "u"))
      array = as_integers(numpy, array, dtype, wanted);
    else if (nb::cast<std::int64_t>(array.attr("size")) == 0 ||
             nb::cast<bool>(numpy.attr("can_cast")(array.attr("dtype"), dtype, "same_kind")))
      array = array.attr("astype")(dtype);
  }
  if (!PyArray_Check(array.ptr())) invalid_argument("an object of type " + name_of_type(object) + " is not an array");
  return from_array(reinterpret_cast<PyArrayObject*>(array.ptr()));
}

Value from_dict(nb::handle object, std::string_view type) {
  const std::string_view key_value = inner(type, "map(");
  const std::size_t comma = key_value.find(',');
  const std::string_view item_type = comma == std::string_view::npos
                                         ? std::string_view()
                                         : key_value.substr(key_value.find_first_not_of(' ', comma + 1));
  const auto dict = nb::borrow<nb::dict>(object);
  const auto count = static_cast<std::int64_t>(dict.size());
  const bool strings = count > 0 && content_of((*dict.begin()).first, "a map's key");
  Map map{Tensor(strings || key_value.starts_with("string") ? DataType::String : DataType::Int64, {count}), {}};
  map.values.reserve(static_cast<std::size_t>(count));
  for (const auto [key, value] : dict) {
    const std::size_t i = map.values.size();
    if (map.keys.dtype() == DataType::String) {
      auto content = content_of(key, "a map's key");
      if (!content)
        invalid_argument("a map's keys are all str or all int", "give every key as str, or every key as int");
      map.keys.as_mutable<std::string>()[i] = std::move(*content);
    } else {
      std::int64_t number = 0;
      if (!nb::try_cast(key, number))
        invalid_argument("a map's keys are all str or all int of 64 bits",
                         "give every key as str, or every key as int");
      map.keys.as_mutable<std::int64_t>()[i] = number;
    }
    map.values.push_back(to_value(value, item_type));
  }
  return map;
}

Value from_list(nb::handle object, std::string_view type) {
  const std::string_view item_type = inner(type, "seq(");
  Sequence sequence;
  for (nb::handle item : object) sequence.items.push_back(to_value(item, item_type));
  return sequence;
}

bool shares_memory(const Tensor& tensor, const Value& value) {
  if (value.is_tensor()) return tensor.owner() && tensor.owner() == value.tensor().owner();
  if (value.is_sequence()) {
    for (const Value& item : value.sequence().items) {
      if (shares_memory(tensor, item)) return true;
    }
  }
  return false;
}

// numpy counts the elements as if dimensions of zero were one.
[[noreturn]] void no_array(const Tensor& tensor) {
  if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw nb::python_error();
  PyErr_Clear();
  throw Error(ErrorCode::LimitExceeded,
              "numpy has no array of the shape " + to_string(tensor.dims()) + ", empty as it is", {},
              "feed sizes that make the output smaller, or do not ask for it");
}

PyArrayObject* new_array(const Tensor& tensor) {
  npy_intp dims[NPY_MAXDIMS];
  if (tensor.rank() > NPY_MAXDIMS) {
    throw Error(ErrorCode::LimitExceeded, "numpy arrays have at most " + std::to_string(NPY_MAXDIMS) +
                                              " dimensions; this output has " + std::to_string(tensor.rank()));
  }
  std::copy(tensor.dims().begin(), tensor.dims().end(), dims);
  PyObject* array = PyArray_SimpleNew(tensor.rank(), dims, numpy_type(tensor.dtype()));
  if (!array) no_array(tensor);
  return reinterpret_cast<PyArrayObject*>(array);
}

nb::object strings_to_python(const Tensor& tensor) {
  PyArrayObject* array = new_array(tensor);
  nb::object result = nb::steal(reinterpret_cast<PyObject*>(array));
  auto** items = static_cast<PyObject**>(PyArray_DATA(array));
  const auto* strings = tensor.as<std::string>();
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    Py_XSETREF(items[i], content_to_python(strings[i]).release().ptr());
  }
  return result;
}

// Of the capsule that keeps the memory of an array with room behind it.
constexpr char kRoomy[] = "norn.roomy";

// Such an array as the run gave it: not a part of one, nor under another type.
bool borrow_roomy(PyArrayObject* array, Value& value) {
  PyObject* base = PyArray_BASE(array);
  if (!base || !PyCapsule_CheckExact(base) || PyCapsule_GetName(base) != kRoomy) return false;
  const auto& tensor = *static_cast<const Tensor*>(PyCapsule_GetPointer(base, kRoomy));
  const auto spaced = spaced_elements(tensor);
  if (!spaced || PyArray_DATA(array) != spaced->data || PyArray_NDIM(array) != tensor.rank() ||
      PyArray_TYPE(array) != numpy_type(tensor.dtype()) || !PyArray_ISNBO(PyArray_DESCR(array)->byteorder))
    return false;
  for (int d = 0; d < tensor.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (PyArray_DIM(array, d) != tensor.dims()[at] ||
        PyArray_STRIDE(array, d) != spaced->strides[at] * static_cast<npy_intp>(element_size(tensor.dtype())))
      return false;
  }
  value = share_room(tensor);
  return true;
}

// The copy is cheaper than an owner up to about this size.
constexpr std::size_t kCopyBytes = 1024;

nb::object tensor_to_python(const Tensor& tensor, std::span<const Feed> feeds) {
  if (tensor.dtype() == DataType::String) return strings_to_python(tensor);
  const std::size_t bytes = tensor.bytes();
  bool copy = (bytes <= kCopyBytes && !spaced_elements(tensor)) || !tensor.owns() || is_signed_sub_byte(tensor.dtype());
  for (const Feed& feed : feeds) copy = copy || shares_memory(tensor, feed.value);
  if (copy) {
    PyArrayObject* array = new_array(tensor);
    if (bytes != 0) std::memcpy(PyArray_DATA(array), tensor.data(), bytes);
    if (is_signed_sub_byte(tensor.dtype())) {
      const auto mask = static_cast<std::uint8_t>((1 << storage_bits(tensor.dtype())) - 1);
      auto* data = static_cast<std::uint8_t*>(PyArray_DATA(array));
      for (std::size_t i = 0; i < bytes; ++i) data[i] &= mask;
    }
    return nb::steal(reinterpret_cast<PyObject*>(array));
  }
  npy_intp dims[NPY_MAXDIMS];
  if (tensor.rank() > NPY_MAXDIMS) return nb::steal(reinterpret_cast<PyObject*>(new_array(tensor)));
  std::copy(tensor.dims().begin(), tensor.dims().end(), dims);
  auto owner = std::make_unique<Tensor>(tensor);
  nb::object array;
  const auto spaced = spaced_elements(tensor);
  if (spaced) {
    npy_intp strides[NPY_MAXDIMS];
    for (std::size_t d = 0; d < spaced->strides.size(); ++d)
      strides[d] = spaced->strides[d] * static_cast<npy_intp>(element_size(tensor.dtype()));
    array = nb::steal(PyArray_New(&PyArray_Type, tensor.rank(), dims, numpy_type(tensor.dtype()), strides,
                                  const_cast<void*>(spaced->data), 0, NPY_ARRAY_WRITEABLE, nullptr));
  } else {
    array = nb::steal(
        PyArray_SimpleNewFromData(tensor.rank(), dims, numpy_type(tensor.dtype()), const_cast<void*>(tensor.data())));
  }
  if (!array.is_valid()) no_array(tensor);
  PyObject* capsule = PyCapsule_New(owner.get(), spaced ? kRoomy : nullptr, [](PyObject* self) {
    delete static_cast<Tensor*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
  });
  if (!capsule) throw nb::python_error();
  [[maybe_unused]] Tensor* const kept = owner.release();
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array.ptr()), capsule) < 0) throw nb::python_error();
  return array;
}

// A scalar is Python's own number or text.
nb::object map_value_to_python(const Value& value, std::span<const Feed> feeds) {
  if (!value.is_tensor() || value.tensor().rank() != 0) return to_python(value, feeds);
  const Tensor& scalar = value.tensor();
  if (scalar.dtype() == DataType::Float) return nb::float_(static_cast<double>(*scalar.as<float>()));
  if (scalar.dtype() == DataType::Double) return nb::float_(*scalar.as<double>());
  if (scalar.dtype() == DataType::Int64) return nb::int_(*scalar.as<std::int64_t>());
  return to_python(value, feeds).attr("item")();
}

bool same_keys(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.size() != b.size()) return false;
  const auto equal = [&](const auto* x, const auto* y) { return std::equal(x, x + a.size(), y); };
  if (a.dtype() == DataType::String) return equal(a.as<std::string>(), b.as<std::string>());
  return equal(a.as<std::int64_t>(), b.as<std::int64_t>());
}

// The keys of a map, which those behind it in a list often have, too.
class KeysInPython {
 public:
  std::span<const nb::object> of(const Tensor& keys) {
    if (keys_ && same_keys(*keys_, keys)) return objects_;
    keys_ = &keys;
    objects_.clear();
    for (std::int64_t i = 0; i < keys.size(); ++i) {
      if (keys.dtype() == DataType::String) {
        objects_.push_back(content_to_python(keys.as<std::string>()[i]));
      } else {
        objects_.push_back(nb::int_(keys.as<std::int64_t>()[i]));
      }
    }
    return objects_;
  }

 private:
  const Tensor* keys_ = nullptr;
  std::vector<nb::object> objects_;
};

nb::object map_to_python(const Map& map, std::span<const Feed> feeds, KeysInPython& keys_in_python) {
  nb::dict dict;
  const std::span<const nb::object> keys = keys_in_python.of(map.keys);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    const nb::object value = map_value_to_python(map.values[i], feeds);
    if (PyDict_SetItem(dict.ptr(), keys[i].ptr(), value.ptr()) < 0) throw nb::python_error();
  }
  return dict;
}

nb::object sparse_to_python(const SparseTensor& sparse, std::span<const Feed> feeds) {
  nb::list dims;
  for (const std::int64_t d : sparse.dims) dims.append(d);
  return nb::module_::import_("norn").attr("SparseTensor")(tensor_to_python(sparse.values, feeds),
                                                           tensor_to_python(sparse.indices, feeds), nb::tuple(dims));
}

}  // namespace

void import_numpy() {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
}

bool borrow_array(nb::handle object, Value& value) {
  if (!PyArray_CheckExact(object.ptr())) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(object.ptr());
  if (borrow_roomy(array, value)) return true;
  if (!PyArray_ISCARRAY_RO(array)) return false;
  const DataType type = builtin_type(PyArray_TYPE(array));
  if (type == DataType::Undefined || type == DataType::String) return false;
  value = borrow(array, type);
  return true;
}

// Checks the array that to_value() would borrow; an object that is not an array is converted, to memory of our own.
bool may_be_written(nb::handle object) {
  PyObject* p = object.ptr();
  if (PyArray_Check(p)) return PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(p));
  const nb::handle type = object.type();
  if (PyArray_CheckAnyScalar(p) || PyDict_Check(p) || PyList_Check(p) || PyTuple_Check(p)) return true;
  if (nb::hasattr(type, "__dlpack__")) {
    nb::ndarray<nb::c_contig, nb::device::cpu> array;
    return nb::try_cast(object, array);
  }
  if (!nb::hasattr(type, "__array__")) return true;
  const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
  return !PyArray_Check(array.ptr()) || PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(array.ptr()));
}

Tensor place_of(nb::handle object) {
  if (!PyArray_Check(object.ptr()))
    invalid_argument("an object of type " + name_of_type(object) + " cannot hold an output", "give a numpy array");
  auto* array = reinterpret_cast<PyArrayObject*>(object.ptr());
  const DataType type = type_of(PyArray_TYPE(array));
  if (type == DataType::Undefined || type == DataType::String || is_signed_sub_byte(type)) {
    const nb::object dtype = object.attr("dtype");
    invalid_argument("an array of numpy's " + std::string(nb::str(dtype).c_str()) + " cannot hold an output",
                     "let the run make the array, or give one of another type");
  }
  if (!PyArray_ISCARRAY(array))
    invalid_argument("an array for an output has to be C-contiguous, aligned, writable and of native byte order",
                     "give one that numpy.empty() made");
  return borrow(array, type);
}

Value to_value(nb::handle object, std::string_view type) {
  if (const std::string_view held = inner(type, "optional("); !held.empty()) type = held;
  PyObject* p = object.ptr();
  if (p == Py_None) return {};
  if (PyArray_Check(p)) return from_array(reinterpret_cast<PyArrayObject*>(p));
  if (PyDict_Check(p)) return from_dict(object, type);
  if (PyList_Check(p) || PyTuple_Check(p)) {
    return type.starts_with("tensor(") ? from_plain(object, type) : from_list(object, type);
  }
  const nb::handle type_object = object.type();
  if (nb::hasattr(type_object, "__dlpack__") && !PyArray_CheckAnyScalar(p)) return from_dlpack(object);
  if (nb::hasattr(type_object, "norn_sparse_parts")) {
    const auto parts = nb::cast<nb::tuple>(object.attr("norn_sparse_parts")());
    SparseTensor sparse{to_value(parts[0], {}).tensor(), to_value(parts[1], {}).tensor(), {}};
    for (nb::handle d : nb::borrow<nb::tuple>(parts[2])) sparse.dims.push_back(nb::cast<std::int64_t>(d));
    return sparse;
  }
  if (PyArray_IsScalar(p, Generic) || nb::hasattr(type_object, "__array__")) {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
    return from_array(reinterpret_cast<PyArrayObject*>(array.ptr()));
  }
  if (PyBool_Check(p) || PyLong_Check(p) || PyFloat_Check(p) || PyComplex_Check(p) || PyUnicode_Check(p) ||
      PyBytes_Check(p)) {
    return from_plain(object, type);
  }
  invalid_argument(
      "an object of type " + name_of_type(object) + " is not a value of a model",
      "give a numpy array, anything with __dlpack__ or __array__, a list for a sequence, a dict for a map, "
      "or None for an empty optional");
}

nb::object to_python(const Value& value, std::span<const Feed> feeds) {
  KeysInPython keys;
  if (value.is_tensor()) return tensor_to_python(value.tensor(), feeds);
  if (value.is_empty()) return nb::none();
  if (value.is_map()) return map_to_python(value.map(), feeds, keys);
  if (value.is_sparse()) return sparse_to_python(value.sparse(), feeds);
  nb::list list;
  for (const Value& item : value.sequence().items)
    list.append(item.is_map() ? map_to_python(item.map(), feeds, keys) : to_python(item, feeds));
  return list;
}

}  // namespace norn::python
