#include "program/passes.h"

#include <algorithm>

#include "norn/error.h"
#include "program/rewrite.h"

namespace norn::program {
namespace {

// A pass that looks at one graph at a time, inner ones first.
template <void (*Run)(Program&, Graph&)>
void each_graph(Program& program, const PassOptions&) {
  for_each_graph(program, [&](Graph& graph) { Run(program, graph); });
}

constexpr Pass kDropDead = {"drop_dead", "remove what no output needs", false, each_graph<drop_dead>};

constexpr Pass kPasses[] = {
    {"fuse_qdq", "compute in integers between dequantization and quantization", true, each_graph<fuse_qdq>},
    {"gather_stored", "pick rows of embeddings before they are widened", true, each_graph<gather_stored>},
    {"fold_constants", "compute what depends on constants only", true,
     [](Program& program, const PassOptions& options) { fold_constants(program, options.compute); }},
    {"drop_identities", "remove nodes that hand on their input", true, each_graph<drop_identities>},
    {"recognize_activations", "make Gelu and Swish of simpler operations", true, each_graph<recognize_activations>},
    {"recognize_norms", "make LayerNormalization and RMSNormalization of simpler operations", true,
     each_graph<recognize_norms>},
    {"recognize_attention", "make Attention of products and a Softmax", true, each_graph<recognize_attention>},
    {"widen_half", "compute float16 and bfloat16 in f32", true, each_graph<widen_half>},
    {"merge_duplicates", "compute once what several nodes compute", true, each_graph<merge_duplicates>},
    {"turn_conv_transposes", "compute ConvTranspose without strides as Conv", true, each_graph<turn_conv_transposes>},
    {"fuse_pads", "put zeros around images into the window that reads them", true, each_graph<fuse_pads>},
    {"fuse_conv_bn", "put BatchNormalization into the Conv before it", true, each_graph<fuse_conv_bn>},
    {"merge_convs", "compute the sum of convolutions of one tensor as one", true, each_graph<merge_convs>},
    {"fuse_quantized", "join scaling, sums and quantization to products of integers", true, each_graph<fuse_quantized>},
    {"fuse_stored_weights", "multiply by weights of few bits as they are stored", true,
     each_graph<fuse_stored_weights>},
    {"fuse_attention", "join products and the Softmax between them to attention whose shapes a plan knows", true,
     each_graph<fuse_attention>},
    {"fuse_integer_folds", "compute LogSumExp of integers without casts around it", true,
     each_graph<fuse_integer_folds>},
    {"fuse_group_norms", "join the reshapes around InstanceNormalization to it", true, each_graph<fuse_group_norms>},
    {"fuse_elementwise", "join activations, biases and residuals to the node before them", true,
     each_graph<fuse_elementwise>},
    {"fuse_separable", "join depthwise convolutions and the products over channels around them", true,
     each_graph<fuse_separable>},
    kDropDead,
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

void run_passes(Program& program, const PassOptions& options, const PassObserver& after) {
  const std::vector<std::string>& disabled = options.disabled;
  for (const std::string& name : disabled) {
    if (name == "all") continue;
    if (std::none_of(std::begin(kPasses), std::end(kPasses),
                     [&](const Pass& p) { return p.optional && p.name == name; })) {
      std::string names = "all";
      for (const Pass& p : kPasses)
        if (p.optional) names += ", " + std::string(p.name);
      throw Error(ErrorCode::InvalidArgument, "there is no optional pass \"" + name + "\"", {},
                  "the names are " + names);
    }
  }
  auto off = [&](const Pass& pass) {
    return pass.optional && std::any_of(disabled.begin(), disabled.end(),
                                        [&](const std::string& name) { return name == "all" || name == pass.name; });
  };
  const auto run = [&](const Pass& pass) {
    pass.run(program, options);
    if (after) after(pass, program);
  };
  run(kDropDead);
  for (const Pass& pass : kPasses)
    if (!off(pass)) run(pass);
}

}  // namespace norn::program
