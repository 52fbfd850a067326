// Every operator with what its schema allows: each version, each element type, random inputs and attributes. There is
// no truth but agreement: what inference says, what the reference kernel gives, what other versions of the node and
// whole sessions give is the same, or they refuse with an error. What fails is printed as the texts of a case.
//
// NORN_SEED picks other random choices, NORN_ROUNDS more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <random>

#include "norn/error.h"
#include "ops/common/case_driver.h"
#include "ops/common/case_matrix.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "opset/type_check.h"

namespace norn::ops::cases {
namespace {

unsigned setting(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

class Draw {
 public:
  // `wanted`: the type of a type variable; otherwise `first` is that of the first one.
  Draw(const opset::Operator& op, const opset::Schema& row, DataType first, unsigned seed, const Cell* wanted = nullptr)
      : op_(op), row_(row), first_(first), random_(seed) {
    if (!wanted) return;
    wanted_ = wanted->variable;
    wanted_type_ = opset::type_from_string(wanted->type);
  }

  std::string node, inputs;

  // False if the operator needs what cases have no text for: a graph, a map.
  bool make() {
    for (std::size_t n = static_cast<std::size_t>(pick(0, 4)); n-- > 0;) dims_.push_back(one_in(9) ? 0 : pick(1, 4));
    if (wants_images()) {
      dims_.resize(static_cast<std::size_t>(pick(3, 4)), 4);
      for (std::int64_t& d : dims_) d = std::max<std::int64_t>(d, 1);
    }
    if (op_.name == "Det") {  // of square matrices
      dims_.resize(std::max<std::size_t>(dims_.size(), 2), 2);
      dims_[dims_.size() - 2] = dims_.back();
    }
    node = opset::full_name(op_) + "-" + std::to_string(row_.since);
    // Nothing optional but what is wanted, every other time.
    const bool bare = !wanted_.empty() && one_in(2);
    for (const opset::Attr& a : row_.attrs)
      if ((a.required || (attribute_tells() && (a.name == "value" || a.name.ends_with("type"))) ||
           a.name.starts_with("pool_") || (!bare && one_in(2))) &&
          !attribute(a))
        return false;
    for (const opset::Param& p : row_.inputs) {
      int copies = 1;
      if (p.option == opset::ParamOption::Optional) copies = p.type == wanted_ || (!bare && one_in(2));
      if (p.option == opset::ParamOption::Variadic) copies = static_cast<int>(pick(std::max(1, p.min_arity), 3));
      for (int k = 0; k < copies; ++k)
        if (!input(p)) return false;
      if (copies == 0) inputs += inputs.empty() ? "-" : "; -";
    }
    while (inputs.ends_with("; -")) inputs.resize(inputs.size() - 3);
    if (inputs == "-") inputs.clear();
    return true;
  }

 private:
  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(random_() % static_cast<unsigned>(to - from + 1));
  }
  bool one_in(unsigned n) { return random_() % n == 0; }
  template <class... T>
  std::string one_of(T... words) {
    const char* all[] = {words...};
    return all[random_() % sizeof...(words)];
  }
  std::string list(std::size_t n, std::int64_t from, std::int64_t to) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += (i ? "," : "") + std::to_string(pick(from, to));
    return "[" + text + "]";
  }
  std::int64_t rank() const { return static_cast<std::int64_t>(dims_.size()); }
  std::size_t spatial() const { return dims_.size() > 2 ? dims_.size() - 2 : 1; }
  bool wants_images() const { return opset::find_attr(row_, "kernel_shape") || opset::find_attr(row_, "group"); }

  // A pool of one word and one pair.
  std::string ngram_value(std::string_view n) {
    if (n == "ngram_counts") return "[0,1]";
    if (n == "ngram_indexes") return list(2, 0, 3);
    if (n == "weights") return "[0.5,2]";
    if (n == "mode") return one_of("TF", "IDF", "TFIDF");
    if (n == "pool_int64s") return first_ == DataType::String ? "" : "[1,-1,0]";
    if (n == "pool_strings") return first_ == DataType::String ? "[s1,s0,s-1]" : "";
    return n == "max_skip_count" ? one_of("0", "1") : n == "min_gram_length" ? "1" : "2";
  }

