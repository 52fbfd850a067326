"""Recipes of exported_models.py: networks over sounds, clips and images, by hand-written modules of torch."""

import torch
from exported_common import export, prepared
from torch import nn


def recipe(make, shape, opset, dynamo=True):
    def write(path):
        export(path, prepared(make(), torch.randn(2, *shape)), {"x": torch.randn(1, *shape)}, dynamo=dynamo, opset=opset)

    return write


class Added(nn.Module):
    """What the module makes of x, plus x, or plus what `beside` makes of it."""

    def __init__(self, module, beside=None):
        super().__init__()
        self.module, self.beside = module, beside or nn.Identity()

    def forward(self, x):
        return self.module(x) + self.beside(x)


def dilated_block(width, hidden, dilation):
    return Added(
        nn.Sequential(
            nn.Conv1d(width, hidden, 1), nn.PReLU(), nn.GroupNorm(1, hidden),
            nn.Conv1d(hidden, hidden, 3, padding=dilation, dilation=dilation, groups=hidden), nn.PReLU(),
            nn.GroupNorm(1, hidden), nn.Conv1d(hidden, width, 1),
        )
    )  # fmt: skip


class ConvTasNet(nn.Module):
    """Two speakers of one line of samples: masks over what an encoder finds (Luo, Mesgarani 2019)."""

    def __init__(self, features=256, width=64, hidden=128, blocks=6):
        super().__init__()
        self.encode = nn.Conv1d(1, features, 20, 10)
        self.mask = nn.Sequential(
            nn.Conv1d(features, width, 1), *[dilated_block(width, hidden, 2**i) for i in range(blocks)],
            nn.Conv1d(width, 2 * features, 1), nn.Sigmoid(),
        )  # fmt: skip
        self.decode = nn.ConvTranspose1d(features, 1, 20, 10)

    def forward(self, x):
        found = torch.relu(self.encode(x))
        masks = self.mask(found).reshape(2, found.shape[1], -1)
        return self.decode(masks * found)


def clip_block(width, hidden, out, stride):
    layers = nn.Sequential(
        nn.Conv3d(width, hidden, 1, bias=False), nn.BatchNorm3d(hidden), nn.ReLU(),
        nn.Conv3d(hidden, hidden, 3, (1, stride, stride), 1, groups=hidden, bias=False), nn.BatchNorm3d(hidden),
        nn.SiLU(), nn.Conv3d(hidden, out, 1, bias=False), nn.BatchNorm3d(out),
    )  # fmt: skip
    beside = None if stride == 1 else nn.Conv3d(width, out, 1, (1, stride, stride))
    return nn.Sequential(Added(layers, beside), nn.ReLU())


def x3d():
    """Depthwise convolutions over clips (Feichtenhofer 2020)."""
    return nn.Sequential(
        nn.Conv3d(3, 24, (1, 3, 3), (1, 2, 2), (0, 1, 1)),
        nn.Conv3d(24, 24, (5, 1, 1), 1, (2, 0, 0), groups=24, bias=False), nn.BatchNorm3d(24), nn.ReLU(),
        clip_block(24, 54, 24, 2), clip_block(24, 54, 24, 1), clip_block(24, 108, 48, 2), clip_block(48, 108, 48, 1),
        clip_block(48, 216, 96, 2), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(96, 400),
    )  # fmt: skip


def image_decoder():
    """From a latent image to pixels, as diffusion models have them."""

    def block(width, out):
        return [nn.GroupNorm(32, width), nn.SiLU(), nn.Conv2d(width, out, 3, 1, 1)]

    return nn.Sequential(
        nn.Conv2d(4, 128, 3, 1, 1), *block(128, 128), nn.Upsample(scale_factor=2), *block(128, 64),
        nn.Upsample(scale_factor=2), *block(64, 64), *block(64, 3),
    )  # fmt: skip


def reflected(width, out, size, stride=1):
    return [nn.ReflectionPad2d(size // 2), nn.Conv2d(width, out, size, stride)]


def style_transfer():
    """An image painted over (Johnson, Alahi, Fei-Fei 2016), instances normalised."""

    def unit(width, out, size, stride=1):
        return [*reflected(width, out, size, stride), nn.InstanceNorm2d(out, affine=True), nn.ReLU()]

    def residual(width):
        last = [*reflected(width, width, 3), nn.InstanceNorm2d(width, affine=True)]
        return Added(nn.Sequential(*unit(width, width, 3), *last))

    return nn.Sequential(
        *unit(3, 32, 9), *unit(32, 64, 3, 2), *unit(64, 128, 3, 2), *[residual(128) for _ in range(3)],
        nn.Upsample(scale_factor=2), *unit(128, 64, 3), nn.Upsample(scale_factor=2), *unit(64, 32, 3),
        *reflected(32, 3, 9),
    )  # fmt: skip


MODELS = {
    "conv_tasnet": recipe(ConvTasNet, (1, 16000), 18),
    "x3d": recipe(x3d, (3, 8, 112, 112), 17, dynamo=False),
    "image_decoder": recipe(image_decoder, (4, 48, 48), 18),
    "style_transfer": recipe(style_transfer, (3, 224, 224), 13, dynamo=False),
}
