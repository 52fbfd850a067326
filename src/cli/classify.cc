#include "classify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>
#include <vector>

#include "command.h"
#include "draw.h"
#include "inputs.h"
#include "norn/data.h"
#include "streams.h"
#include "terminal.h"
#include "value_text.h"

namespace norn::cli {

namespace {

constexpr std::int64_t kBatch = 64;  // images of one run, where the model leaves the batch size open

struct Prediction {
  std::size_t best = 0;
  double confidence = 0;
};

// Scores become probabilities by softmax, unless they are probabilities already.
Prediction predict(const Tensor& scores, std::int64_t row, std::int64_t classes) {
  std::vector<double> p(static_cast<std::size_t>(classes));
  double sum = 0;
  bool probabilities = true;
  for (std::int64_t k = 0; k < classes; ++k) {
    const double x = number_at(scores, row * classes + k).value_or(0);
    p[static_cast<std::size_t>(k)] = x;
    sum += x;
    probabilities = probabilities && x >= 0 && x <= 1;
  }
  const auto best = std::ranges::max_element(p);
  const double top = *best;
  if (!probabilities || std::abs(sum - 1) > 1e-2) {
    sum = 0;
    for (const double x : p) sum += std::exp(x - top);
    return {static_cast<std::size_t>(best - p.begin()), 1 / sum};
  }
  return {static_cast<std::size_t>(best - p.begin()), top};
}

// The images as the model's input wants them: a channel dimension of 1 may be left out.
Tensor fit(const Tensor& images, const ArgInfo& input) {
  if (images.rank() < 3) {
    throw UsageError("images have shape [N,H,W] or [N,C,H,W]; these have " + to_string(images.dims()));
  }
  if (images.rank() == 3 && input.shape.size() == 4) {
    return images.reshaped({images.dims()[0], 1, images.dims()[1], images.dims()[2]});
  }
  return images;
}

Tensor rows(const Tensor& tensor, std::int64_t from, std::int64_t count) {
  Shape dims = tensor.dims();
  const std::size_t row = tensor.dims()[0] ? tensor.bytes() / static_cast<std::size_t>(tensor.dims()[0]) : 0;
  dims[0] = count;
  auto* data = static_cast<std::byte*>(const_cast<void*>(tensor.data())) + row * static_cast<std::size_t>(from);
  return Tensor::borrow(tensor.dtype(), dims, data, tensor.owner());
}

std::vector<std::string> class_names(const std::string& path, std::size_t count) {
  std::vector<std::string> names;
  if (path.empty()) {
    for (std::size_t k = 0; k < count; ++k) names.push_back(std::to_string(k));
    return names;
  }
  std::istringstream file(read_text(path));
  for (std::string line; std::getline(file, line);) names.push_back(line);
  if (names.size() != count) {
    throw UsageError(fmt::format("\"{}\" has {} lines, but the model has {} classes", path, names.size(), count),
                     "one class name a line");
  }
  return names;
}

struct Results {
  std::vector<Prediction> predictions;
  std::size_t classes = 0;
  double seconds = 0;
};

Results run_all(const Session& session, const Tensor& images) {
  const ArgInfo& input = session.inputs().front();
  const std::int64_t count = images.dims()[0];
  const std::int64_t fixed = input.has_shape && !input.shape.empty() ? input.shape[0].value : -1;
  const std::int64_t batch = fixed > 0 ? fixed : std::min(kBatch, count);
  if (batch > 0 && count % batch != 0 && fixed > 0) {
    throw UsageError(fmt::format("the model takes {} images at a time; {} is not a multiple of it", fixed, count));
  }
  const std::string wanted[] = {session.outputs().front().name};
  const auto run = [&](std::int64_t from, std::int64_t n) {
    const Feed feed[] = {{input.name, rows(images, from, n)}};
    return session.run(feed, wanted).front();
  };
  Results results;
  if (count > 0) run(0, std::min(batch, count));  // the first run of a shape prepares it
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t from = 0; from < count; from += batch) {
    const std::int64_t n = std::min(batch, count - from);
    const Value value = run(from, n);
    const Tensor& scores = value.tensor();
    if (scores.rank() < 1 || scores.dims()[0] != n || scores.size() == 0) {
      throw UsageError("output \"" + wanted[0] + "\" is " + value.describe() + ", not a row of scores for each image",
                       "--images is for models that classify; use -i for others");
    }
    const std::int64_t classes = scores.size() / n;
    results.classes = static_cast<std::size_t>(classes);
    for (std::int64_t i = 0; i < n; ++i) results.predictions.push_back(predict(scores, i, classes));
  }
  results.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return results;
}

// At least one mistake where there are any; the rest spread evenly over the batch.
std::vector<std::size_t> choose(std::size_t count, std::size_t wanted, const std::vector<std::size_t>& mistakes) {
  std::vector<std::size_t> chosen;
  wanted = std::min(wanted, count);
  for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(i * count / wanted);
  const bool shown = std::ranges::any_of(mistakes, [&](std::size_t m) { return std::ranges::count(chosen, m) > 0; });
  if (!chosen.empty() && !mistakes.empty() && !shown) chosen.back() = mistakes.front();
  return chosen;
}

void print_pictures(const Tensor& images, const Results& results, const std::vector<std::size_t>& chosen,
                    const std::vector<std::string>& names, const std::optional<Tensor>& labels) {
  const bool colour = colour_on(STDOUT_FILENO);
  std::vector<Picture> pictures;
  std::vector<std::vector<std::string>> captions;
  int width = 2;
  const auto flush = [&] {
    if (!pictures.empty()) fmt::print("{}\n", side_by_side(pictures, captions));
    pictures.clear();
    captions.clear();
    width = 2;
  };
  for (const std::size_t i : chosen) {
    Picture picture = draw(images, static_cast<std::int64_t>(i), colour);
    const Prediction& p = results.predictions[i];
    std::vector<std::string> caption{fmt::format("{} ({:.1f}%)", names[p.best], 100 * p.confidence)};
    if (labels) {
      const auto truth = static_cast<std::size_t>(*number_at(*labels, static_cast<std::int64_t>(i)));
      caption.push_back(truth == p.best ? "right" : "wrong: is " + (truth < names.size() ? names[truth] : "?"));
    }
    const int column = std::max(picture.width, 12) + 3;
    if (width + column > terminal_width()) flush();
    width += column;
    pictures.push_back(std::move(picture));
    captions.push_back(std::move(caption));
  }
  flush();
}

}  // namespace

