// Constant matrices that a product reads as the model stores them, in few bits: what widens them (DequantizeLinear, or
// Cast from float16 or bfloat16) is not computed ahead, which would take up to 16 times the memory and its bandwidth,
// but joins the product as one fused node.
#pragma once
#include <vector>

#include "program/rewriter.h"

namespace norn::program {

// Whether the node widens a constant matrix that is large enough, in a way that kernels support: by a scale for all,
// for each column, or for blocks of 8 rows or more of a column. The node's reader determines which dimension the
// columns are.
bool widens_constant(const Rewriter& rewriter, NodeId node);

// Whether the product's right factor is a constant matrix of float16 or bfloat16 that a Cast before it would widen.
bool is_kept_as_stored(const Rewriter& rewriter, const Node& product);

// The nodes from `reader`, which reads the output of the node `widening`, to the product whose right factor that is:
// Transpose and Cast may be between them. Empty if there is none, or if something else reads what is between.
std::vector<NodeId> way_to_product(const Rewriter& rewriter, NodeId widening, NodeId reader);

// Whether the node is only there for products, which read what it widens as it is stored. If there are several of them,
// or other readers too, each product gets its own copy of the node, which is left to the others or goes.
bool is_for_products(Rewriter& rewriter, NodeId widening);

}  // namespace norn::program
