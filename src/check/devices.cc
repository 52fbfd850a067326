// Multi-device annotations: the model's device configurations, and how nodes shard their values over them.
//
// A device id in a sharding is either one device or, if index_to_device_group_map has it, a group. An axis may hold
// several blocks (simple shardings of a fused axis). Annotations never change results, so a fault only costs speed; but
// a runtime that reads them has to be able to trust them. Ranks are known here as far as the graph declares them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "check/declarations.h"
#include "check/rule_checks.h"
#include "check/text.h"

namespace norn::checks {
namespace {

constexpr std::int64_t kUnknownRank = -1;

struct Configurations {
  bool ready = false;
  TextMap<const ir::DeviceConfiguration*> by_name;
};

const Configurations& configurations(Context& ctx) {
  auto& all = ctx.state<Configurations>();
  if (!all.ready && ctx.model()) {
    all.ready = true;
    for (const ir::DeviceConfiguration& c : ctx.model()->configuration) all.by_name.emplace(c.name.get(), &c);
  }
  return all;
}

std::int64_t rank_of(Context& ctx, std::string_view value) {
  const Definition definition = ctx.scopes().find(value);
  if (definition.as == Defined::Nowhere) return kUnknownRank;
  const ir::Graph* graph = graph_of(ctx, definition);
  if (!graph && !ctx.function()) return kUnknownRank;
  const Declarations& known = declarations_of(ctx, graph);
  const auto found = known.find(value);
  if (found == known.end()) return kUnknownRank;
  const auto& [type, initializer, sparse] = found->second;
  if (initializer) return static_cast<std::int64_t>(initializer->dims.size());
  if (sparse) return static_cast<std::int64_t>(sparse->dims.size());
  if (!type->tensor_type || !type->tensor_type->shape) return kUnknownRank;
  return static_cast<std::int64_t>(type->tensor_type->shape->dim.size());
}

std::optional<std::int64_t> first_repeat(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
  return twice == numbers.end() ? std::nullopt : std::optional(*twice);
}

void check_devices(Context& ctx, const Place& place, const ir::ShardingSpec& spec,
                   const ir::DeviceConfiguration* config) {
  std::vector<std::int64_t> groups;
  groups.reserve(spec.index_to_device_group_map.size());
  for (const ir::IntIntListEntry& entry : spec.index_to_device_group_map) groups.push_back(entry.key);
  if (const auto twice = first_repeat(groups)) {
    ctx.report("device.shard.group-map-unique", place,
               "index_to_device_group_map gives the group " + std::to_string(*twice) + " twice", "keep one of them");
  }
  if (!config || config->num_devices.get() <= 0) return;
  std::sort(groups.begin(), groups.end());
  const std::int64_t devices = config->num_devices.get();
  const auto range = [&] {
    return "; " + quoted(config->name.get()) + " has devices 0 to " + std::to_string(devices - 1);
  };
  for (std::int64_t id : spec.device) {
    if ((id >= 0 && id < devices) || std::binary_search(groups.begin(), groups.end(), id)) continue;
    ctx.report("device.shard.device-range", place,
               "the device " + std::to_string(id) + " is neither a device nor a group of this sharding" + range(),
               "name a device of the configuration, or describe the group in index_to_device_group_map");
    break;
  }
  for (const ir::IntIntListEntry& entry : spec.index_to_device_group_map) {
    const auto outside =
        std::find_if(entry.value.begin(), entry.value.end(), [&](std::int64_t id) { return id < 0 || id >= devices; });
    if (outside == entry.value.end()) continue;
    ctx.report(
        "device.shard.device-range", place,
        "the group " + std::to_string(entry.key.get()) + " holds the device " + std::to_string(*outside) + range(),
        "groups consist of devices of the configuration");
  }
}

void check_axes(Context& ctx, const Place& place, const ir::ShardingSpec& spec) {
  const std::int64_t rank = spec.sharded_dim.empty() ? kUnknownRank : rank_of(ctx, spec.tensor_name.get());
  std::vector<std::int64_t> axes;
  std::optional<std::int64_t> shards = 1;
  for (std::size_t i = 0; i < spec.sharded_dim.size(); ++i) {
    const ir::ShardedDim& dim = spec.sharded_dim[i];
    const Place at = place.at("sharded_dim", static_cast<std::int64_t>(i));
    const std::int64_t axis = dim.axis;
    if (!dim.axis.has()) {
      ctx.report("device.shard.axis-present", at, "the sharded dimension has no axis", "set axis, from -r to r-1");
    } else if (rank >= 0 && (axis < -rank || axis >= rank)) {
      ctx.report("device.shard.axis-range", at,
                 "the axis " + std::to_string(axis) + " is outside of " + std::to_string(-rank) + ".." +
                     std::to_string(rank - 1) + ", the axes of " + quoted(spec.tensor_name.get()) + " of rank " +
                     std::to_string(rank),
                 "axes count from 0, or from -1 at the end");
    } else {
      axes.push_back(rank >= 0 && axis < 0 ? axis + rank : axis);
    }
    for (std::size_t k = 0; k < dim.simple_sharding.size(); ++k) {
      const ir::SimpleShardedDim& block = dim.simple_sharding[k];
      if (!block.num_shards.has() || block.num_shards.get() <= 0) {
        ctx.report("device.shard.num-shards", at.at("simple_sharding", static_cast<std::int64_t>(k)),
                   block.num_shards.has() ? "num_shards is " + std::to_string(block.num_shards.get()) +
                                                "; a dimension is split into 1 or more shards"
                                          : "num_shards is not set",
                   "set num_shards to the number of pieces");
        shards.reset();
      } else if (shards) {
        shards = base::checked_mul(*shards, block.num_shards.get());
      }
    }
  }
  if (const auto twice = first_repeat(axes)) {
    ctx.report("device.shard.axis-unique", place, "the axis " + std::to_string(*twice) + " is sharded twice",
               "describe an axis in one sharded_dim; several simple_sharding entries may stand in it");
  }
  if (!spec.sharded_dim.empty() && shards && *shards != static_cast<std::int64_t>(spec.device.size())) {
    ctx.report("device.shard.count-matches", place,
               quoted(spec.tensor_name.get()) + " is split into " + std::to_string(*shards) + " shards, but " +
                   std::to_string(spec.device.size()) + " devices are listed",
               "list one device, or one group of devices, for each shard");
  }
}

}  // namespace

void check_device_configurations(Context& ctx, const Place& place, const ir::Model& model) {
  NameSet names;
  for (std::size_t i = 0; i < model.configuration.size(); ++i) {
    const ir::DeviceConfiguration& config = model.configuration[i];
    const Place at = place.at("configuration", static_cast<std::int64_t>(i), config.name.get());
    if (config.name.get().empty()) {
      ctx.report("device.config.name", at, "the device configuration has no name, so no node can refer to it",
                 "name the configuration");
    } else if (!names.insert(config.name.get())) {
      ctx.report("device.config.name-unique", at,
                 "there is another device configuration of the name " + quoted(config.name.get()),
                 "rename one of them");
    }
    const std::int64_t devices = config.num_devices.get();
    if (!config.num_devices.has() || devices <= 0) {
      ctx.report("device.config.num-devices", at,
                 config.num_devices.has() ? "num_devices is " + std::to_string(devices) + "; there is 1 or more"
                                          : "num_devices is not set",
                 "set num_devices to the number of devices");
    } else if (!config.device.empty() && config.device.size() != static_cast<std::size_t>(devices)) {
      ctx.report(
          "device.config.names-length", at,
          "the configuration names " + std::to_string(config.device.size()) + " devices of " + std::to_string(devices),
          "name all devices or none");
    }
  }
}

void check_node_devices(Context& ctx, const Place& place, const ir::Node& node) {
  const Configurations& known = configurations(ctx);
  TextSet values(node.input.begin(), node.input.end());
  values.insert(node.output.begin(), node.output.end());
  NameSet used;
  for (std::size_t i = 0; i < node.device_configurations.size(); ++i) {
    const ir::NodeDeviceConfiguration& config = node.device_configurations[i];
    const std::string& id = config.configuration_id;
    const Place at = place.at("device_configuration", static_cast<std::int64_t>(i), id);
    const auto found = known.by_name.find(id);
    const ir::DeviceConfiguration* target = found == known.by_name.end() ? nullptr : found->second;
    if (id.empty() || (ctx.model() && !target)) {
      ctx.report("device.node.configuration-id", at,
                 id.empty() ? "configuration_id is not set" : "the model has no device configuration " + quoted(id),
                 "name one of ModelProto.configuration");
    }
    if (!id.empty() && !used.insert(id)) {
      ctx.report("device.node.unique-config", at, "the node has two entries for the device configuration " + quoted(id),
                 "merge them into one");
    }
    for (std::size_t k = 0; k < config.sharding_spec.size(); ++k) {
      const ir::ShardingSpec& spec = config.sharding_spec[k];
      const std::string& name = spec.tensor_name;
      const Place here = at.at("sharding_spec", static_cast<std::int64_t>(k), name);
      if (name.empty() || !values.contains(name)) {
        ctx.report("device.shard.tensor-name", here,
                   name.empty() ? "the sharding names no tensor"
                                : quoted(name) + " is neither an input nor an output of the node",
                   "tensor_name is one of the node's inputs or outputs");
      }
      check_devices(ctx, here, spec, target);
      check_axes(ctx, here, spec);
    }
  }
}

}  // namespace norn::checks