int classify(const Session& session, const std::string& model_path, const ClassifyFlags& flags) {
  if (session.inputs().size() != 1 || session.outputs().empty()) {
    throw UsageError(
        fmt::format("--images needs a model with one input; \"{}\" has {}", model_path, session.inputs().size()),
        "use -i name=file for each");
  }
  const ArgInfo& input = session.inputs().front();
  const Value loaded = load_as(flags.images, input);
  const Tensor images = fit(loaded.tensor(), input);
  const std::int64_t count = images.dims()[0];
  std::optional<Tensor> labels;
  if (!flags.labels.empty()) {
    labels = load_value(flags.labels).tensor();
    if (labels->size() != count || (count > 0 && !number_at(*labels, 0))) {
      throw UsageError(fmt::format("the labels are {}{}, but there are {} images", data_type_name(labels->dtype()),
                                   to_string(labels->dims()), count),
                       "labels are the number of the class for each image");
    }
  }
  const Results results = run_all(session, images);
  const std::vector<std::string> names = class_names(flags.classes, results.classes);

  std::vector<std::size_t> mistakes;
  if (labels) {
    for (std::size_t i = 0; i < results.predictions.size(); ++i) {
      const double truth = *number_at(*labels, static_cast<std::int64_t>(i));
      if (truth != static_cast<double>(results.predictions[i].best)) mistakes.push_back(i);
    }
  }
  const double each = count ? results.seconds / static_cast<double>(count) : 0;
  const double accuracy = count ? 1 - static_cast<double>(mistakes.size()) / static_cast<double>(count) : 0;
  if (flags.json) {
    nlohmann::ordered_json json{{"model", model_path}, {"images", count}, {"seconds_per_image", each}};
    if (labels) json["accuracy"] = accuracy;
    for (const Prediction& p : results.predictions) {
      json["predictions"].push_back({{"class", names[p.best]}, {"confidence", p.confidence}});
    }
    fmt::print("{}\n", dumped(json));
    return kFine;
  }
  const bool drawable = images.rank() == 3 || (images.rank() == 4 && (images.dims()[1] == 1 || images.dims()[1] == 3));
  if (drawable && flags.draw > 0 && images.size() > 0) {
    print_pictures(images, results, choose(results.predictions.size(), static_cast<std::size_t>(flags.draw), mistakes),
                   names, labels);
  }
  fmt::print("{} images of {}", count, declaration_text(input));
  if (labels)
    fmt::print(": {} right, {} wrong, accuracy {:.2f}%", count - static_cast<std::int64_t>(mistakes.size()),
               mistakes.size(), 100 * accuracy);
  fmt::print("\n{} per image\n", duration_text(each));
  return kFine;
}

}  // namespace norn::cli
