// The invariants of every Program, between passes and behind them.
#pragma once
#include "program/program.h"

namespace norn::program {

// Throws norn::Error (Internal), with the node's or graph's place, for a Program that breaks one of these rules:
//   - a value is made once: by a node, or as a feed, constant, state or capture, each where it is listed; what is read
//     is made before, and a constant that is read has contents
//   - an operator takes a node's attributes and its inputs' types, and what it says of its outputs agrees with their
//     types; sizes may contradict only in a node that need not run
//   - a part of a fused node has one output and no graphs, reads the output of the operation before it, and nothing
//     else does
//   - a capture is of a value of the graph around, with the same type but for sizes; a graph in a node has the inputs
//     that the node gives
//   - names: the main graph's inputs have different ones, so do states
// Takes about as long as lowering did.
void verify(const Program& program);

}  // namespace norn::program
