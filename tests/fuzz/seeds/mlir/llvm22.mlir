func.func nested @main(%a: tensor<1x2x2x1xi8>, %b: tensor<1xi8>, %w: tensor<1x1x1x1xi8>, %n: tensor<i32>, %t: tensor<1xi1>) -> (tensor<2x!tosa.mxint8>, tensor<i32>) {
  %c = arith.constant dense<0> : tensor<1xi32>
  %x = "tosa.const"() {values = dense<["0x00", "0x7F"]> : tensor<2x!tosa.mxint8>} : () -> tensor<2x!tosa.mxint8>
  %q = arith.constant dense<["10", "-20"]> : tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  %0 = tosa.transpose_conv2d %a, %w, %c, %b, %b {acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, out_shape = array<i64: 1, 2, 2, 1>, stride = array<i64: 1, 1>} : (tensor<1x2x2x1xi8>, tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x1xi32>
  %1 = tosa.clamp %t {max_val = true, min_val = false} : (tensor<1xi1>) -> tensor<1xi1>
  %2:2 = tosa.while_loop (%i = %n, %j = %n) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %3 = tosa.greater_equal %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %3 : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %j: tensor<i32>):
    %2 = tosa.add %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %2, %j : tensor<i32>, tensor<i32>
  }
  return %x, %2#1 : tensor<2x!tosa.mxint8>, tensor<i32>
}
