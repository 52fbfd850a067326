// Test cases of operators, as data: a case says what an operator computes, and one driver (case_driver.cc) checks it in
// every way there is to ask: inference that knows much or little, the reference kernel, every version that the node can
// be moved to, and where the runtime is linked every kernel that takes it and whole sessions.
//
//   const Cases cases("Softsign", {
//       {"Softsign", "T[2,3] odd", "", {.each = [](double x) { return x / (1 + std::abs(x)); }}},
//       {"Softsign-22", "float[4] 1 -1 0 nan", "float[4] 0.5 -0.5 0 nan"},
//   });
//
// Texts. `node` is the operator, its version and its attributes: "Conv-11 pads=1,1 auto_pad=VALID". A version is one
// opset ("-11"), a range ("-6..13", "-13..") or left out: then every version that has the attributes and takes the
// inputs is run. `inputs` and `outputs` are separated by ';', "-" is one that is left out. Each is a type and contents:
//
//   float[2,3] 1 2 3 4 5 inf     values; min and max are the type's limits; "..." quotes a string, re,im is complex
//   T[2,3] random                T, a type variable of the operator: the case runs for every type that it may be
//   int64[4] uniform -2 1        random values of a range, ends included; also: iota, odd (with NaN, infinities, -0),
//                                positive, fill 7; a number behind random, odd and positive is the seed
//   float[N,2*M]                 a type: an input without contents makes a case of inference alone
//   int64[2] N 2*N               contents known by their symbols (inference alone); "unknown" in an output
//   float, ?                     a tensor of unknown rank; a value of unknown type
//   seq(float[2] 1 2 | float[0]) a sequence
//   map(int64[2] 7 3 | float[2] 1 2)  a map: its keys, and as many values; map(int64,float[]) is a type
//
// {a|b|c} anywhere stands for each of them in turn. In outputs of inference, a dimension "?" is an unknown one.
// This header is light on purpose: files of cases compile in a moment.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace norn::ops::cases {

// The numbers of a tensor, row-major.
struct Numbers {
  std::vector<std::int64_t> dims;
  std::vector<double> values;
  double at(std::initializer_list<std::int64_t> index) const;
};

// The node that a formula computes.
class Sample {
 public:
  virtual bool has(int input) const = 0;
  virtual const Numbers& in(int input) const = 0;
  virtual int inputs() const = 0;
  // Sets the output's dimensions and gives its values, zeros, to be filled. They stay where they are.
  virtual std::vector<double>& out(int output, const std::vector<std::int64_t>& dims) = 0;
  // Attributes that the case gives, defaults of the schema, else `otherwise`.
  virtual double number(std::string_view attribute, double otherwise = 0) const = 0;
  virtual std::vector<std::int64_t> ints(std::string_view attribute,
                                         const std::vector<std::int64_t>& otherwise = {}) const = 0;
  virtual std::string_view word(std::string_view attribute) const = 0;
  // For `picks`: what stands for an element of an input.
  static double element(int input, std::int64_t position) { return static_cast<double>((position << 8) + input); }

 protected:
  ~Sample() = default;
};

// Row-major: the next index of a tensor of these dimensions; false behind the last. Starts from zeros.
bool next(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& dims);
std::int64_t position(const std::vector<std::int64_t>& index, const std::vector<std::int64_t>& dims);
std::int64_t count(const std::vector<std::int64_t>& dims);

// What a case says beside its texts.
struct With {
  // The truth where `outputs` has no values, written another way than the kernel: element by element (an output that is
  // not written has the type and shape of input 0), of two inputs that are broadcast together, or of all of them.
  double (*each)(double) = nullptr;
  double (*both)(double, double) = nullptr;
  void (*formula)(Sample&) = nullptr;
  // For operators that move elements, of any type: gives element() for each element of output 0, below 0 for a zero.
  void (*picks)(Sample&) = nullptr;
  // Element types that type variables take: names, or sets "floats" (16 to 64 bits), "signed", "unsigned"; with "!" in
  // front it is left out. Empty: every type that the version allows.
  std::string_view types = {};
  // The node is refused with a message that contains this; "*" is any.
  std::string_view error = {};
  // |got - want| <= tolerance * (1 + |want|). Below 0: neighbours of the output's type are taken; 0: the same values,
  // and the same signs of zeros.
  double tolerance = -1;
  double fast = 1e-5;  // the same for kernels that are not the reference
  // The oldest version that the node can be stepped down to; every older one has to refuse. 0: not said.
  int down_to = 0;
  bool late = false;              // The output's size depends on contents that are only known when it runs.
  int to = 0;                     // The case is about moving the node to this opset,
  std::string_view becomes = {};  // and what it is there: "Reshape-13 Softmax-13 Reshape-13"
};

struct Case {
  std::string_view node, inputs, outputs = {};
  With with = {};
};

// Registers the cases as tests of the suite `name`. A file of cases has one or more of these as global constants.
class Cases {
 public:
  Cases(const char* name, std::initializer_list<Case> cases);
};

}  // namespace norn::ops::cases
