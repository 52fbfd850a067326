"""Recipes of exported_models.py: images, sound and scenes by hand-written modules of torch."""

import torch
import torch.nn.functional as F
from exported_common import export, image, load_torchvision, prepared
from torch import nn


def unit(dims, ins, outs, kernel=3, stride=1):
    """Convolution, batch normalisation and ReLU, in 1, 2 or 3 dimensions."""
    conv, norm = getattr(nn, f"Conv{dims}d"), getattr(nn, f"BatchNorm{dims}d")
    return nn.Sequential(conv(ins, outs, kernel, stride, kernel // 2, bias=False), norm(outs), nn.ReLU())


class UNet(nn.Module):
    """Three levels; a transposed convolution, or an interpolation, on the way up."""

    def __init__(self, dims, ins, outs, width, transposed):
        super().__init__()
        widths = [width, 2 * width, 4 * width]
        up = getattr(nn, f"ConvTranspose{dims}d")
        self.pool = getattr(nn, f"MaxPool{dims}d")(2)
        self.down = nn.ModuleList(
            nn.Sequential(unit(dims, a, b), unit(dims, b, b)) for a, b in zip([ins, *widths[:-1]], widths, strict=True)
        )
        self.middle = unit(dims, widths[-1], widths[-1])
        self.enlarge, self.up = nn.ModuleList(), nn.ModuleList()
        below = widths[-1]
        for level in reversed(widths):
            smooth = nn.Upsample(scale_factor=2, mode="bilinear" if dims == 2 else "nearest")
            self.enlarge.append(
                up(below, level, 2, 2) if transposed else nn.Sequential(smooth, unit(dims, below, level))
            )
            self.up.append(unit(dims, 2 * level, level))
            below = level
        self.last = getattr(nn, f"Conv{dims}d")(below, outs, 1)

    def forward(self, x):
        kept = []
        for block in self.down:
            x = block(x)
            kept.append(x)
            x = self.pool(x)
        x = self.middle(x)
        for enlarge, block, skip in zip(self.enlarge, self.up, reversed(kept), strict=True):
            x = block(torch.cat([enlarge(x), skip], 1))
        return self.last(x)


def unet_2d(path):
    module = prepared(UNet(2, 3, 4, 24, True), image(2, 3, 128, 128))
    axes = {"image": {0: "N", 2: "H", 3: "W"}}
    feeds = {"": {"image": image(1, 3, 256, 256)}, "small": {"image": image(1, 3, 96, 64)}}
    export(path, module, {"image": image(2, 3, 64, 96)}, dynamo=False, opset=13, axes=axes, feeds=feeds)


def unet_bilinear(path):
    module = prepared(UNet(2, 1, 2, 16, False), image(2, 1, 128, 128))
    export(path, module, {"image": image(1, 1, 256, 256)}, dynamo=True, opset=19)


def unet_3d(path):
    module = prepared(UNet(3, 1, 3, 12, True), image(2, 1, 16, 32, 32))
    export(path, module, {"volume": image(1, 1, 32, 48, 48)}, dynamo=True, opset=18)


def dcgan(path):
    sizes = [(100, 256, 1, 0), (256, 128, 2, 1), (128, 64, 2, 1), (64, 32, 2, 1)]
    layers = []
    for ins, outs, stride, pad in sizes:
        layers += [nn.ConvTranspose2d(ins, outs, 4, stride, pad, bias=False), nn.BatchNorm2d(outs), nn.ReLU()]
    module = nn.Sequential(*layers, nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh())
    module = prepared(module, torch.randn(8, 100, 1, 1))
    feeds = {"": {"latent": torch.randn(1, 100, 1, 1)}, "batch8": {"latent": torch.randn(8, 100, 1, 1)}}
    example = {"latent": torch.randn(2, 100, 1, 1)}
    export(path, module, example, dynamo=False, opset=13, axes={"latent": {0: "N"}}, feeds=feeds)


def patch_gan(path):
    layers = [nn.Conv2d(6, 64, 4, 2, 1), nn.LeakyReLU(0.2)]
    for ins, outs, stride in ((64, 128, 2), (128, 256, 2), (256, 256, 1)):
        layers += [nn.Conv2d(ins, outs, 4, stride, 1), nn.InstanceNorm2d(outs, affine=True), nn.LeakyReLU(0.2)]
    module = prepared(nn.Sequential(*layers, nn.Conv2d(256, 1, 4, 1, 1)))
    export(path, module, {"pair": image(1, 6, 128, 128)}, dynamo=True, opset=20)


class HifiGan(nn.Module):
    """Transposed convolutions, and residual blocks with several dilations behind each."""

    def __init__(self, width=128, mels=80):
        super().__init__()
        self.first = nn.Conv1d(mels, width, 7, padding=3)
        self.ups, self.blocks = nn.ModuleList(), nn.ModuleList()
        for kernel, stride in ((16, 8), (16, 8), (4, 2), (4, 2)):
            self.ups.append(nn.ConvTranspose1d(width, width // 2, kernel, stride, (kernel - stride) // 2))
            width //= 2
            convs = [[nn.Conv1d(width, width, k, dilation=d, padding=d * (k // 2)) for d in (1, 3)] for k in (3, 7)]
            self.blocks.append(nn.ModuleList(nn.ModuleList(pair) for pair in convs))
        self.last = nn.Conv1d(width, 1, 7, padding=3)

    def forward(self, x):
        x = self.first(x)
        for up, blocks in zip(self.ups, self.blocks, strict=True):
            x = up(F.leaky_relu(x, 0.1))
            total = 0
            for convs in blocks:
                y = x
                for conv in convs:
                    y = y + conv(F.leaky_relu(y, 0.1))
                total = total + y
            x = total / len(blocks)
        return torch.tanh(self.last(F.leaky_relu(x)))


def hifi_gan(path):
    axes, feeds = {"mel": {2: "T"}}, {"": {"mel": torch.randn(1, 80, 32)}}
    module = prepared(HifiGan())
    export(path, module, {"mel": torch.randn(1, 80, 20)}, dynamo=False, opset=14, axes=axes, feeds=feeds)


class WaveNet(nn.Module):
    def __init__(self, width=32, skip=64, layers=12):
        super().__init__()
        self.embed = nn.Conv1d(1, width, 1)
        self.gated = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=2 ** (i % 6)) for i in range(layers))
        self.mix = nn.ModuleList(nn.Conv1d(width, width + skip, 1) for _ in range(layers))
        self.last = nn.Sequential(nn.ReLU(), nn.Conv1d(skip, skip, 1), nn.ReLU(), nn.Conv1d(skip, 256, 1))
        self.width = width

    def forward(self, x):
        x, skips = self.embed(x), 0
        for gated, mix in zip(self.gated, self.mix, strict=True):
            a, b = gated(F.pad(x, (gated.dilation[0], 0))).chunk(2, 1)
            y = mix(torch.tanh(a) * torch.sigmoid(b))
            x, skips = x + y[:, : self.width], skips + y[:, self.width :]
        return self.last(skips)


def wave_net(path):
    export(path, prepared(WaveNet()), {"wave": torch.randn(1, 1, 2000)}, dynamo=True, opset=18)


class Temporal(nn.Module):
    """A causal block of a temporal convolutional network."""

    def __init__(self, ins, outs, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.a, self.b = nn.Conv1d(ins, outs, 3, dilation=dilation), nn.Conv1d(outs, outs, 3, dilation=dilation)
        self.side = nn.Conv1d(ins, outs, 1) if ins != outs else nn.Identity()

    def forward(self, x):
        y = F.relu(self.a(F.pad(x, (self.pad, 0))))
        y = F.relu(self.b(F.pad(y, (self.pad, 0))))
        return F.relu(y + self.side(x))


class Tcn(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*[Temporal(12 if i == 0 else 64, 64, 2**i) for i in range(6)])
        self.last = nn.Linear(64, 10)

    def forward(self, x):
        return self.last(self.blocks(x)[:, :, -1])


def tcn(path):
    axes = {"series": {0: "N", 2: "T"}}
    feeds = {"": {"series": torch.randn(1, 12, 256)}, "batch16": {"series": torch.randn(16, 12, 64)}}
    module = prepared(Tcn())
    export(path, module, {"series": torch.randn(2, 12, 80)}, dynamo=False, opset=15, axes=axes, feeds=feeds)


def espcn(path):
    module = nn.Sequential(
        nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 64, 3, padding=1), nn.Tanh(),
        nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(), nn.Conv2d(32, 9, 3, padding=1), nn.PixelShuffle(3),
    )  # fmt: skip
    axes, feeds = {"image": {2: "H", 3: "W"}}, {"": {"image": torch.rand(1, 1, 96, 96)}}
    example = {"image": torch.rand(1, 1, 40, 48)}
    export(path, prepared(module), example, dynamo=True, opset=18, axes=axes, feeds=feeds)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return x + 0.1 * self.b(F.relu(self.a(x)))


class Edsr(nn.Module):
    def __init__(self, width=48, blocks=6):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.blocks = nn.Sequential(*[Residual(width) for _ in range(blocks)])
        self.last = nn.Sequential(
            nn.Conv2d(width, 4 * width, 3, padding=1), nn.PixelShuffle(2), nn.Conv2d(width, 3, 3, padding=1)
        )

    def forward(self, x):
        x = self.first(x)
        return self.last(x + self.blocks(x))


def edsr(path):
    export(path, prepared(Edsr()), {"image": torch.rand(1, 3, 96, 96)}, dynamo=False, opset=13)


class Synthesis(nn.Module):
    """Convolutions whose weights are modulated by a style and normalised, as one group for each image."""

    def __init__(self, ins, outs, style):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outs, ins, 3, 3) / (ins * 9) ** 0.5)
        self.style, self.noise = nn.Linear(style, ins), nn.Parameter(torch.tensor(0.1))
        self.bias = nn.Parameter(torch.randn(outs) * 0.1)

    def forward(self, x, style, noise):
        n, channels, height, width = x.shape
        weight = self.weight[None] * (1 + self.style(style))[:, None, :, None, None]
        weight = weight * torch.rsqrt((weight * weight).sum([2, 3, 4], keepdim=True) + 1e-8)
        x = x.reshape(1, n * channels, height, width)
        x = F.conv2d(x, weight.reshape(-1, channels, 3, 3), padding=1, groups=n).reshape(n, -1, height, width)
        return F.leaky_relu(x + self.noise * noise + self.bias[None, :, None, None], 0.2) * 1.4


class StyleGenerator(nn.Module):
    def __init__(self, width=128, style=128):
        super().__init__()
        layers = [nn.Sequential(nn.Linear(style, style), nn.LeakyReLU(0.2)) for _ in range(4)]
        self.mapping = nn.Sequential(*layers)
        self.constant = nn.Parameter(torch.randn(1, width, 8, 8))
        self.blocks = nn.ModuleList(Synthesis(width, width, style) for _ in range(4))
        self.last = nn.Conv2d(width, 3, 1)

    def forward(self, latent, noise):
        style = self.mapping(latent * torch.rsqrt((latent * latent).mean(1, keepdim=True) + 1e-8)) * 8
        x = self.constant.repeat(latent.shape[0], 1, 1, 1)
        for index, block in enumerate(self.blocks):
            if index:
                x = F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
            x = block(x, style, noise[:, :, : x.shape[2], : x.shape[3]])
        return self.last(x)


def style_generator(path):
    inputs = {"latent": torch.randn(2, 128), "noise": torch.randn(2, 1, 64, 64)}
    export(path, prepared(StyleGenerator()), inputs, dynamo=False, opset=14)


class Nerf(nn.Module):
    """Positions and directions of samples, encoded by sines; composed along rays."""

    def __init__(self, width=128):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(63, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.second = nn.Sequential(nn.Linear(width + 63, width), nn.ReLU(), nn.Linear(width, width + 1))
        self.colour = nn.Sequential(nn.Linear(width + 27, width // 2), nn.ReLU(), nn.Linear(width // 2, 3))

    @staticmethod
    def waves(x, count):
        scaled = (x[..., None, :] * 2.0 ** torch.arange(count)[:, None]).flatten(-2)
        return torch.cat([x, torch.sin(scaled), torch.cos(scaled)], -1)

    def forward(self, points, directions):
        encoded = self.waves(points, 10)
        found = self.second(torch.cat([self.first(encoded), encoded], -1))
        around = self.waves(directions, 4)[:, None].expand(-1, points.shape[1], -1)
        colour = torch.sigmoid(self.colour(torch.cat([found[..., 1:], around], -1)))
        density = 1 - torch.exp(-F.softplus(found[..., :1]) * 0.1)
        passed = torch.exp(torch.cumsum(torch.log(1 - density + 1e-6), 1))
        return (passed * density * colour).sum(1)


def nerf(path):
    def rays(count):
        return {"points": torch.randn(count, 32, 3), "directions": F.normalize(torch.randn(count, 3), dim=-1)}

    axes = {"points": {0: "R"}, "directions": {0: "R"}}
    export(path, prepared(Nerf()), rays(6), dynamo=True, opset=18, axes=axes, feeds={"": rays(64)})


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.align = nn.Sequential(unit(1, 3, 64, 1), unit(1, 64, 256, 1))
        self.matrix = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 9))
        self.features = nn.Sequential(unit(1, 3, 64, 1), unit(1, 64, 128, 1), unit(1, 128, 512, 1))
        self.last = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 40))

    def forward(self, points):
        matrix = self.matrix(self.align(points).max(2).values).view(-1, 3, 3) + torch.eye(3)
        return F.log_softmax(self.last(self.features(torch.bmm(matrix, points)).max(2).values), 1)


def point_net(path):
    axes, feeds = {"points": {0: "N", 2: "P"}}, {"": {"points": torch.randn(1, 3, 1024)}}
    module = prepared(PointNet(), torch.randn(4, 3, 128))
    export(path, module, {"points": torch.randn(2, 3, 100)}, dynamo=False, opset=17, axes=axes, feeds=feeds)


class RoiHead(nn.Module):
    """Features of regions, pooled by RoiAlign, classified."""

    def __init__(self, roi_align):
        super().__init__()
        self.roi_align = roi_align
        self.body = nn.Sequential(unit(2, 3, 32, 3, 2), unit(2, 32, 64, 3, 2), unit(2, 64, 64))
        self.last = nn.Sequential(nn.Flatten(), nn.Linear(64 * 49, 256), nn.ReLU(), nn.Linear(256, 21))

    def forward(self, x, regions):
        return self.last(self.roi_align(self.body(x), regions, (7, 7), 0.25, 2, True))


def roi_head(path):
    module = RoiHead(load_torchvision().ops.roi_align)

    def inputs(count, size):
        corners = torch.rand(count, 2) * size / 2
        boxes = torch.cat([corners, corners + 8 + torch.rand(count, 2) * size / 3], 1)
        return {"image": image(1, 3, size, size), "regions": torch.cat([torch.zeros(count, 1), boxes], 1)}

    module = prepared(module, *inputs(4, 64).values())
    feeds = {"": inputs(30, 192)}
    export(path, module, inputs(5, 192), dynamo=False, opset=16, axes={"regions": {0: "R"}}, feeds=feeds)


class Yolo(nn.Module):
    """Residual stages, features of three sizes, boxes decoded over grids of cells."""

    def __init__(self, width=16, classes=20):
        super().__init__()
        self.widths = [width * 2**i for i in range(6)]

        def block(ins, outs, kernel=3, stride=1):
            conv = nn.Conv2d(ins, outs, kernel, stride, kernel // 2, bias=False)
            return nn.Sequential(conv, nn.BatchNorm2d(outs), nn.SiLU())

        w = self.widths
        self.stages = nn.ModuleList(
            nn.Sequential(block(a, b, 3, 2), block(b, b // 2, 1), block(b // 2, b))
            for a, b in zip([3, *w[:4]], w[:5], strict=True)
        )
        self.pools = nn.MaxPool2d(5, 1, 2)
        self.spread = block(4 * w[4], w[4], 1)
        self.merge = nn.ModuleList([block(w[4] + w[3], w[3]), block(w[3] + w[2], w[2])])
        self.heads = nn.ModuleList(nn.Conv2d(c, 3 * (5 + classes), 1) for c in (w[2], w[3], w[4]))
        self.anchors = nn.Parameter(torch.rand(3, 3, 1, 1, 2) * 40 + 10, requires_grad=False)
        self.last_size = 5 + classes

    def forward(self, x):
        kept = []
        for stage in self.stages:
            x = stage(x)
            kept.append(x)
        a = self.pools(x)
        b = self.pools(a)
        low = self.spread(torch.cat([x, a, b, self.pools(b)], 1))
        middle = self.merge[0](torch.cat([F.interpolate(low, scale_factor=2.0), kept[3]], 1))
        high = self.merge[1](torch.cat([F.interpolate(middle, scale_factor=2.0), kept[2]], 1))
        found = []
        for index, (features, head) in enumerate(zip((high, middle, low), self.heads, strict=True)):
            n, _, rows, columns = features.shape
            y = head(features).view(n, 3, self.last_size, rows, columns).permute(0, 1, 3, 4, 2).sigmoid()
            grid = torch.stack(torch.meshgrid(torch.arange(columns), torch.arange(rows), indexing="xy"), -1).float()
            place = (y[..., :2] * 2 + grid - 0.5) * (8 * 2**index)
            size = (y[..., 2:4] * 2) ** 2 * self.anchors[index]
            found.append(torch.cat([place, size, y[..., 4:]], -1).reshape(n, -1, self.last_size))
        return torch.cat(found, 1)


def yolo(path):
    module = prepared(Yolo(), torch.rand(2, 3, 320, 320))
    export(path, module, {"image": torch.rand(1, 3, 320, 320)}, dynamo=False, opset=13)


MODELS = {
    "unet_2d": unet_2d,
    "unet_bilinear": unet_bilinear,
    "unet_3d": unet_3d,
    "dcgan": dcgan,
    "patch_gan": patch_gan,
    "hifi_gan": hifi_gan,
    "wave_net": wave_net,
    "tcn": tcn,
    "espcn": espcn,
    "edsr": edsr,
    "style_generator": style_generator,
    "nerf": nerf,
    "point_net": point_net,
    "roi_head": roi_head,
    "yolo": yolo,
}
