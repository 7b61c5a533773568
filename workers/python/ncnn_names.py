"""What ncnn's documentation calls the parameters and weights of its layers, by their numbers and in their order.

Records of calls (record_graph.py) say stride_w=2 where a network says 3=2.
"""

SIZES = {0: "w", 1: "h", 2: "c", 11: "d"}
POOLING = {0: "pooling_type", 1: "kernel_w", 2: "stride_w", 3: "pad_left", 4: "global_pooling", 5: "pad_mode",
           6: "avgpool_count_include_pad", 11: "kernel_h", 12: "stride_h", 13: "pad_top", 14: "pad_right",
           15: "pad_bottom", 16: "pad_behind", 21: "kernel_d", 22: "stride_d", 23: "pad_front"}
WINDOW = {0: "num_output", 1: "kernel_w", 2: "dilation_w", 3: "stride_w", 4: "pad_left", 5: "bias_term",
          6: "weight_data_size", 7: "group", 11: "kernel_h", 12: "dilation_h", 13: "stride_h", 14: "pad_top",
          15: "pad_right", 16: "pad_bottom", 17: "pad_behind", 21: "kernel_d", 22: "dilation_d", 23: "stride_d",
          24: "pad_front"}
BACKWARD = {**WINDOW, 18: "output_pad_right", 19: "output_pad_bottom", 20: "output_pad_behind"}
RECURRENT = {0: "num_output", 1: "weight_data_size", 2: "direction", 3: "hidden_size"}


def in_order(*names):
    return dict(enumerate(names))


PARAMETERS = {
    "Input": SIZES, "MemoryData": SIZES, "Reshape": SIZES,
    "UnaryOp": in_order("op_type"), "BinaryOp": in_order("op_type", "with_scalar", "b"), "Clip": in_order("min", "max"),
    "ReLU": in_order("slope"), "ELU": in_order("alpha"), "CELU": in_order("alpha"),
    "SELU": in_order("alpha", "lambda_"),  # lambda, which Python has for itself
    "HardSigmoid": in_order("alpha", "beta"), "HardSwish": in_order("alpha", "beta"), "GELU": in_order("fast_gelu"),
    "Shrink": in_order("bias", "lambd"), "PReLU": in_order("num_slope"), "Dropout": in_order("scale"),
    "Softmax": in_order("axis", "fixbug0"), "Permute": in_order("order_type"), "Concat": in_order("axis"),
    "Slice": in_order("slices", "axis"), "Crop": {9: "starts", 10: "ends", 11: "axes"},
    "Tile": in_order("axis", "tiles", "repeats"), "PixelShuffle": in_order("upscale_factor", "mode"),
    "Reduction": in_order("operation", "reduce_all", "coeff", "axes", "keepdims", "fixbug0"),
    "Gemm": in_order("alpha", "beta", "transA", "transB"),
    "InnerProduct": in_order("num_output", "bias_term", "weight_data_size"),
    "BatchNorm": in_order("channels", "eps"), "InstanceNorm": in_order("channels", "eps", "affine"),
    "GroupNorm": in_order("group", "channels", "eps", "affine"), "LayerNorm": in_order("affine_size", "eps", "affine"),
    "LRN": in_order("region_type", "local_size", "alpha", "beta", "bias"),
    "Padding": in_order("top", "bottom", "left", "right", "type", "value"),
    "Interp": {0: "resize_type", 3: "output_height", 4: "output_width", 6: "align_corner"},
    "LSTM": RECURRENT, "GRU": RECURRENT, "RNN": RECURRENT,
    **{f"Pooling{n}": POOLING for n in ("", "1D", "3D")},
    **{f"Convolution{n}": WINDOW for n in ("", "1D", "3D", "DepthWise", "DepthWise1D", "DepthWise3D")},
    **{f"Deconvolution{n}": BACKWARD for n in ("", "1D", "3D", "DepthWise", "DepthWise1D", "DepthWise3D")},
}

AFFINE = ("gamma_data", "beta_data")
WEIGHTS = {
    "MemoryData": ("data",), "PReLU": ("slope_data",), "InstanceNorm": AFFINE, "GroupNorm": AFFINE, "LayerNorm": AFFINE,
    "BatchNorm": ("slope_data", "mean_data", "var_data", "bias_data"),
    **{kind: ("weight_xc_data", "bias_c_data", "weight_hc_data") for kind in ("LSTM", "GRU", "RNN")},
}


def parameters(kind, given):
    """Names and values of a layer's parameters."""
    return {PARAMETERS[kind][number]: value for number, value in given.items()}


def weights(kind):
    return WEIGHTS.get(kind, ("weight_data", "bias_data"))
