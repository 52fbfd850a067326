// Normalisation over the last axis of a sum: of a layer and what skips it, or of embeddings.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator EmbedLayerNormalization, SimplifiedLayerNormalization, SkipLayerNormalization,
    SkipSimplifiedLayerNormalization;

}  // namespace norn::ops::microsoft
