"""ONNX Runtime as a rewriter: the model that it saves after optimizing, which optimized_model_filepath asks for.

Options: level=O0, O1 (basic), O2 (extended) or O99 (with layouts of this processor); disable=A,B, optimizers to leave
out by their names.  Installed: site/ with onnxruntime and what that needs.
"""

import os


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
        # The model is never run: what is made for running it, after it was saved, took an eighth of the time.
        session.enable_cpu_mem_arena = session.enable_mem_pattern = session.enable_mem_reuse = False
        session.add_session_config_entry("session.disable_prepacking", "1")
        onnxruntime.InferenceSession(model, session, providers=["CPUExecutionProvider"], disabled_optimizers=left_out)

    def configure(options):
        level = options.get("level", "O2")
        left_out = [word for word in options.get("disable", "").split(",") if word]

        # It writes to a path: this one is a file in memory, since a folder for each model took a tenth of the time.
        saved = os.memfd_create("saved.onnx")

        def rewrite(model):
            os.ftruncate(saved, 0)
            save(model, f"/proc/self/fd/{saved}", level, left_out)
            return os.pread(saved, os.fstat(saved).st_size, 0)

        return rewrite

    return onnxruntime.__version__, configure
