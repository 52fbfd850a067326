// Where a model's inputs come from: files, or generated.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "norn/data.h"
#include "norn/session.h"

namespace norn::cli {

using NamedValues = std::vector<std::pair<std::string, Value>>;

// Views of named values that a run takes.
std::vector<Feed> feeds_of(const NamedValues& values);

// The message that holds a value of a type, "seq(tensor(float))" or as ModelSummary has it.
DataKind kind_of_type(std::string_view type);

// The file as a value of the declared type.
Value load_as(const std::string& path, const ArgInfo& declared);
Value load_as(const std::string& path, const std::string& declared_type);

// Values of inputs, each as "name=file", or "file" for a model with a single input. Throws UsageError.
NamedValues load_inputs(const std::vector<std::string>& arguments, const Session& session);

// Shapes of inputs, each as "x:1x3x224x224", "x:[1,3,224,224]", "x:" or "x:[]" for a scalar. Throws UsageError, also
// for a name that is not an input of the model.
std::map<std::string, Shape> parse_shapes(const std::vector<std::string>& arguments, const Session& session);

// How inputs that are not given are made.
struct Generator {
  enum class Kind { Random, Ramp } kind = Kind::Random;
  std::uint64_t seed = 0;
  std::map<std::string, Shape> shapes;
  std::int64_t unknown_dim = 1;  // for unknown dimensions
};

// Feeds for every input of the session: `given` first; the rest from the generator, where a dimension variable is what
// it is in `given` and in the generator's shapes. Without one, throws UsageError that names what is missing, with a
// command that would give it.
NamedValues complete(NamedValues given, const Session& session, const std::optional<Generator>& generator,
                     const std::string& model_path);

// "tensor(float) [N,3,224,224]"
std::string declaration_text(const ArgInfo& arg);

}  // namespace norn::cli
