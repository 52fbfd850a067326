"""Trains a small convolutional network on scikit-learn's handwritten digits and exports it to ONNX.

    pip install torch onnx onnxscript scikit-learn
    python train.py [FOLDER]

Writes digits_cnn.onnx, and images.npy and labels.npy: the fifth of the data that training has not seen.
"""

import pathlib
import sys

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
torch.manual_seed(0)

digits = load_digits()
images = (digits.images / 16).astype(np.float32)[:, None]  # [N, 1, 8, 8] in [0, 1]
train_x, test_x, train_y, test_y = train_test_split(images, digits.target, test_size=0.2, random_state=0)

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.BatchNorm2d(32),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(512, 64),
    nn.ReLU(),
    nn.Linear(64, 10),
)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
x, y = torch.from_numpy(train_x), torch.from_numpy(train_y)
for epoch in range(30):
    order = torch.randperm(len(x))
    for batch in order.split(64):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch + 1}: loss {loss.item():.4f}")

model.eval()
with torch.no_grad():
    accuracy = (model(torch.from_numpy(test_x)).argmax(1).numpy() == test_y).mean()
print(f"accuracy on {len(test_y)} images not seen: {accuracy:.2%}")

torch.onnx.export(
    model,
    (torch.from_numpy(test_x[:2]),),
    dynamo=True,
    input_names=["image"],
    output_names=["logits"],
    dynamic_shapes=({0: "batch"},),
    verbose=False,
).save(folder / "digits_cnn.onnx")
np.save(folder / "images.npy", test_x)
np.save(folder / "labels.npy", test_y.astype(np.int64))
