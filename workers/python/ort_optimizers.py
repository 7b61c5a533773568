"""ONNX Runtime's optimizers by their own names: those of src/worker/ort_passes.def, as a test sees to."""

NAMES = """
    AttentionFusion Avx2WeightS8ToU8Transformer BiasDropoutFusion BiasGeluFusion BiasSkipLayerNormFusion
    BiasSoftmaxFusion CastChainElimination CastElimination CastFloat16Transformer ClipQuantRewrite
    CommonSubexpressionElimination ConstantFolding ConstantFoldingDQ ConstantSharing ConvActivationFusion
    ConvAddActivationFusion ConvAddFusion ConvBNFusion ConvMulFusion DQMatMulNBitsFusion DQMatMulToMatMulNBits
    DivMulFusion DoubleQDQPairsRemover DynamicQuantizeMatMulFusion EliminateDropout EliminateIdentity EliminateSlice
    EmbedLayerNormFusion EnsureUniqueDQForNodeUnit ExpandElimination FastGeluFusion FreeDimensionOverrideTransformer
    FuseFp16InitializerToFp32NodeTransformer FuseReluClip GatherSliceToSplitFusion GatherToSliceFusion GeluFusionL1
    GeluFusionL2 GemmActivationFusion GemmSumFusion GemmTransposeFusion GroupQueryAttentionFusion
    GroupQueryAttentionPreNormFusion LabelEncoderFusion LayerNormFusionL1 LayerNormFusionL2 MatMulActivationFusion
    MatMulAddFusion MatMulIntegerToFloatFusion MatMulNBitsFusion MatMulNBitsMlpFusion MatMulNBitsQkvFusion
    MatMulScaleFusion MatMul_BatchNormalization_Fusion MatmulTransposeFusion NchwcTransformer NhwcTransformer
    NoopElimination NotWhereFusion Pad_Fusion PreShapeNodeElimination QDQFinalCleanupTransformer
    QDQPropagationTransformer QDQS8ToU8Transformer QDQSelectorActionTransformer QuickGeluFusion ReluQuantRewrite
    RemoveDuplicateCastTransformer ReshapeFusion SimplifiedLayerNormFusion SkipLayerNormFusion
    SliceConcatToSpaceToDepthFusion TransposeOptimizer UnsqueezeElimination WeightBiasQuantization WhereDummyDq
""".split()
