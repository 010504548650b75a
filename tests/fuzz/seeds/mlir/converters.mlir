module attributes {torch.debug_module_name = "Net"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<*xi32>, %arg1: tensor<2x!quant.any<i32<-8:7>>>) -> tensor<2xi32> {
    %cst = arith.constant dense<[7, 1]> : tensor<2xi32>
    %0 = tosa.add %arg0, %cst : (tensor<*xi32>, tensor<2xi32>) -> tensor<*xi32>
    %1 = tosa.sub %0, %arg1 : (tensor<*xi32>, tensor<2x!quant.any<i32<-8:7>>>) -> tensor<2xi32>
    return %1 : tensor<2xi32>
  }
}
