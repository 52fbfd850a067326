// consumer MODEL: runs a model with one float input on ones and prints the outputs' descriptions.
#include <algorithm>
#include <iostream>

#include "norn/session.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const norn::Session session(norn::Model::load(argv[1]));
    const norn::ArgInfo& input = session.inputs().front();
    norn::Shape shape;
    for (const norn::DimInfo& dim : input.shape) shape.push_back(std::max<std::int64_t>(dim.value, 1));
    norn::Tensor ones(norn::DataType::Float, shape);
    std::fill_n(ones.as_mutable<float>(), ones.size(), 1.0f);
    for (const norn::Value& output : session.run({{input.name, ones}})) std::cout << output.describe() << '\n';
    return 0;
  } catch (const norn::Error& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
