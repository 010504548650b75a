#alias = 3 : i32
module {
  func.func @main(%arg0: tensor<2x3xi32>, %limit: tensor<i32> loc("limit")) -> (tensor<2x3xi32>, tensor<6xi32>) {
    %0 = "tosa.const"() <{values = dense<[[1, -2, 0x7F], [4, 5, 6]]> : tensor<2x3xi32>}> : () -> tensor<2x3xi32>
    %1 = "tosa.const"() {values = dense_resource<one> : tensor<1xi32>} : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<"0x01000000"> : tensor<i32>}> : () -> tensor<i32>
    %3:2 = tosa.while_loop (%a = %2, %b = %arg0) : (tensor<i32>, tensor<2x3xi32>) -> (tensor<i32>, tensor<2x3xi32>) {
      %c = tosa.greater %limit, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tosa.yield %c : tensor<i1>
    } do {
    ^bb0(%a: tensor<i32>, %b: tensor<2x3xi32>):
      %d = tosa.add %b, %0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
      %e = tosa.add %a, %2 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      tosa.yield %e, %d : tensor<i32>, tensor<2x3xi32>
    }
    %4 = tosa.maximum %3#1, %0 {nan_mode = #tosa.nan_mode<IGNORE>} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32> loc("y")
    %5 = tosa.const_shape {values = dense<6> : tensor<1xindex>} : () -> !tosa.shape<1>
    %6 = tosa.reshape %4, %5 : (tensor<2x3xi32>, !tosa.shape<1>) -> tensor<6xi32>
    return %4, %6 : tensor<2x3xi32>, tensor<6xi32>
  }
}
{-# dialect_resources: { builtin: { one: "0x0400000001000000" } } #-}