  // Whether no input is of the wanted variable, so that an attribute determines it.
  bool attribute_tells() const {
    return wanted_type_.known() && std::none_of(row_.inputs.begin(), row_.inputs.end(),
                                                [&](const opset::Param& p) { return p.type == wanted_; });
  }
  bool attribute(const opset::Attr& a) {
    using ir::AttributeType;
    const std::string_view n = a.name;
    if (attribute_tells() && (n == "to" || n.ends_with("dtype") || n.ends_with("datatype") || n == "stash_type")) {
      const DataType elem = wanted_type_.is_tensor() ? wanted_type_.elem : wanted_type_.element->elem;
      std::string name(data_type_name(elem));
      for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      const bool spelt = a.type == AttributeType::String;
      node += " " + std::string(n) + "=" + (spelt ? name : std::to_string(static_cast<int>(elem)));
      return true;
    }
    if (op_.name == "Constant" && attribute_tells() && n != "value") return true;
    if (opset::find_attr(row_, "ngram_counts")) {
      if (const std::string value = ngram_value(n); !value.empty()) node += " " + std::string(n) + "=" + value;
      return true;
    }
    if (n == "tokenexp" && node.find(" separators=") != std::string::npos) return true;  // one or the other
    std::string value;
    switch (a.type) {
      case AttributeType::Int:
        if (n == "mincharnum")
          value = one_of("1", "2");
        else if (n == "axis" || n.ends_with("_axis"))
          value = std::to_string(pick(-rank() - (one_in(9) ? 1 : 0), std::max<std::int64_t>(rank() - 1, 0)));
        else if (n == "to" || n.ends_with("dtype"))
          value = std::to_string(pick(1, kDataTypeCount - 1));
        else if (n == "group" || n == "size" || n == "blocksize" || n.starts_with("num") || n.ends_with("size"))
          value = std::to_string(pick(1, 3));
        else
          value = std::to_string(one_in(12) ? pick(-2, 3) : pick(0, 1));
        break;
      case AttributeType::Float: value = one_of("0", "0.5", "1", "-1", "2", "0.001"); break;
      case AttributeType::String:
        value = n == "auto_pad"                         ? one_of("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
                : op_.name == "Momentum" && n == "mode" ? one_of("standard", "nesterov")
                : n == "mode"      ? one_of("constant", "edge", "reflect", "wrap", "nearest", "linear", "cubic", "DCR")
                : n == "reduction" ? one_of("none", "add", "mul", "mean", "sum", "max")
                : n == "direction" ? one_of("forward", "reverse", "bidirectional", "LEFT", "RIGHT")
                : n == "equation"  ? one_of("ij->ji", "ij,jk->ik", "...i->...", "i,i", "...i,...i->...")
                : n == "to"        ? one_of("FLOAT", "INT32", "BOOL", "DOUBLE", "STRING", "NOTHING")
                : a.def.s.empty()  ? one_of("none", "tanh", "NONE")
                                   : std::string(a.def.s);
        break;
      case AttributeType::Ints:
        if (n == "perm") {
          std::vector<std::int64_t> perm(dims_.size());
          for (std::size_t i = 0; i < perm.size(); ++i) perm[i] = static_cast<std::int64_t>(i);
          for (std::size_t i = perm.size(); i > 1; --i) std::swap(perm[i - 1], perm[random_() % i]);
          for (std::int64_t p : perm) value += (value.empty() ? "" : ",") + std::to_string(p);
          value = "[" + value + "]";
        } else if (n == "axes" || n == "starts" || n == "ends") {
          value = list(static_cast<std::size_t>(pick(0, 2)), -rank(), std::max<std::int64_t>(rank() - 1, 0));
        } else if (n == "pads" || n == "paddings") {
          value = list(2 * (wants_images() ? spatial() : dims_.size()), 0, 1);
        } else if (n == "pooled_shape") {
          value = list(2, 1, 2);
        } else if (n == "kernel_shape" || n == "strides" || n == "dilations") {
          value = list(spatial(), 1, 2);
        } else {
          value = list(static_cast<std::size_t>(pick(0, 3)), 0, 3);
        }
        break;
      case AttributeType::Floats: value = "[" + one_of("0.5", "1,2", "0.25,0.5,1", "") + "]"; break;
      case AttributeType::Strings: value = "[" + one_of("a", "a,b", "Tanh,Sigmoid", "") + "]"; break;
      case AttributeType::Tensor:
        value = attribute_tells() ? "(" + std::string(data_type_name(wanted_type_.elem)) + "[1] 1)"
                                  : "(" + one_of("float[1] 2", "int64[1] 3", "float[] 1", "string[1] a") + ")";
        break;
      default: return !a.required;
    }
    node += " " + std::string(n) + "=" + value;
    return true;
  }

  DataType type_of(std::string_view variable) {
    for (const auto& [name, type] : chosen_)
      if (name == variable) return type;
    const opset::TypeConstraint* c = opset::find_type(row_, variable);
    if (c && variable == wanted_ && wanted_type_.is_tensor()) return wanted_type_.elem;
    std::uint32_t set = c ? c->set.tensor : 0;
    DataType type = opset::type_from_string(variable).elem;
    if (c && chosen_.empty() && c->set.allows_tensor(first_)) {
      type = first_;
    } else if (set) {
      do type = static_cast<DataType>(pick(1, kDataTypeCount - 1));
      while (!c->set.allows_tensor(type));
    }
    if (c) chosen_.emplace_back(variable, type);
    return type;
  }

  std::string tensor(DataType type, const Shape& dims, const std::string& how) {
    const bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
    return std::string(data_type_name(type)) + to_string(dims) +
           (empty ? ""
                  : " " + how + (how.find(' ') == std::string::npos ? " " + std::to_string(random_() % 1000) : ""));
  }

  bool is_recurrent() const { return opset::find_attr(row_, "hidden_size") != nullptr; }
  // Time and batch have two elements, so that the shapes fit either layout.
  Shape recurrent_shape(std::string_view name) const {
    const auto said = node.find("hidden_size=");
    const std::int64_t hidden = said == std::string::npos ? 2 : node[said + 12] - '0';
    const std::int64_t gates = op_.name.ends_with("LSTM") ? 4 : op_.name == "GRU" ? 3 : 1;
    const std::int64_t directions = node.find("bidirectional") == std::string::npos ? 1 : 2;
    if (name == "X") return {2, 2, 3};
    if (name == "sequence_lens") return {2};
    if (op_.name == "DynamicQuantizeLSTM") {  // transposed
      if (name == "W") return {directions, 3, gates * hidden};
      if (name == "R") return {directions, hidden, gates * hidden};
      if (name.starts_with("W_")) return {directions};
      if (name.starts_with("R_")) return {directions, gates * hidden};
    }
    if (name == "W") return {directions, gates * hidden, 3};
    if (name == "R") return {directions, gates * hidden, hidden};
    if (name == "B") return {directions, 2 * gates * hidden};
    if (name == "P") return {directions, 3 * hidden};
    return node.find("layout=1") == std::string::npos ? Shape{directions, 2, hidden} : Shape{2, directions, hidden};
  }

  // The shape of a data input.
  Shape shape_of(std::string_view name) {
    if (is_recurrent()) return recurrent_shape(name);
    const auto channels = dims_.size() > 1 ? dims_[1] : 1;
    if (wants_images() && (name == "W" || name == "w")) {
      Shape w = dims_;
      w[0] = filters_ = pick(1, 4);
      for (std::size_t d = 2; d < w.size(); ++d) w[d] = pick(1, 2);
      return w;
    }
    for (const char* vector : {"scale", "bias", "mean", "var", "input_mean", "input_var"})
      if (name == vector) return {channels};
    if (name == "values" && op_.name == "OneHot") return {2};
    if (name == "sequence_lens" && dims_.size() > 1) return {channels};
    if (name == "B" && wants_images()) return {one_in(9) ? 5 : filters_};
    if (op_.name.find("MatMul") != std::string_view::npos || op_.name == "Gemm") {
      if ((name == "B" || name == "b") && !dims_.empty()) return {dims_.back(), pick(1, 3)};
    }
    for (const char* scalar : {"min", "max", "k", "depth", "low", "high", "start", "limit", "delta", "ratio",
                               "training_mode", "constant_value", "trip_count", "position"})
      if (name == scalar) return {};
    if ((name.ends_with("_scale") || name.ends_with("_zero_point")) && !op_.name.ends_with("uantizeLinear")) return {};
    if (op_.name == "ScatterND" && !dims_.empty()) {
      if (name == "indices") return {2, 1};
      if (name == "updates") {
        Shape s = dims_;
        s[0] = 2;
        return s;
      }
    }
    switch (pick(0, 5)) {
      case 0: {  // broadcast with the others
        Shape s(dims_.begin() + pick(0, rank()), dims_.end());
        for (std::int64_t& d : s) d = one_in(2) ? 1 : d;
        return s;
      }
      case 1: {
        Shape s(static_cast<std::size_t>(pick(0, 4)));
        for (std::int64_t& d : s) d = pick(0, 3);
        return s;
      }
      default: return dims_;
    }
  }

  // Operands that random shapes would hardly ever fit together; "" for others.
  std::string fitting(std::string_view name, DataType type) {
    const auto random = [&](const Shape& dims) { return tensor(type, dims, "random"); };
    const auto op = [&](std::string_view o) { return op_.name == o; };
    if (op("Col2Im"))
      return name == "input" ? random({pick(1, 2), 4, 2}) : name == "image_shape" ? "int64[2] 2 3" : "int64[2] 2 2";
    if (op("NonMaxSuppression")) {
      if (name == "boxes") return random({1, 3, 4});
      if (name == "scores") return random({1, 2, 3});
      return name == "max_output_boxes_per_class" ? "int64[] 2" : "float[] 0.5";
    }
    if (op("ImageDecoder")) return "uint8[10] 80 53 32 49 32 49 32 57 10 " + std::to_string(pick(0, 9));  // P5 1 1 9
    if (op("RoiAlign") && name == "rois") return random({2, 4});
    if (op("RoiAlign") && name == "batch_indices") return "int64[2] 0 1";
    if (op("MaxRoiPool") && name == "rois") return std::string(data_type_name(type)) + "[2,5] 0 0 0 1 1 1 0 1 2 2";
    if (op("RoiAlign") || op("MaxRoiPool")) return random({2, pick(0, 2), 3, 3});
    if (op("GridSample")) return random(name == "X" ? Shape{1, 2, 3, pick(1, 3)} : Shape{1, 2, pick(0, 2), 2});
    if (op("AffineGrid")) return name == "theta" ? random({1, 2, 3}) : "int64[4] 1 1 2 2";
    if (op("NegativeLogLikelihoodLoss") || op("SoftmaxCrossEntropyLoss")) {
      if (name == "target" || name == "labels") return tensor(type, {2}, "uniform 0 2");
      return random(name.starts_with("weight") ? Shape{3} : Shape{2, 3});
    }
    if (op("LayerNormalization") && name != "X") return random({dims_.empty() ? 1 : dims_.back()});
    if (op("RotaryEmbedding") && name == "position_ids") return "int64[1,2] 2 -1";
    if (op("RotaryEmbedding")) {
      if (name == "X") return random({1, 3, 2, 4});
      return one_in(2) ? random({1, 2, 2}) : random({3, 2});
    }
    if (op("Attention") && name == "Q") return random({1, 2 * pick(1, 2), pick(0, 3), 4});
    if (op("Attention") && name == "attn_mask" && wanted_ == "U") return tensor(type, {1, 1}, "random");
    if (op("Attention") && name == "attn_mask") return tensor(type, {pick(1, 3), pick(1, 5)}, "random");
    if (op("Attention") && name == "nonpad_kv_seqlen") return "int64[1] " + std::to_string(pick(0, 3));
    if (op("Attention")) return random({1, 2, name.starts_with("past") ? 2 : 3, 4});
    if (op("InstanceNormalization") && name == "B") return random({dims_.size() > 1 ? dims_[1] : 1});
    if ((op("Resize") || op("Upsample")) && name == "scales") return tensor(type, {rank()}, "positive");
    if (op("DeformConv") && name != "B") {  // of windows of one element
      Shape dims = dims_;
      if (name == "W") std::fill(dims.begin() + 2, dims.end(), 1);
      if (name == "W") dims[0] = 2;
      if (name == "offset") dims[1] = rank() - 2;
      if (name == "mask") dims[1] = 1;
      return random(dims);
    }
    return "";
  }

  // Operands of signal processing, training and drawing, which random shapes and numbers hardly ever fit; "" for
  // others.
  std::string signal(const opset::Param& p, DataType type) {
    const std::string_view n = p.name;
    const std::string number = std::string(data_type_name(type)) + "[] ";
    if (n == "dft_length" || n == "num_mel_bins" || n == "frame_step" || n == "frame_length")
      return number + std::to_string(pick(1, 4));
    if (n == "sample_rate") return number + std::to_string(pick(40, 80));
    if (n == "lower_edge_hertz") return number + "1";
    if (n == "upper_edge_hertz") return number + std::to_string(pick(10, 20));
    if (n == "window") return tensor(type, {pick(1, 4)}, "random");
    if (n == "signal") return tensor(type, {pick(0, 2), pick(3, 5), pick(1, 2)}, "random");
    if (op_.name == "DFT" && n == "input")
      return tensor(type, {pick(0, 2), pick(1, 6), pick(1, 3), pick(1, 2)}, "random");
    if (op_.name == "Bernoulli") return tensor(type, dims_, "uniform 0 1");
    if (op_.name == "Multinomial") return tensor(type, {pick(0, 2), pick(1, 4)}, "random");
    if (op_.domain == std::string_view("ai.onnx.preview.training") && n == "R") return number + "0.5";
    if (op_.domain == std::string_view("ai.onnx.preview.training") && n == "T")
      return number + std::to_string(pick(0, 3));
    if (op_.domain != std::string_view("ai.onnx.preview.training") || op_.name == "Gradient") return "";
    std::string text;
    for (int groups = op_.name == "Adam" ? 4 : 3, i = 0; i < groups; ++i)
      text += (i ? "; " : "") + tensor(type, dims_, "positive");
    return text;
  }

  bool input(const opset::Param& p) {
    const opset::TypeConstraint* c = opset::find_type(row_, p.type);
    const bool tensors = c ? c->set.tensor != 0 : opset::type_from_string(p.type).is_tensor();
    if (!inputs.empty()) inputs += "; ";
    const bool wants_sequence = p.type == wanted_ && wanted_type_.kind == opset::ValueType::Kind::Sequence;
    if (!tensors || wants_sequence) {
      const bool sequences = c ? c->set.sequence != 0 : p.type.starts_with("seq(tensor");
      if (!sequences) return false;
      DataType type = DataType::Float;
      while (c && !((c->set.sequence >> static_cast<unsigned>(type)) & 1))
        type = static_cast<DataType>(pick(1, kDataTypeCount - 1));
      if (!c) type = opset::type_from_string(p.type).element->elem;
      if (wants_sequence) type = wanted_type_.element->elem;
      inputs += "seq(" + tensor(type, dims_, "random") + " | " + tensor(type, dims_, "random") + ")";
      return true;
    }
    const DataType type = type_of(p.type);
    const std::string_view n = p.name;
    std::string text = fitting(n, type);
    if (text.empty()) text = signal(p, type);
    if (!text.empty()) {
      inputs += text;
      return true;
    }
    const auto vector = [&](std::int64_t size, std::int64_t from, std::int64_t to) {
      inputs += tensor(type, {size}, "uniform " + std::to_string(from) + " " + std::to_string(to));
      return true;
    };
    const bool whole = type == DataType::Int64 || type == DataType::Int32;
    if (whole && n == "axis") {
      inputs += tensor(
          type, {}, "uniform " + std::to_string(-rank()) + " " + std::to_string(std::max<std::int64_t>(rank() - 1, 0)));
      return true;
    }
    if (whole && is_recurrent()) return vector(2, 0, 2);
    if (whole && n == "axes") return vector(pick(0, 2), -rank(), std::max<std::int64_t>(rank() - 1, 0));
    if (whole && (n == "starts" || n == "ends")) return vector(std::min<std::int64_t>(rank(), 1), -3, 4);
    if (whole && n == "K") return vector(1, 0, 2);
    if (whole && n == "write_indices") return vector(dims_.empty() ? 1 : dims_[0], 0, 1);
    if (whole && n == "steps") return vector(std::min<std::int64_t>(rank(), 1), 1, 2);
    if (whole && n == "pads") return vector(2 * rank(), 0, 2);
    if (whole && (n == "shape" || (n == "input" && (wanted_.empty() || op_.name == "ConstantOfShape")) ||
                  n == "repeats" || n == "sizes" || n == "split"))
      return vector(one_in(2) ? rank() : pick(0, 4), 0, 3);
    if (whole && (n == "indices" || n == "position")) {
      inputs += tensor(type, shape_of(n), "uniform -1 0");
      return true;
    }
    inputs += tensor(type, shape_of(n), one_in(3) ? "odd" : one_in(3) ? "positive" : "random");
    return true;
  }

  const opset::Operator& op_;
  const opset::Schema& row_;
  DataType first_;
  std::mt19937 random_;
  Shape dims_;
  std::int64_t filters_ = 1;
  std::vector<std::pair<std::string_view, DataType>> chosen_;
  std::string_view wanted_;
  opset::ValueType wanted_type_;
};

// Whether what is said of static shapes is said of others too. `refused`: inference refuses the node.
std::string check_without_truth(const Trial& trial, bool& refused);

// "" if all agree; `ran` is set to whether the node was accepted.
std::string agreement(const Trial& trial, bool sessions, bool& ran) {
  std::optional<std::vector<Value>> results;
  if (opset::find_reference(*trial.op, trial.row->since)) {
    try {
      results = run_reference(trial);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::Internal) return std::string("the reference kernel: ") + e.what();
    }
  }
  const bool by_body = !opset::find_reference(*trial.op, trial.op->history.back().since) && run_in_session &&
                       opset::is_runnable(*trial.op);
  if (by_body) {
    try {
      results = run_in_session(trial);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::Internal) return std::string("a session: ") + e.what();
    }
  }
  ran = results.has_value();
  if (!results) {
    const bool refused = opset::find_reference(*trial.op, trial.row->since) != nullptr;
    return refused && sessions && check_session_refusal ? check_session_refusal(trial, "*") : std::string();
  }
  Truth truth{std::move(*results), {}, {}};
  std::string wrong;
  if (trial.row->determinism == opset::Determinism::Deterministic) wrong = check_inference(trial, truth);
  if (wrong.empty()) wrong = check_versions(trial, truth);
  if (wrong.empty() && sessions && check_sessions && trial.row->determinism == opset::Determinism::Deterministic)
    wrong = check_sessions(trial, truth);
  return wrong;
}

