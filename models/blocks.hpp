#pragma once
#include "models/quantized_layers.hpp"

namespace macaw::models {

// Blocks as ExecuTorch's Arm back end decomposes them for a quantised graph: each step int8 in and out.

[[nodiscard]] Activation sigmoid(QuantizedLayers& net, const Activation& x);
[[nodiscard]] Activation tanh(QuantizedLayers& net, const Activation& x);
[[nodiscard]] Activation silu(QuantizedLayers& net, const Activation& x);
[[nodiscard]] Activation gelu(QuantizedLayers& net, const Activation& x);
[[nodiscard]] Activation softmax(QuantizedLayers& net, const Activation& x);  ///< over the last axis

/// Scale (and shift) per channel of the last axis, near 1 (and 0), drawn from the network's generator.
[[nodiscard]] Activation layer_norm(QuantizedLayers& net, const Activation& x);
[[nodiscard]] Activation rms_norm(QuantizedLayers& net, const Activation& x);
/// [1,H,W,C], statistics over each of `groups` of channels.
[[nodiscard]] Activation group_norm(QuantizedLayers& net, const Activation& x, std::int64_t groups);

/// [1,1,T,heads*D] to [heads,T,D] and back.
[[nodiscard]] Activation split_heads(QuantizedLayers& net, const Activation& x, std::int64_t heads);
[[nodiscard]] Activation merge_heads(QuantizedLayers& net, const Activation& x);
/// softmax(q k^T / sqrt(D) + mask) v for q [N,T,D], k and v [N,S,D]; the mask, [1,T,S], may be left out.
[[nodiscard]] Activation attention(QuantizedLayers& net, const Activation& q, const Activation& k, const Activation& v,
                                   const Activation* mask = nullptr);

}  // namespace macaw::models
