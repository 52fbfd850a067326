"""Recipes of exported_models.py: sequences, tables and graphs by hand-written modules of torch."""

import torch
import torch.nn.functional as F
from exported_common import export, prepared, tokens
from exported_layers import unit
from torch import nn

WORDS = 5000


class Recurrent(nn.Module):
    """Embedded words, a recurrent layer, and a class from the mean of its outputs."""

    def __init__(self, kind, width=128, **settings):
        super().__init__()
        self.embed = nn.Embedding(WORDS, width)
        self.layer = kind(width, width, batch_first=True, **settings)
        self.last = nn.Linear(width * (1 + self.layer.bidirectional), 5)

    def forward(self, ids):
        return self.last(self.layer(self.embed(ids))[0].mean(1))


def recurrent(kind, opset, sizes, open_axes=True, dynamo=False, **settings):
    def recipe(path):
        module = prepared(Recurrent(kind, **settings))
        feeds = {variant: {"ids": tokens(WORDS, *size)} for variant, size in sizes.items()}
        example = {"ids": tokens(WORDS, 2, 7)} if open_axes else feeds[""]
        axes = {"ids": {0: "N", 1: "S"}} if open_axes else None
        export(path, module, example, dynamo=dynamo, opset=opset, axes=axes, feeds=feeds)

    return recipe


class Streaming(nn.Module):
    """A stacked LSTM that takes its states and returns them: one step of a speech or series model."""

    def __init__(self, width=512):
        super().__init__()
        self.layer = nn.LSTM(80, width, 2)
        self.last = nn.Linear(width, 64)

    def forward(self, x, h, c):
        y, (h, c) = self.layer(x, (h, c))
        return self.last(y), h, c


def lstm_step(path):
    inputs = {"frame": torch.randn(1, 1, 80), "h": torch.randn(2, 1, 512), "c": torch.randn(2, 1, 512)}
    export(path, prepared(Streaming()), inputs, dynamo=False, opset=18)


class Speech(nn.Module):
    """Convolutions over a spectrogram, bidirectional GRUs over what they found, and characters."""

    def __init__(self, width=192):
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv2d(1, 16, (11, 41), (2, 2), (5, 20)), nn.BatchNorm2d(16), nn.Hardtanh(0, 20),
            nn.Conv2d(16, 16, (11, 21), (1, 2), (5, 10)), nn.BatchNorm2d(16), nn.Hardtanh(0, 20),
        )  # fmt: skip
        self.layers = nn.GRU(16 * 40, width, 3, bidirectional=True, batch_first=True)
        self.last = nn.Linear(2 * width, 29)

    def forward(self, x):
        y = self.convs(x)
        y = self.layers(y.permute(0, 2, 1, 3).flatten(2))[0]
        return F.log_softmax(self.last(y), -1)


def deep_speech(path):
    module = prepared(Speech(), torch.randn(2, 1, 40, 160))
    feeds = {"": {"spectrogram": torch.randn(1, 1, 120, 160)}}
    example = {"spectrogram": torch.randn(1, 1, 50, 160)}
    export(path, module, example, dynamo=False, opset=15, axes={"spectrogram": {2: "T"}}, feeds=feeds)


