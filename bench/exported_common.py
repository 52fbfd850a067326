"""What the recipes of exported_models.py share: weights that keep activations sane, inputs, the export itself.

A recipe is a function of a path: it writes the model there and NAME.inputs.npz, or NAME.VARIANT.inputs.npz, beside it.
Weights are drawn by the packages' own initialisation from a fixed seed. Two of its habits would make a benchmark
lie, so `prepared` undoes them: parameters of one value (ones, zeros, layer scales of 1e-6) let an engine fold a
residual branch away, and the statistics of batch normalisations that have seen no data let activations vanish or
explode in deep networks.
"""

import contextlib
import functools
import importlib.util
import pathlib
import sys

import numpy as np
import torch

floats = {"type": torch.float32}  # what `export` writes floats as
LARGEST, SMALLEST = 1e4, 1e-6  # the largest magnitude of a layer's output has to lie between these


@functools.cache
def load_torchvision():
    """Import torchvision, also where its compiled operators were built for another torch.

    What exports need of them is then defined here. The exporter only has to see that they were called, so that it
    does not matter that these are slow.
    """
    package = pathlib.Path(importlib.util.find_spec("torchvision").origin).parent
    try:
        torch.ops.load_library(str(package / "_C.so"))
        import torchvision

        return torchvision
    except OSError:
        pass
    torch.library.define("torchvision::nms", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    torch.library.define("torchvision::qnms", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    torch.library.define(
        "torchvision::roi_align",
        "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
        "int sampling_ratio, bool aligned) -> Tensor",
    )
    import torchvision

    align = sys.modules["torchvision.ops.roi_align"]
    torch.library.impl("torchvision::nms", "CPU", suppressed)
    torch.library.impl("torchvision::roi_align", "CPU", align._roi_align)
    torchvision.extension._has_ops = align._has_ops = are_there
    return torchvision


def are_there() -> bool:  # compiled by TorchScript, which lambdas cannot be
    return True


def suppressed(boxes, scores, threshold):
    """Non-maximum suppression: the indices of the boxes that stay, best score first."""
    order = torch.argsort(scores, descending=True, stable=True)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = []
    while len(order):
        best, order = order[0], order[1:]
        kept.append(best)
        least = torch.maximum(boxes[order, :2], boxes[best, :2])
        most = torch.minimum(boxes[order, 2:], boxes[best, 2:])
        shared = (most - least).clamp(min=0).prod(1)
        order = order[shared <= threshold * (area[order] + area[best] - shared)]
    return torch.stack(kept) if kept else torch.zeros(0, dtype=torch.int64)


def image(*dims):
    return torch.randn(*dims)


def tokens(vocabulary, *dims):
    return torch.randint(1, vocabulary, dims)


def varied(module):
    """Redraw every parameter whose elements are all equal."""
    with torch.no_grad():
        for parameter in module.parameters():
            if not parameter.numel() or not parameter.is_floating_point() or parameter.min() != parameter.max():
                continue
            value = parameter.flatten()[0].item()
            if parameter.numel() == 1:
                parameter.fill_(value or 0.3)
            elif value == 0:
                parameter.normal_(0, 0.05)
            elif abs(value) < 0.1:
                parameter.uniform_(0.1, 0.3)
            else:
                parameter.uniform_(0.7, 1.3).mul_(value)


def settled(module, *inputs):
    """Give every batch normalisation the statistics of what reaches it."""
    norms = [m for m in module.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = 1.0
        norm.train()
    if norms:
        with torch.no_grad():
            module(*inputs)
    return module.eval()


def prepared(module, *inputs):
    """The module in its mode for inference. `inputs` are what it is called with, at least two of a batch."""
    module.eval()
    varied(module)
    return settled(module, *inputs)


def refuse_unsound(module, inputs):
    """An error if a layer's output vanishes or explodes."""
    found, hooks = [], []

    def look(layer, name):
        def hook(_layer, _inputs, output):
            if isinstance(output, torch.Tensor) and output.is_floating_point() and output.numel() > 1:
                found.append((name, type(layer).__name__, output.detach().abs().max().item()))

        return layer.register_forward_hook(hook)

    for name, layer in module.named_modules():
        if not list(layer.children()):
            hooks.append(look(layer, name))
    with torch.no_grad():
        module(*inputs)
    for hook in hooks:
        hook.remove()
    for name, kind, largest in found:
        if not SMALLEST < largest < LARGEST:
            raise ValueError(f'the output of "{name}" ({kind}) has the largest magnitude {largest}')


@contextlib.contextmanager
def floats_as(dtype):
    """Within it, `export` writes weights, and expects inputs, of that type."""
    floats["type"] = dtype
    try:
        yield
    finally:
        floats["type"] = torch.float32


def converted(inputs):
    """Inputs whose floats are of the type that is exported."""

    def of(value):
        if isinstance(value, list):
            return [of(part) for part in value]
        return value.to(floats["type"]) if value.dtype == torch.float32 else value

    return {name: of(value) for name, value in inputs.items()}


def flat(inputs):
    """{name: tensor} of {name: tensor or list of tensors}."""
    named = {}
    for name, value in inputs.items():
        if isinstance(value, torch.Tensor):
            named[name] = value
        else:
            named.update({f"{name}_{index}": part for index, part in enumerate(value)})
    return named


def save_feed(path, inputs, variant=""):
    """The inputs of a variant, tensors or arrays, beside the model."""
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    np.savez(path.with_name(".".join(filter(None, (path.stem, variant, "inputs.npz")))), **arrays)


def export(path, module, inputs, *, dynamo, opset, axes=None, feeds=None, outputs=None, sound=True):
    """Write the model and its inputs.

    inputs   {name: tensor or list of tensors}, what `module` is called with for the export, in order
    axes     {name: {axis: name of its open dimension}}; for a list, of each of its tensors
    feeds    {variant: inputs}, "" for the only one; without it, `inputs`
    sound    whether layers' outputs are looked at (modules of TorchScript cannot be)
    """
    axes = axes or {}
    if sound:
        refuse_unsound(module, inputs.values())
    feeds = feeds or {"": inputs}
    module, inputs = module.to(floats["type"]), converted(inputs)
    if floats["type"] != torch.float32:  # the older exporter computes products of f16 in f32
        dynamo, opset = True, max(opset, 18)
    common = {"input_names": list(flat(inputs)), "output_names": outputs, "opset_version": opset, "dynamo": dynamo}
    if dynamo:
        shapes = [
            axes.get(name) if isinstance(value, torch.Tensor) else [axes.get(name)] * len(value)
            for name, value in inputs.items()
        ]
        common.update(dynamic_shapes=tuple(shapes) if axes else None, external_data=False, verbose=False)
    else:
        named = {part: axes[name] for name, value in inputs.items() if name in axes for part in flat({name: value})}
        common.update(dynamic_axes=named or None)
    with torch.no_grad():
        torch.onnx.export(module, tuple(inputs.values()), str(path), **common)
    for variant, feed in feeds.items():
        save_feed(path, flat(converted(feed)), variant)
