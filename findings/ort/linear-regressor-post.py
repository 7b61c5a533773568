"""
title: LinearRegressor with one target does not apply post_transform LOGISTIC; the logistic function of the sum is
    right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: targets = 1.  PROBIT is applied then, and with two targets all of them are.
rule: ONNX ai.onnx.ml LinearRegressor-1, attribute post_transform.
documented: data/quirks.tsv, LinearRegressor
tracker: https://github.com/microsoft/onnxruntime/pull/1962 (merged; its tests keep it)
"""
from library import model, right, run, verdict, wrong


def regress(post, targets=1):
    # an attribute is a list of floats for each target
    m = model("""(float[2,2] x) => (float[2,%d] y) { y = ai.onnx.ml.LinearRegressor<targets = %d, coefficients = [%s],
        intercepts = [%s], post_transform = "%s">(x) }"""
              % (targets, targets, ", ".join(["1.0, 2.0"] * targets), ", ".join(["0.25"] * targets), post), ml=1)
    return lambda: run(m, [0.1, 0.1, 0.2, -0.1])


# sums 0.1 + 0.2 + 0.25 = 0.55 and 0.2 - 0.2 + 0.25 = 0.25; 1 / (1 + exp(-sum)); the normal distribution's inverse
wrong("LOGISTIC, one target", regress("LOGISTIC"), [0.6341356, 0.5621765], seen=[0.55, 0.25])
right("NONE, one target", regress("NONE"), [0.55, 0.25])
right("PROBIT, one target", regress("PROBIT"), [0.1256613, -0.6744898], abs=1e-3)
right("LOGISTIC, two targets", regress("LOGISTIC", 2), [0.6341356, 0.6341356, 0.5621765, 0.5621765])
verdict()