// A node that inference refuses: so have all others. What an older version does not have yet, such as negative axes, is
// for inference alone; kernels know the newest.
std::string refused_by_all(const Trial& trial, bool sessions) {
  if (trial.row == &trial.op->history.back() && opset::find_reference(*trial.op, trial.row->since)) {
    bool runs = true;
    try {
      run_reference(trial);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::Internal) return std::string("the reference kernel: ") + e.what();
      runs = false;
    }
    if (runs) return "inference refuses what the reference kernel computes";
  }
  return sessions && opset::is_runnable(*trial.op) && check_session_refusal ? check_session_refusal(trial, "*") : "";
}

class RandomCases : public testing::TestWithParam<const opset::Operator*> {
 protected:
  // Draws one node of the row; what is wrong is a failure. False if there is no text for it.
  bool draw(const opset::Schema& row, DataType type, bool sessions, const Cell* wanted = nullptr) {
    const opset::Operator& op = *GetParam();
    std::seed_seq mixed{seed_, ++drawn_, static_cast<unsigned>(op.name.size()), static_cast<unsigned>(op.name[0])};
    unsigned own = 0;
    mixed.generate(&own, &own + 1);
    Draw d(op, row, type, own, wanted);
    if (!d.make()) return false;
    const Case text{d.node, d.inputs, "", {.late = true}};
    std::string wrong;
    try {
      for (const Trial& trial : trials(text)) {
        bool ran = false, refused = false;
        wrong = check_without_truth(trial, refused);
        if (wrong.empty() && refused)
          wrong = refused_by_all(trial, sessions && !wanted);
        else if (wrong.empty())
          wrong = agreement(trial, sessions && !wanted, ran);
        accepted_ += ran;
        if (wanted && wrong.empty() && !refused) wrong = only_run(trial);
      }
    } catch (const Error& e) {
      // What is wanted may be of another version only.
      if (!wanted || e.code() != ErrorCode::Internal) wrong = e.what();
    } catch (const std::exception& e) {
      wrong = std::string("not a norn::Error: ") + e.what();
    }
    if (wrong.empty()) return true;
    ++failures_;
    ADD_FAILURE() << "{\"" << d.node << "\", \"" << d.inputs << "\"}\n  " << wrong << "\n  again: NORN_SEED=" << seed_
                  << " NORN_ROUNDS=" << rounds_ << " norn_slice_tests --gtest_filter=*RandomCases.Agree/" << op.name;
    return true;
  }

