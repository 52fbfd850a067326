// Convolution by windows of one pixel with channels first, as what it is: the weights times the image, each a matrix.
// Of weights that are not constant, and so many that rearranging them for pixels would take long.
#include <string>

#include "kernels/cpu/conv_candidates.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/posts.h"

namespace norn::kernels {
inline namespace conv_product_cc {
namespace {

constexpr std::int64_t kFewestWeights = std::int64_t{96} << 10;

MatMulConfig product_of(const ConvConfig& c) {
  const std::int64_t pixels = element_count(c.x) / (c.x[0] * c.x[1]);
  MatMulConfig product{.a = {c.w[0], c.w[1]}, .b = {c.x[0], c.x[1], pixels}, .out = {c.x[0], c.w[0], pixels}};
  if (c.has_bias) {
    product.has_c = true;
    product.c = {c.w[0], 1};
    product.c_constant = c.bias;
  }
  return product;
}

const Candidate<MatMulConfig>* product_candidate(const MatMulConfig& product) {
  for (const auto& candidate : matmul_candidates())
    if (candidate.refuses(product).empty()) return &candidate;
  return nullptr;
}

class ProductConv final : public Kernel {
 public:
  ProductConv(const ConvConfig& c, PackedConstants& packed) : extras_(c.extra.size()) {
    const MatMulConfig product = product_of(c);
    product_ = product_candidate(product)->make(product, packed);
    if (!c.post.empty()) posts_ = post_chain(c.out, c.out_layout, c.post, c.extra, packed);
  }

  std::size_t scratch_bytes() const override { return product_->scratch_bytes(); }
  std::size_t bytes() const noexcept override { return sizeof(*this) + product_->bytes(); }

  void run(void* const* operands, void* scratch) const override {
    void* const out = operands[3 + extras_];
    void* const factors[] = {operands[1], operands[0], operands[2], out};
    product_->run(factors, scratch);
    if (posts_) run_post_chain(*posts_, out, operands + 3, extras_);
  }

 private:
  const std::size_t extras_;
  std::unique_ptr<Kernel> product_, posts_;
};

}  // namespace
}  // namespace conv_product_cc

bool is_conv_product(const ConvSizes& s) {
  return !s.has_constant_weights && s.group == 1 && takes_each_pixel(s.x, s.w, s.out, s.strides) &&
         s.w[0] * s.w[1] >= kFewestWeights;
}

std::string product_conv_refuses(const ConvConfig& c) {
  if (std::string why = conv_config_refusal(c); !why.empty()) return why;
  if (c.x_layout != Layout::Dense || c.out_layout != Layout::Dense) return "channels are last";
  if (!is_conv_product({c.x, c.w, c.out, c.strides, c.dilations, c.group, c.weights.known()}))
    return "not a window of one pixel with many weights that are not constant";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  if (product_candidate(product_of(c)) == nullptr) return "no product takes its sizes";
  return post_chain_refuses(c.out, c.out_layout, c.post, c.extra);
}

std::unique_ptr<Kernel> make_product_conv(const ConvConfig& c, PackedConstants& packed) {
  return std::make_unique<ProductConv>(c, packed);
}

}  // namespace norn::kernels
