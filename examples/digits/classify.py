"""Classifies handwritten digits with the Python API: python classify.py [MODEL]."""

import pathlib
import sys

import numpy as np

import norn

here = pathlib.Path(__file__).parent
session = norn.InferenceSession(sys.argv[1] if len(sys.argv) > 1 else here / "digits_cnn.onnx")
images, labels = np.load(here / "images.npy"), np.load(here / "labels.npy")

(logits,) = session.run(None, {"image": images})
right = int(np.sum(logits.argmax(axis=1) == labels))
print(f"{right} of {len(labels)} digits are read right")
