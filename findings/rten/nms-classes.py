"""
title: A box of NonMaxSuppression goes for a box of another class or batch; corners in another order are not understood.
library: rten
shows: 0.27.0
class: bug
condition: Boxes overlap whose classes or batches differ, or a box has its corners in another order.
rule: ONNX NonMaxSuppression-11, input max_output_boxes_per_class: the maximum number of boxes to be selected per batch
    per class; input boxes: the coordinates of any diagonal pair of box corners.
documented: data/quirks.tsv, NonMaxSuppression
tracker: none found
"""
from library import call, right, verdict, wrong

BOX, FLIPPED, AWAY = [0, 0, 1, 1], [1, 1, 0, 0], [5, 5, 6, 6]


def selected(boxes, scores):
    """boxes: a list for each batch; scores: a list for each batch of lists for each class."""
    sizes = len(boxes), len(boxes[0]) // 4, len(scores[0])
    flat = [number for batch in scores for kind in batch for number in kind]
    return call("""(float[%d,%d,4] boxes, float[%d,%d,%d] scores) => (float[n,3] y)
        <int64[1] most = {4}, float[1] overlap = {0.5}>
        { s = NonMaxSuppression(boxes, scores, most, overlap) y = Cast<to = 1>(s) }"""
                % (sizes[0], sizes[1], sizes[0], sizes[2], sizes[1]), sum(boxes, []), flat)


wrong("two classes", selected([BOX], [[[0.9], [0.8]]]), [0, 0, 0, 0, 1, 0], seen=[0, 0, 0])
wrong("two batches", selected([BOX, BOX], [[[0.9]], [[0.8]]]), [0, 0, 0, 1, 0, 0], seen=[0, 0, 0])
wrong("corners in another order", selected([BOX + FLIPPED], [[[0.9, 0.8]]]), [0, 0, 0], seen=[0, 0, 0, 0, 0, 1])
right("two batches, boxes apart", selected([BOX, AWAY], [[[0.9]], [[0.8]]]), [0, 0, 0, 1, 0, 0])
right("one class, the same box twice", selected([BOX + BOX], [[[0.9, 0.8]]]), [0, 0, 0])
verdict()