  // Versions without a kernel of their own, and what differs from run to run.
  static std::string only_run(const Trial& trial) {
    try {
      if (run_in_session) run_in_session(trial);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::Internal) return std::string("a session: ") + e.what();
    }
    return {};
  }

  const unsigned seed_ = setting("NORN_SEED", 1), rounds_ = setting("NORN_ROUNDS", 2);
  unsigned drawn_ = 0;
  int accepted_ = 0, failures_ = 0;
};

TEST_P(RandomCases, Agree) {
  const opset::Operator& op = *GetParam();
  bool expressible = false;
  for (const opset::Schema& row : op.history) {
    const std::uint32_t types = row.types.empty() ? 2 : row.types[0].set.tensor | (row.types[0].set.tensor ? 0 : 2);
    for (int t = 1; t < kDataTypeCount && failures_ < 3; ++t) {
      if (!(types >> t & 1)) continue;
      // Where there are few types, the chance to be accepted is not a type's.
      const unsigned draws =
          std::popcount(types) <= 2 ? 12 / static_cast<unsigned>(std::popcount(types)) * rounds_ : rounds_;
      for (unsigned round = 0; round < draws; ++round) expressible |= draw(row, static_cast<DataType>(t), round == 0);
    }
  }
  // Attributes of ai.onnx.ml are lists that rarely fit each other by chance.
  const bool kernel =
      opset::find_reference(op, op.history.back().since) != nullptr && op.domain != std::string_view("ai.onnx.ml");
  EXPECT_TRUE(!kernel || !expressible || accepted_ > 0) << "no random inputs of " << op.name << " were accepted";
}