class ConformerBlock(nn.Module):
    def __init__(self, width=192, heads=4):
        super().__init__()
        self.halves = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width))
            for _ in range(2)
        )
        self.heads, self.norm = heads, nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.conv_norm, self.point = nn.LayerNorm(width), nn.Conv1d(width, 2 * width, 1)
        self.depth = nn.Conv1d(width, width, 31, padding=15, groups=width)
        self.batch_norm, self.back = nn.BatchNorm1d(width), nn.Conv1d(width, width, 1)
        self.last = nn.LayerNorm(width)

    def forward(self, x):
        n, length, width = x.shape
        x = x + 0.5 * self.halves[0](x)
        parts = self.qkv(self.norm(x)).view(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        x = x + self.out(mixed.transpose(1, 2).reshape(n, length, width))
        y = F.glu(self.point(self.conv_norm(x).transpose(1, 2)), 1)
        x = x + self.back(F.silu(self.batch_norm(self.depth(y)))).transpose(1, 2)
        return self.last(x + 0.5 * self.halves[1](x))


def conformer(path):
    module = prepared(nn.Sequential(*[ConformerBlock() for _ in range(4)]), torch.randn(2, 60, 192))
    axes, feeds = {"frames": {1: "T"}}, {"": {"frames": torch.randn(1, 120, 192)}}
    export(path, module, {"frames": torch.randn(1, 50, 192)}, dynamo=True, opset=20, axes=axes, feeds=feeds)


class Dlrm(nn.Module):
    """26 categories and 13 numbers; the products of all pairs of their embeddings."""

    def __init__(self, width=64, rows=8000):
        super().__init__()
        self.embeds = nn.ModuleList(nn.Embedding(rows, width) for _ in range(26))
        self.bottom = nn.Sequential(nn.Linear(13, 256), nn.ReLU(), nn.Linear(256, width), nn.ReLU())
        self.register_buffer("pairs", torch.tril_indices(27, 27, -1))
        self.top = nn.Sequential(
            nn.Linear(width + 351, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 1)
        )

    def forward(self, numbers, categories):
        bottom = self.bottom(numbers)
        rows = torch.stack([bottom] + [embed(categories[:, i]) for i, embed in enumerate(self.embeds)], 1)
        products = torch.bmm(rows, rows.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return torch.sigmoid(self.top(torch.cat([bottom, products / 8], 1)))


def dlrm(path):
    def inputs(n):
        return {"numbers": torch.rand(n, 13), "categories": tokens(8000, n, 26)}

    axes = {"numbers": {0: "N"}, "categories": {0: "N"}}
    feeds = {"": inputs(8), "batch128": inputs(128)}
    export(path, prepared(Dlrm()), inputs(2), dynamo=False, opset=16, axes=axes, feeds=feeds)


class TabTransformer(nn.Module):
    def __init__(self, columns=16, width=32):
        super().__init__()
        self.embed = nn.Embedding(100 * columns, width)
        self.register_buffer("offsets", 100 * torch.arange(columns))
        layer = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(10)
        self.last = nn.Sequential(nn.Linear(columns * width + 10, 256), nn.ReLU(), nn.Linear(256, 2))

    def forward(self, categories, numbers):
        rows = self.layers(self.embed(categories + self.offsets))
        return torch.softmax(self.last(torch.cat([rows.flatten(1), self.norm(numbers)], 1)), 1)


def tab_transformer(path):
    def inputs(n):
        return {"categories": torch.randint(0, 100, (n, 16)), "numbers": torch.randn(n, 10)}

    axes = {"categories": {0: "N"}, "numbers": {0: "N"}}
    feeds = {"": inputs(1), "batch64": inputs(64)}
    export(path, prepared(TabTransformer()), inputs(2), dynamo=True, opset=18, axes=axes, feeds=feeds)


class Translator(nn.Module):
    """A GRU over the source, then at most `most` steps of attention and a cell, until a word ends the answer."""

    def __init__(self, width: int = 128, words: int = 1000):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.attend = nn.Linear(width, width)
        self.step_input = nn.Linear(2 * width, 3 * width)
        self.step_state = nn.Linear(width, 3 * width)
        self.last = nn.Linear(width, words)

    def forward(self, source, most):
        encoded, _ = self.encoder(self.embed(source))
        state = encoded[:, -1]
        word = torch.zeros([source.size(0)], dtype=torch.int64)
        logits = torch.zeros([source.size(0), 1], dtype=torch.float32)
        count = torch.zeros([1], dtype=torch.int64)
        going = bool(most[0] > 0)
        while going:
            weights = torch.softmax(torch.matmul(encoded, self.attend(state).unsqueeze(2)), dim=1)
            given = torch.cat([self.embed(word), (weights * encoded).sum(dim=1)], dim=1)
            a, b = self.step_input(given).chunk(3, 1), self.step_state(state).chunk(3, 1)
            reset, keep = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
            state = (1 - keep) * torch.tanh(a[2] + reset * b[2]) + keep * state
            found = self.last(state)
            best, word = found.max(dim=1)
            logits = torch.cat([logits, best.unsqueeze(1)], dim=1)
            count = count + 1
            going = bool((count < most).all()) and bool(best[0] < 1e3)
        return logits, word


def translator(path):
    module = torch.jit.script(prepared(Translator()))
    inputs = {"source": tokens(1000, 1, 20), "most": torch.tensor([16])}
    axes = {"source": {1: "S"}}
    export(path, module, inputs, dynamo=False, opset=16, axes=axes, outputs=["logits", "word"], sound=False)


class EarlyExit(nn.Module):
    """A second half that only runs where the first is unsure, chosen by If; a counted Loop refines it."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(64, 64, 3, 1, 1), nn.ReLU())
        self.quick, self.last = nn.Linear(64, 10), nn.Linear(64, 10)

    def forward(self, x, least, rounds):
        x = self.first(x)
        found = torch.softmax(self.quick(x.mean([2, 3])), dim=1)
        if bool(found.max() < least[0]):
            for _ in range(int(rounds[0])):
                x = x + self.second(x)
            found = torch.softmax(self.last(x.mean([2, 3])), dim=1)
        return found


def early_exit(path):
    module = torch.jit.script(prepared(EarlyExit()))

    def inputs(least):
        return {"image": torch.randn(1, 3, 96, 96), "least": torch.tensor([least]), "rounds": torch.tensor([3])}

    feeds = {"": inputs(2.0), "early": inputs(0.0)}
    export(path, module, inputs(2.0), dynamo=False, opset=14, feeds=feeds, outputs=["found"], sound=False)


class GraphConv(nn.Module):
    """Messages along edges, summed at their targets: ScatterElements, or ScatterND by index_put."""

    def __init__(self, ins, outs, accumulate):
        super().__init__()
        self.own, self.other, self.accumulate = nn.Linear(ins, outs), nn.Linear(ins, outs), accumulate

    def forward(self, x, source, target):
        messages = self.other(x[source])
        total = torch.zeros(x.shape[0], messages.shape[1])
        degree = torch.zeros(x.shape[0]) + 1
        if self.accumulate:
            total = total.index_put((target,), messages, accumulate=True)
            degree = degree.index_put((target,), torch.ones_like(target, dtype=torch.float32), accumulate=True)
        else:
            total = total.scatter_add(0, target[:, None].expand_as(messages), messages)
            degree = degree.scatter_add(0, target, torch.ones_like(target, dtype=torch.float32))
        return F.relu(self.own(x) + total / degree[:, None])


class Graph(nn.Module):
    def __init__(self, accumulate):
        super().__init__()
        self.layers = nn.ModuleList(GraphConv(32 if i == 0 else 64, 64, accumulate) for i in range(3))
        self.last = nn.Linear(64, 7)

    def forward(self, nodes, source, target):
        for layer in self.layers:
            nodes = layer(nodes, source, target)
        return self.last(nodes)


def graph(accumulate, dynamo, opset):
    def inputs(nodes, edges):
        ends = torch.randint(0, nodes, (2, edges))
        return {"nodes": torch.randn(nodes, 32), "source": ends[0], "target": ends[1]}

    def recipe(path):
        axes = {"nodes": {0: "V"}, "source": {0: "E"}, "target": {0: "E"}}
        feeds = {"": inputs(500, 2000)}
        module = prepared(Graph(accumulate))
        export(path, module, inputs(12, 30), dynamo=dynamo, opset=opset, axes=axes, feeds=feeds)

    return recipe


class LineReader(nn.Module):
    """Characters in an image's line: convolutions, then a bidirectional LSTM along its columns."""

    def __init__(self):
        super().__init__()
        self.convs = nn.Sequential(
            unit(2, 1, 32), nn.MaxPool2d(2), unit(2, 32, 64), nn.MaxPool2d(2), unit(2, 64, 128), nn.MaxPool2d((2, 1)),
            unit(2, 128, 128), nn.AvgPool2d((4, 1)),
        )  # fmt: skip
        self.layers = nn.LSTM(128, 96, 2, bidirectional=True)
        self.last = nn.Linear(192, 80)

    def forward(self, x):
        return self.last(self.layers(self.convs(x).squeeze(2).permute(2, 0, 1))[0])


def reader(path):
    module = prepared(LineReader(), torch.rand(2, 1, 32, 64))
    feeds = {"": {"line": torch.rand(1, 1, 32, 200)}, "batch4": {"line": torch.rand(4, 1, 32, 100)}}
    axes, example = {"line": {0: "N", 3: "W"}}, {"line": torch.rand(2, 1, 32, 64)}
    export(path, module, example, dynamo=False, opset=13, axes=axes, feeds=feeds)


ONE_AND_MANY = {"": (1, 80), "batch16": (16, 20)}

MODELS = {
    "lstm_classifier": recurrent(nn.LSTM, 14, ONE_AND_MANY),
    "gru_classifier": recurrent(nn.GRU, 13, ONE_AND_MANY),
    "lstm_stacked_bidirectional": recurrent(nn.LSTM, 17, {"": (1, 32)}, num_layers=3, bidirectional=True),
    "gru_bidirectional": recurrent(nn.GRU, 20, {"": (4, 24)}, False, num_layers=2, bidirectional=True),
    "rnn_classifier": recurrent(nn.RNN, 15, {"": (1, 64)}, False, num_layers=2),
    "lstm_step": lstm_step,
    "deep_speech": deep_speech,
    "line_reader": reader,
    "conformer": conformer,
    "dlrm": dlrm,
    "tab_transformer": tab_transformer,
    "translator_loop": translator,
    "early_exit_if": early_exit,
    "graph_scatter_elements": graph(False, False, 18),
    "graph_scatter_nd": graph(True, True, 18),
}
