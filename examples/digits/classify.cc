// Classifies handwritten digits with the C++ API: classify [FOLDER], where the folder has the model and the images.
#include <algorithm>
#include <iostream>

#include "norn/data.h"
#include "norn/session.h"

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const norn::Session session(norn::Model::load(folder + "/digits_cnn.onnx"));
  const norn::Value images = norn::load_value(folder + "/images.npy");
  const norn::Value labels = norn::load_value(folder + "/labels.npy");

  const norn::Tensor logits = session.run({{"image", images}}).front().tensor();
  const std::int64_t count = logits.dims()[0], classes = logits.dims()[1];
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float* row = logits.as<float>() + i * classes;
    right += std::max_element(row, row + classes) - row == labels.tensor().as<std::int64_t>()[i];
  }
  std::cout << right << " of " << count << " digits are read right\n";
} catch (const norn::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
