#include "check/area_test.h"

namespace norn::checks {
namespace {

// Two configurations, and a node whose input "x" [8, 4] is split over two devices of the first.
ir::Model sound() {
  ir::Model m;
  for (const char* name : {"pair", "other"}) {
    auto& config = m.configuration.emplace_back();
    config.name = std::string(name);
    config.num_devices = 4;
  }
  m.configuration[0].device = {"a", "b", "c", "d"};
  ir::Graph& g = m.graph.mut();
  auto& x = g.input.emplace_back();
  x.name = std::string("x");
  x.type.mut().tensor_type.mut().shape.mut().dim.resize(2);
  ir::Node& node = g.node.emplace_back();
  node.input = {"x"};
  node.output = {"y"};
  auto& config = node.device_configurations.emplace_back();
  config.configuration_id = std::string("pair");
  auto& spec = config.sharding_spec.emplace_back();
  spec.tensor_name = std::string("x");
  spec.device = {0, 3};
  auto& dim = spec.sharded_dim.emplace_back();
  dim.axis = std::int64_t{0};
  dim.simple_sharding.emplace_back().num_shards = std::int64_t{2};
  return m;
}
Report check(const ir::Model& m, std::int64_t ir_version = 14) {
  return run_area(
      [&](Context& ctx, const Place& p) {
        ctx.set_model(m);
        ctx.enter_graph(&*m.graph);
        ctx.scopes().enter(true);
        for (const auto& input : m.graph->input) {
          ctx.scopes().define(ctx.scopes().intern(input.name.get()), {.as = Defined::Input});
        }
        check_device_configurations(ctx, p, m);
        for (std::size_t i = 0; i < m.graph->node.size(); ++i) {
          check_node_devices(ctx, p.node(m.graph->node[i], i), m.graph->node[i]);
        }
      },
      ir_version);
}
void shard(ir::ShardingSpec& spec, std::int64_t axis, std::vector<std::int64_t> pieces) {
  auto& dim = spec.sharded_dim.emplace_back();
  dim.axis = axis;
  for (std::int64_t n : pieces) dim.simple_sharding.emplace_back().num_shards = n;
}
void group(ir::ShardingSpec& spec, std::int64_t key, std::vector<std::int64_t> devices) {
  auto& entry = spec.index_to_device_group_map.emplace_back();
  entry.key = key;
  entry.value = std::move(devices);
}

using Config = ir::NodeDeviceConfiguration;
using Spec = ir::ShardingSpec;

TEST(Devices, EachRuleAlone) {
  const struct {
    const char* rule;
    std::function<void(ir::Model&, Config&, Spec&)> change;
  } cases[] = {
      {"device.config.name", [](auto& m, auto&, auto&) { m.configuration[1].name.clear(); }},
      {"device.config.name-unique", [](auto& m, auto&, auto&) { m.configuration[1].name = std::string("pair"); }},
      {"device.config.num-devices", [](auto& m, auto&, auto&) { m.configuration[1].num_devices.clear(); }},
      {"device.config.num-devices", [](auto& m, auto&, auto&) { m.configuration[1].num_devices = 0; }},
      {"device.config.names-length", [](auto& m, auto&, auto&) { m.configuration[0].device.pop_back(); }},
      {"device.node.configuration-id", [](auto&, auto& c, auto&) { c.configuration_id = std::string("nobody"); }},
      {"device.node.configuration-id", [](auto&, auto& c, auto&) { c.configuration_id.clear(); }},
      {"device.node.unique-config",
       [](auto& m, auto& c, auto&) {
         const Config copy = c;
         m.graph->node[0].device_configurations.push_back(copy);
       }},
      {"device.shard.tensor-name", [](auto&, auto&, auto& s) { s.tensor_name = std::string("w"); }},
      {"device.shard.tensor-name", [](auto&, auto&, auto& s) { s.tensor_name.clear(); }},
      {"device.shard.device-range", [](auto&, auto&, auto& s) { s.device = {0, 9}; }},
      {"device.shard.device-range", [](auto&, auto&, auto& s) { s.device = {0, -1}; }},
      {"device.shard.device-range",
       [](auto&, auto&, auto& s) {
         s.device = {0, -1};
         group(s, -1, {1, 4});
       }},
      {"device.shard.group-map-unique",
       [](auto&, auto&, auto& s) {
         group(s, -1, {0});
         group(s, -1, {1});
       }},
      {"device.shard.axis-present", [](auto&, auto&, auto& s) { s.sharded_dim[0].axis.clear(); }},
      {"device.shard.axis-range", [](auto&, auto&, auto& s) { s.sharded_dim[0].axis = std::int64_t{2}; }},
      {"device.shard.axis-range", [](auto&, auto&, auto& s) { s.sharded_dim[0].axis = std::int64_t{-3}; }},
      {"device.shard.axis-unique", [](auto&, auto&, auto& s) { shard(s, -2, {1}); }},
      {"device.shard.num-shards",
       [](auto&, auto&, auto& s) { s.sharded_dim[0].simple_sharding[0].num_shards.clear(); }},
      {"device.shard.num-shards", [](auto&, auto&, auto& s) { shard(s, 1, {0}); }},
      {"device.shard.count-matches", [](auto&, auto&, auto& s) { shard(s, 1, {2}); }},
      {"device.shard.count-matches", [](auto&, auto&, auto& s) { s.device.clear(); }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.rule);
    ir::Model m = sound();
    Config& config = m.graph->node[0].device_configurations[0];
    c.change(m, config, config.sharding_spec[0]);
    expect_only(check(m), c.rule);
    expect_only(check(m, 10), "");
  }
}

// What a node shards may be declared by a graph around it, or be a sparse initializer.
TEST(Devices, RanksOfOuterValues) {
  ir::Model m = sound();
  ir::Graph& g = *m.graph;
  g.name = std::string("main");
  ir::Node inner = g.node[0];
  inner.op_type = std::string("Relu");
  inner.output = {"z"};
  ir::Attribute body;
  body.name = std::string("body");
  body.type = static_cast<std::int32_t>(ir::AttributeType::Graph);
  body.g.mut().name = std::string("inner");
  body.g->node = {inner};
  g.node[0].device_configurations = {};
  g.node[0].op_type = std::string("Own");
  g.node[0].domain = std::string("com.example");
  g.node[0].attribute = {body};
  const auto ranges = [](const ir::Model& model) {
    Report report;
    const CheckOptions options;
    Context ctx(options, 14, {}, report);
    check_model(ctx, {}, model);
    return std::count_if(report.diagnostics.begin(), report.diagnostics.end(),
                         [](const Diagnostic& d) { return d.rule == "device.shard.axis-range"; });
  };
  EXPECT_EQ(ranges(m), 0);
  const auto axis = [&]() -> ir::Field<std::int64_t>& {
    return g.node[0].attribute[0].g->node[0].device_configurations.mut_value()[0].sharding_spec[0].sharded_dim[0].axis;
  };
  axis() = std::int64_t{2};
  EXPECT_EQ(ranges(m), 1);
  g.input.clear();
  EXPECT_EQ(ranges(m), 0);  // not known
  ir::SparseTensor& sparse = g.sparse_initializer.emplace_back();
  sparse.values.mut().name = std::string("x");
  sparse.dims = {4, 4};
  EXPECT_EQ(ranges(m), 1);
  axis() = std::int64_t{1};
  EXPECT_EQ(ranges(m), 0);
}

TEST(Devices, SoundOnes) {
  expect_kept(check(sound()), {"device.config.name", "device.config.name-unique", "device.config.num-devices",
                               "device.config.names-length", "device.node.configuration-id", "device.shard.tensor-name",
                               "device.shard.device-range", "device.shard.axis-present", "device.shard.axis-range",
                               "device.shard.num-shards", "device.shard.count-matches"});
  ir::Model m = sound();
  m.graph->node[0].device_configurations.emplace_back().configuration_id = std::string("other");
  Spec& spec = m.graph->node[0].device_configurations[0].sharding_spec[0];
  shard(spec, -1, {2, 1});  // a fused axis
  spec.device = {0, 1, -2, -1};
  group(spec, -1, {2, 3});
  group(spec, -2, {2});
  expect_kept(check(m), {"device.node.unique-config", "device.shard.axis-unique", "device.shard.group-map-unique",
                         "device.shard.device-range", "device.shard.count-matches"});
  spec = {};
  spec.tensor_name = std::string("y");  // replicated
  spec.device = {-7};
  group(spec, -7, {0, 1, 2, 3});
  expect_only(check(m), "");
  // Of a value without declared rank any axis may be.
  shard(spec, 50, {1});
  expect_only(check(m), "");
}

TEST(Devices, ANodeOnItsOwnKnowsNoConfigurations) {
  const ir::Model m = sound();
  expect_only(run_area([&](Context& ctx, const Place& p) { check_node_devices(ctx, p, m.graph->node[0]); }), "");
}

}  // namespace
}  // namespace norn::checks
