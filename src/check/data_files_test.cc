#include "check/area_test.h"
#include "format/data_messages.h"
#include "format/wire.h"

namespace norn::checks {
namespace {

using format::MapData;
using format::OptionalData;
using format::SequenceData;

ir::Tensor tensor(std::int32_t type = 1) {
  ir::Tensor t;
  t.data_type = type;
  t.dims = {0};
  return t;
}
SequenceData sequence(std::vector<ir::Tensor> items) {
  SequenceData s;
  s.elem_type = 1;
  s.tensor_values = std::move(items);
  return s;
}
MapData map(std::int32_t key_type, std::vector<std::int64_t> keys, std::vector<std::string> strings,
            std::size_t values) {
  MapData m;
  m.key_type = key_type;
  m.keys = std::move(keys);
  for (const std::string& s : strings) m.string_keys.push_back(ir::bytes_of(s));
  m.values = sequence(std::vector<ir::Tensor>(values, tensor()));
  return m;
}
OptionalData optional(std::int32_t kind) {
  OptionalData o;
  o.elem_type = kind;
  return o;
}
template <class T, class Change>
T changed(T value, Change change) {
  change(value);
  return value;
}

// Through the file's bytes.
template <class T, class Check>
Report check(const T& message, Check area) {
  const T read = format::read_message<T>(format::write_message(message));
  return run_area([&](Context& ctx, const Place& p) { area(ctx, p, read); });
}
Report check(const SequenceData& s) { return check(s, check_sequence_data); }
Report check(const MapData& m) { return check(m, check_map_data); }
Report check(const OptionalData& o) { return check(o, check_optional_data); }

template <class T>
void expect(const T& message, const std::string& rule) {
  SCOPED_TRACE(rule);
  expect_only(check(message), rule);
}
template <class T>
void expect_sound(const T& message, const std::vector<std::string>& about) {
  expect_kept(check(message), about);
}

TEST(DataFiles, Sequences) {
  expect(sequence({}), "");
  expect_sound(sequence({tensor(), tensor()}),
               {"data.seq.elem-type", "data.seq.field-matches", "data.seq.homogeneous"});
  expect(changed(sequence({}), [](auto& s) { s.elem_type = 99; }), "data.seq.elem-type");
  expect(changed(sequence({}), [](auto& s) { s.elem_type.clear(); }), "data.seq.elem-type");
  expect(changed(sequence({tensor()}), [](auto& s) { s.elem_type = 4; }), "data.seq.field-matches");
  expect(changed(sequence({tensor()}), [](auto& s) { s.sequence_values.push_back(sequence({})); }),
         "data.seq.field-matches");
  expect(sequence({tensor(1), tensor(7)}), "data.seq.homogeneous");
  expect(sequence({tensor(99)}), "tensor.data-type.valid");
}

TEST(DataFiles, Maps) {
  for (const MapData& m : {map(7, {1, -2}, {}, 2), map(8, {}, {"a", ""}, 2)}) {
    expect_sound(m, {"data.map.key-type", "data.map.key-field", "data.map.lengths", "data.map.values",
                     "data.map.keys-distinct"});
  }
  expect(map(3, {}, {}, 0), "");
  expect(map(1, {1}, {}, 1), "data.map.key-type");
  expect(map(0, {1}, {}, 1), "data.map.key-type");
  expect(map(7, {}, {"a"}, 1), "data.map.key-field");
  expect(map(8, {1}, {}, 1), "data.map.key-field");
  expect(map(7, {1}, {"a"}, 2), "data.map.key-field");
  expect(map(7, {1, 2}, {}, 3), "data.map.lengths");
  expect(map(7, {1, 1}, {}, 2), "data.map.keys-distinct");
  expect(map(8, {}, {"a", "b", "a"}, 3), "data.map.keys-distinct");
  expect(map(8, {}, {"a", "\xff"}, 2), "type.string.utf8");
  expect_sound(map(8, {}, {"gr\xc3\xbc\xc3\x9f", ""}, 2), {"type.string.utf8"});
  expect(changed(map(7, {}, {}, 0), [](auto& m) { m.values.clear(); }), "data.map.values");
  expect(changed(map(7, {}, {}, 0), [](auto& m) { m.values->elem_type = 5; }), "data.map.values");
}

TEST(DataFiles, Optionals) {
  const auto holding = [](std::int32_t kind) {
    return changed(optional(kind), [](auto& o) { o.tensor_value = tensor(); });
  };
  expect(optional(0), "");
  expect(optional(3), "");
  expect_sound(holding(1), {"data.opt.elem-type", "data.opt.field-matches"});
  expect(changed(optional(5), [](auto& o) { o.optional_value = optional(0); }), "");
  expect(changed(optional(4), [](auto& o) { o.map_value = map(7, {1}, {}, 1); }), "");
  expect(optional(99), "data.opt.elem-type");
  expect(holding(0), "data.opt.elem-type");
  expect(holding(3), "data.opt.field-matches");
}

TEST(DataFiles, NestingHasABound) {
  SequenceData s = sequence({});
  for (int i = 0; i < 300; ++i) {
    SequenceData outer;
    outer.elem_type = 3;
    outer.sequence_values.push_back(std::move(s));
    s = std::move(outer);
  }
  EXPECT_THROW(run_area([&](Context& ctx, const Place& p) { check_sequence_data(ctx, p, s); }), Error);
}

}  // namespace
}  // namespace norn::checks
