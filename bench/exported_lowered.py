"""Recipes of exported_models.py: those of the others with f16, 8-bit or 4-bit weights and activations.

What they are made from is exported beside them and deleted.
"""

import numpy as np
import onnx
from engines import feeds_of, input_files
from exported_common import floats_as, save_feed
from exported_language import MODELS as LANGUAGE
from exported_layers import MODELS as LAYERS
from exported_networks import MODELS as NETWORKS
from exported_vision import MODELS as VISION

ORIGINALS = {**VISION, **LANGUAGE, **LAYERS, **NETWORKS}
CALIBRATIONS = 4


def original(path, name):
    """(where the original is, {variant: its inputs})."""
    folder = path.parent / "original"
    folder.mkdir()
    source = folder / f"{name}.onnx"
    ORIGINALS[name](source)
    return source, dict(feeds_of(source, input_files(source), None, 1))


def save_feeds(path, feeds):
    for variant, feed in feeds.items():
        save_feed(path, feed, variant)


def half(name, keep_io_types):
    """f16 by onnxconverter_common; with `keep_io_types`, inputs and outputs stay f32."""

    def recipe(path):
        from onnxconverter_common import float16

        source, feeds = original(path, name)
        model = float16.convert_float_to_float16(onnx.load(source), keep_io_types=keep_io_types)
        del model.graph.value_info[:]  # some still say f32
        onnx.save(model, path)
        if not keep_io_types:
            feeds = {
                variant: {k: a.astype(np.float16) if a.dtype == np.float32 else a for k, a in feed.items()}
                for variant, feed in feeds.items()
            }
        save_feeds(path, feeds)

    return recipe


def traced_half(name):
    """f16 by torch, for those whose casts the converter does not get right."""

    def recipe(path):
        import torch

        with floats_as(torch.float16):
            ORIGINALS[name](path)

    return recipe


class Reader:
    """What calibration reads: inputs like the model's own, redrawn."""

    def __init__(self, feed):
        rng = np.random.default_rng(0)

        def redrawn(array):
            return rng.permuted(array.reshape(-1)).reshape(array.shape) if array.dtype.kind == "f" else array

        self.feeds = [{name: redrawn(array) for name, array in feed.items()} for _ in range(CALIBRATIONS)]

    def get_next(self):
        return self.feeds.pop() if self.feeds else None


def quantized(name, form, per_channel=True, activations="QUInt8", weights="QInt8", **settings):
    """8 bits, scales found by calibration; `form` is QDQ or QOperator."""

    def recipe(path):
        from onnxruntime import quantization
        from onnxruntime.quantization.shape_inference import quant_pre_process

        source, feeds = original(path, name)
        ready = source.with_name("ready.onnx")
        quant_pre_process(source, ready, skip_symbolic_shape=True)
        quantization.quantize_static(
            ready,
            path,
            Reader(feeds[""]),
            quant_format=quantization.QuantFormat[form],
            per_channel=per_channel,
            activation_type=quantization.QuantType[activations],
            weight_type=quantization.QuantType[weights],
            **settings,
        )
        save_feeds(path, feeds)

    return recipe


def dynamic(name, per_channel=False, weights="QInt8", **settings):
    """8-bit weights, and scales of activations computed in each call."""

    def recipe(path):
        from onnxruntime import quantization

        source, feeds = original(path, name)
        kind = quantization.QuantType[weights]
        quantization.quantize_dynamic(source, path, per_channel=per_channel, weight_type=kind, **settings)
        save_feeds(path, feeds)

    return recipe


def nibbles(name, block_size, symmetric, form="QOperator", accuracy_level=4):
    """4-bit weights of products: MatMulNBits, or DequantizeLinear of blocks."""

    def recipe(path):
        from onnxruntime import quantization
        from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer

        source, feeds = original(path, name)
        config = DefaultWeightOnlyQuantConfig(
            block_size=block_size,
            is_symmetric=symmetric,
            accuracy_level=accuracy_level,
            quant_format=quantization.QuantFormat[form],
        )
        quantizer = MatMulNBitsQuantizer(onnx.load(source), algo_config=config)
        quantizer.process()
        quantizer.model.save_model_to_file(str(path))
        save_feeds(path, feeds)

    return recipe


MODELS = {
    "resnet50_f16": half("resnet50", True),
    "mobilenet_v2_f16": half("mobilenet_v2", False),
    "deit_tiny_f16": half("deit_tiny", True),
    "bert_f16": traced_half("bert"),
    "llama_step_f16": traced_half("llama_step"),
    "unet_2d_f16": half("unet_2d", True),
    "resnet18_qdq": quantized("resnet18", "QDQ"),
    "resnet18_qoperator": quantized("resnet18", "QOperator", activations="QInt8"),
    "mobilenet_v2_qoperator": quantized("mobilenet_v2", "QOperator", per_channel=False, weights="QUInt8"),
    "mobilenet_v3_small_qdq": quantized("mobilenet_v3_small", "QDQ"),
    "efficientnet_b0_qdq": quantized("efficientnet_b0", "QDQ", activations="QInt8", per_channel=False),
    "vit_b_16_qdq": quantized("vit_b_16", "QDQ"),
    "unet_2d_qdq": quantized("unet_2d", "QDQ"),
    "yolo_qdq": quantized("yolo", "QDQ", op_types_to_quantize=["Conv"]),
    "bert_dynamic": dynamic("bert"),
    "distilbert_dynamic": dynamic("distilbert", per_channel=True),
    "gpt2_step_dynamic": dynamic("gpt2_step", weights="QUInt8"),
    "lstm_classifier_dynamic": dynamic("lstm_classifier"),
    "llama_step_4bit": nibbles("llama_step", 32, True),
    "qwen3_step_4bit": nibbles("qwen3_step", 128, False, accuracy_level=0),
    "phi3_step_4bit_qdq": nibbles("phi3_step", 64, True, "QDQ"),
}
