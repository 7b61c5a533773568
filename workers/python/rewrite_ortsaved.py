"""ONNX Runtime as a rewriter: the model that it saves after optimizing, which optimized_model_filepath asks for.

Options: level=O0, O1 (basic), O2 (extended) or O99 (with layouts of this processor); disable=A,B, optimizers to leave
out by their names.  Installed: site/ with onnxruntime and what that needs.
"""

import os
import tempfile


def start():
    import onnxruntime

    levels = {"O0": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
              "O1": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
              "O2": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
              "O99": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL}

    def save(model, path, level, left_out):
        session = onnxruntime.SessionOptions()
        session.graph_optimization_level = levels[level]
        session.optimized_model_filepath = path
        session.log_severity_level = 4  # it warns of each model that it saves
        session.intra_op_num_threads = session.inter_op_num_threads = 1
        onnxruntime.InferenceSession(model, session, providers=["CPUExecutionProvider"], disabled_optimizers=left_out)

    def configure(options):
        level = options.get("level", "O2")
        left_out = [word for word in options.get("disable", "").split(",") if word]

        def rewrite(model):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "saved.onnx")
                save(model, path, level, left_out)
                with open(path, "rb") as f:
                    return f.read()

        return rewrite

    return onnxruntime.__version__, configure