// What nothing ran yet, of each version and type (case_matrix.h): more is drawn, for as long as that may help.
TEST_P(RandomCases, RunEveryType) {
  constexpr int kTries = 600;
  for (const opset::Schema& row : GetParam()->history) {
    for (const Cell& cell : empty_cells(*GetParam(), row)) {
      for (int k = 0; k < kTries && failures_ < 3 && is_empty(*GetParam(), row, cell); ++k)
        draw(row, static_cast<DataType>(1 + k % (kDataTypeCount - 1)), true, &cell);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomCases,
                         testing::ValuesIn(opset::all_operators().begin(), opset::all_operators().end()),
                         [](const auto& info) {
                           std::string name;
                           for (char c : opset::full_name(*info.param))
                             name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

std::string check_without_truth(const Trial& trial, bool& refused) {
  const auto knows = [&](bool symbolic, bool ranks) {
    std::vector<Known> inputs;
    for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
      const Given& g = trial.inputs[i];
      Known k{g.present, g.present ? g.type : opset::ValueType{}, {}};
      if (g.value && g.value->is_tensor()) {
        if (is_shape_like(*g.value))
          k.value.constant = g.value->tensor();
        else if (symbolic)
          for (std::size_t d = 0; d < k.type.shape->size(); ++d)
            (*k.type.shape)[d] = opset::DimExpr::variable("i" + std::to_string(i) + "d" + std::to_string(d));
        if (!ranks && !k.value.constant.defined()) k.type.shape.reset();
      }
      inputs.push_back(std::move(k));
    }
    return inputs;
  };
  std::optional<Inferred> known;
  const auto outputs = static_cast<std::size_t>(std::max(1, std::min(3, opset::min_outputs(*trial.row))));
  try {
    known = infer(*trial.op, *trial.row, trial.attrs, knows(false, true), outputs);
  } catch (const Error& e) {
    refused = true;
    return e.code() == ErrorCode::Internal ? std::string("inference from static types: ") + e.what() : std::string();
  }
  for (const bool ranks : {true, false}) {
    const std::string mode = ranks ? "inference from symbolic shapes" : "inference from unknown ranks";
    try {
      const Inferred less = infer(*trial.op, *trial.row, trial.attrs, knows(true, ranks), outputs);
      const opset::DimExpr::Lookup sizes = [&](std::string_view name) -> std::optional<std::int64_t> {
        const auto d = name.find('d');
        if (name[0] != 'i' || d == std::string_view::npos) return std::nullopt;
        const auto i = std::stoul(std::string(name.substr(1, d - 1)));
        return (*trial.inputs[i].type.shape)[std::stoul(std::string(name.substr(d + 1)))].constant();
      };
      for (std::size_t o = 0; o < outputs; ++o) {
        const opset::ValueType &a = known->types[o], &b = less.types[o];
        if (!a.is_tensor() || !b.is_tensor() || !a.has_rank() || !b.has_rank()) continue;
        const std::string what = mode + ": " + b.to_string() + ", from static types " + a.to_string();
        if (a.elem != b.elem || a.shape->size() != b.shape->size()) return what;
        for (std::size_t d = 0; d < a.shape->size(); ++d) {
          const opset::DimExpr &x = (*a.shape)[d], &y = (*b.shape)[d];
          if (x.is_constant() && !is_fresh(y) && y.evaluate(sizes).value_or(-1) != x.constant()) return what;
        }
      }
    } catch (const Error& e) {
      return mode + " throws, from static types it does not: " + e.what();
    }
  }
  return {};
}

}  // namespace
}  // namespace norn::ops::cases
