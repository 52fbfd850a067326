// What a session's methods are given: feeds, inputs that are donated, places of outputs.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "errors.h"
#include "loading.h"
#include "model.h"
#include "norn/session.h"
#include "signatures.h"
#include "values.h"

namespace norn::python {

// norn.InferenceSession: a session with the reader that its external data may come from.
struct HeldSession : Session {
  HeldSession(Session made, HeldReader held) : Session(std::move(made)), reader(std::move(held)) {
    for (const auto* list : {&inputs(), &outputs(), &overridable_initializers()}) {
      for (const ArgInfo& arg : *list) {
        auto text = nb::cast<std::string>(text_of(arg.name));
        if (text != arg.name) names.emplace(std::move(text), arg.name);
      }
    }
  }
  // Of an input or output, by the name that Python code sees.
  std::string_view name_of(std::string_view shown) const {
    if (names.empty()) return shown;
    const auto found = names.find(shown);
    return found == names.end() ? shown : found->second;
  }
  HeldReader reader;
  double read_seconds = 0;                                // that reading the model took
  std::map<std::string, std::string, std::less<>> names;  // those that are not UTF-8, by how they are shown
};

inline std::string_view utf8_of(nb::handle object, const char* what) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(object.ptr()) ? PyUnicode_AsUTF8AndSize(object.ptr(), &size) : nullptr;
  if (!text) {
    PyErr_Clear();
    string_argument(object, what);  // throws
  }
  return {text, static_cast<std::size_t>(size)};
}

inline std::string_view declared_type(const HeldSession& session, std::string_view name) {
  for (const auto* list : {&session.inputs(), &session.overridable_initializers()}) {
    for (const ArgInfo& arg : *list) {
      if (arg.name == name) return arg.type;
    }
  }
  return {};
}

// The feeds of one run. Keys and values are held: the dict may change while a value is converted by Python code, and
// while the GIL is released.
class Feeds {
 public:
  Feeds(const HeldSession& session, nb::handle feed) {
    if (feed.is_none()) return;
    if (!PyDict_Check(feed.ptr())) {
      wrong_type(feed, "input_feed", "a dict of input name to value");
    }
    const auto count = static_cast<std::size_t>(PyDict_GET_SIZE(feed.ptr()));
    held_.reserve(2 * count);
    feeds_.reserve(count);
    PyObject *key = nullptr, *object = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(feed.ptr(), &position, &key, &object)) {
      held_.push_back(nb::borrow(key));
      held_.push_back(nb::borrow(object));
    }
    for (std::size_t i = 0; i < held_.size(); i += 2) {
      Feed& entry = feeds_.emplace_back(Feed{session.name_of(utf8_of(held_[i], "an input's name")), {}});
      if (borrow_array(held_[i + 1], entry.value)) continue;
      try {
        entry.value = to_value(held_[i + 1], declared_type(session, entry.name));
      } catch (Error& error) {
        throw error.within("feed \"" + std::string(entry.name) + "\"");
      }
    }
  }
  std::span<const Feed> span() const { return feeds_; }
  bool may_be_written(std::string_view name) const {
    for (std::size_t i = 0; i < feeds_.size(); ++i)
      if (feeds_[i].name == name) return python::may_be_written(held_[2 * i + 1]);
    return true;
  }
  // Those whose memory outputs must not be handed out in.
  std::vector<Feed> kept(std::span<const std::string> donated) const {
    std::vector<Feed> kept;
    for (const Feed& feed : feeds_)
      if (std::find(donated.begin(), donated.end(), feed.name) == donated.end()) kept.push_back(feed);
    return kept;
  }

 private:
  std::vector<nb::object> held_;
  std::vector<Feed> feeds_;
};

// Inputs that are given up, by name.
inline std::vector<std::string> donated_inputs(const HeldSession& session, const Feeds& feeds, nb::handle names) {
  std::vector<std::string> donated;
  if (names.is_none()) return donated;
  if (PyUnicode_Check(names.ptr()))
    invalid_argument("donate is a list of str, not one str", "write [\"" + string_argument(names, "donate") + "\"]");
  for (nb::handle name : items_argument(names, "donate", "a list of str")) {
    const std::string& added = donated.emplace_back(session.name_of(utf8_of(name, "an input's name")));
    if (!feeds.may_be_written(added))
      invalid_argument("the array of the input \"" + added + "\" is read-only", "donate one that may be written to");
  }
  return donated;
}

// Arrays that outputs are written to.
class Places {
 public:
  Places(const HeldSession& session, nb::handle given) {
    if (given.is_none()) return;
    if (!PyDict_Check(given.ptr())) wrong_type(given, "outputs", "a dict of output name to array");
    PyObject *key = nullptr, *object = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(given.ptr(), &position, &key, &object)) {
      held_.push_back(nb::borrow(key));
      arrays_.push_back(nb::borrow(object));
    }
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const std::string_view name = session.name_of(utf8_of(held_[i], "an output's name"));
      try {
        placements.push_back({name, place_of(arrays_[i])});
      } catch (Error& error) {
        throw error.within("output \"" + std::string(name) + "\"");
      }
    }
  }
  // The array that the output's value lies in, or null.
  nb::object array_of(std::string_view name, const Value& value) const {
    for (std::size_t i = 0; i < placements.size(); ++i)
      if (placements[i].output == name && value.is_tensor() && value.tensor().data() == placements[i].tensor.data())
        return arrays_[i];
    return {};
  }
  std::vector<Placement> placements;

 private:
  std::vector<nb::object> held_, arrays_;
};

inline std::vector<std::string> names_of(const HeldSession& session, nb::handle names) {
  std::vector<std::string> result;
  if (names.is_none()) return result;
  if (PyUnicode_Check(names.ptr())) {
    invalid_argument("output_names is a list of str, not one str",
                     "write [\"" + string_argument(names, "output_names") + "\"]");
  }
  for (nb::handle name : items_argument(names, "output_names", "a list of str"))
    result.emplace_back(session.name_of(utf8_of(name, "an output's name")));
  return result;
}

}  // namespace norn::python
