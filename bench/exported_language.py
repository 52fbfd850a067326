"""Recipes of exported_models.py: transformers' models, of realistic widths and few layers.

Decoders are exported for one call with the keys and values of earlier ones: "past" is a list of them, two for each
layer, and so are the outputs after the first.
"""

import torch
from exported_common import export, image, load_torchvision, prepared, tokens

VOCABULARY = 8000
BATCH, LENGTH = {0: "N", 1: "S"}, {1: "S"}
WORDS = {"vocab_size": VOCABULARY, "num_hidden_layers": 4}


def of_config(kind, model, attention="sdpa", **settings):
    """A model of transformers, such as ("Bert", "Model"), with weights by its own initialisation."""
    load_torchvision()  # transformers imports it where it is installed
    import transformers

    config = getattr(transformers, f"{kind}Config")(**settings)
    config._attn_implementation = attention
    return getattr(transformers, f"{kind}{model}")(config)


class Called(torch.nn.Module):
    """A model called with positional tensors as the keywords `names`; the outputs `taken`."""

    def __init__(self, module, names, taken, **fixed):
        super().__init__()
        self.module, self.names, self.taken, self.fixed = module, names, taken, fixed

    def forward(self, *inputs):
        found = self.module(**dict(zip(self.names, inputs, strict=True)), **self.fixed)
        return tuple(found[key] for key in self.taken)


class One(Called):
    def forward(self, a):
        return super().forward(a)


class Two(Called):
    def forward(self, a, b):
        return super().forward(a, b)


class Three(Called):
    def forward(self, a, b, c):
        return super().forward(a, b, c)


FORMS = {1: One, 2: Two, 3: Three}


def called(module, names, *taken, **fixed):
    """`Called`, with as many parameters as names: both exporters bind inputs to a signature."""
    return FORMS[len(names)](module, names, taken, return_dict=True, **fixed)


def encoder(module_of, names, taken, dynamo, opset, sizes, open_axes=False, fixed=None):
    """A recipe for a model of token ids, with an attention mask and token types if `names` has them.

    sizes   {variant: (batch, length)}
    """

    def inputs(n, s):
        made = {"input_ids": tokens(VOCABULARY, n, s)}
        if "attention_mask" in names:
            made["attention_mask"] = torch.ones(n, s, dtype=torch.int64)
        if "token_type_ids" in names:
            made["token_type_ids"] = torch.zeros(n, s, dtype=torch.int64)
        return made

    def recipe(path):
        example = inputs(2, 9) if open_axes else inputs(*sizes[""])
        module = prepared(called(module_of(), names, *taken, **(fixed or {})), *example.values())
        axes = dict.fromkeys(names, BATCH) if open_axes else None
        feeds = {variant: inputs(*size) for variant, size in sizes.items()}
        export(path, module, example, dynamo=dynamo, opset=opset, axes=axes, feeds=feeds)

    return recipe


HIDDEN = ["last_hidden_state"]
MASKED = ["input_ids", "attention_mask"]
TYPED = [*MASKED, "token_type_ids"]


def bert():
    return of_config("Bert", "Model", **WORDS)


def distilbert():
    return of_config("DistilBert", "ForSequenceClassification", "eager", vocab_size=VOCABULARY, n_layers=4)


def albert():
    return of_config("Albert", "Model", **WORDS, hidden_size=768, num_attention_heads=12, intermediate_size=3072)


def deberta():
    settings = {"hidden_size": 384, "num_attention_heads": 6, "intermediate_size": 1536, "share_att_key": True}
    more = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 256}
    return of_config("DebertaV2", "Model", "eager", **WORDS, **settings, **more, norm_rel_ebd="layer_norm")


def t5_config():
    return {
        "vocab_size": VOCABULARY, "d_model": 512, "d_ff": 1024, "num_layers": 4, "num_heads": 6, "d_kv": 64,
        "feed_forward_proj": "gated-gelu",
    }  # fmt: skip


def t5_encoder():
    return of_config("T5", "EncoderModel", "eager", **t5_config())


class CachedDecoder(torch.nn.Module):
    """A decoder without cross attention: the last token's logits, and the keys and values up to now."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, ids, past):
        from transformers import DynamicCache

        cache = DynamicCache()
        for layer in range(len(past) // 2):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        found = self.module(input_ids=ids, past_key_values=cache, use_cache=True)
        kept = [part for layer in found.past_key_values.layers for part in (layer.keys, layer.values)]
        return found.logits[:, -1:], *kept


class Prefill(torch.nn.Module):
    """A decoder's first call."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, ids):
        found = self.module(input_ids=ids, use_cache=True)
        kept = [part for layer in found.past_key_values.layers for part in (layer.keys, layer.values)]
        return found.logits[:, -1:], *kept


class CrossDecoder(torch.nn.Module):
    """One step of a decoder with cross attention, whose keys and values of the encoder are recomputed."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, ids, encoded, past):
        from transformers import DynamicCache, EncoderDecoderCache

        own = DynamicCache()
        for layer in range(len(past) // 2):
            own.update(past[2 * layer], past[2 * layer + 1], layer)
        found = self.module(
            decoder_input_ids=ids,
            encoder_outputs=(encoded,),
            past_key_values=EncoderDecoderCache(own, DynamicCache()),
            use_cache=True,
        )
        cache = found.past_key_values.self_attention_cache
        kept = [part for layer in cache.layers for part in (layer.keys, layer.values)]
        return found.logits, *kept


def states(layers, batch, heads, length, width):
    """A list of keys and values."""
    return [torch.randn(batch, heads, length, width) for _ in range(2 * layers)]


def decoder(module_of, heads, width, dynamo, opset, calls, layers=4):
    """A recipe; calls: {variant: (new tokens, earlier ones)}."""

    def inputs(new, earlier):
        return {"input_ids": tokens(VOCABULARY, 1, new), "past": states(layers, 1, heads, earlier, width)}

    def recipe(path):
        example = inputs(3, 5)
        module = prepared(CachedDecoder(module_of()), *example.values())
        outputs = ["logits"] + [f"present_{index}" for index in range(2 * layers)]
        axes = {"input_ids": LENGTH, "past": {2: "P"}}
        feeds = {variant: inputs(*call) for variant, call in calls.items()}
        export(path, module, example, dynamo=dynamo, opset=opset, axes=axes, feeds=feeds, outputs=outputs)

    return recipe


def gpt2():
    return of_config("GPT2", "LMHeadModel", "eager", vocab_size=VOCABULARY, n_layer=4)


def grouped(kind, attention="sdpa", **more):
    """A decoder of grouped queries: 16 heads of width 64, 4 of keys and values."""
    settings = {
        **WORDS, "hidden_size": 1024, "intermediate_size": 2816, "num_attention_heads": 16, "num_key_value_heads": 4,
        "head_dim": 64, "max_position_embeddings": 2048, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    return of_config(kind, "ForCausalLM", attention, **{**settings, **more})


def gemma3():
    load_torchvision()  # transformers imports it where it is installed
    import transformers

    config = transformers.Gemma3TextConfig(
        **WORDS, hidden_size=640, intermediate_size=2048, num_attention_heads=4, num_key_value_heads=1, head_dim=256,
        sliding_window=64, max_position_embeddings=2048,
    )  # fmt: skip
    config._attn_implementation = "eager"
    return transformers.Gemma3ForCausalLM(config)


def gpt2_prefill(path):
    module = prepared(Prefill(gpt2()))
    example = {"input_ids": tokens(VOCABULARY, 1, 6)}
    feeds = {"": {"input_ids": tokens(VOCABULARY, 1, 96)}, "short": {"input_ids": tokens(VOCABULARY, 1, 12)}}
    outputs = ["logits"] + [f"present_{index}" for index in range(8)]
    export(path, module, example, dynamo=False, opset=14, axes={"input_ids": LENGTH}, feeds=feeds, outputs=outputs)


def cross_decoder(module_of, heads, width, encoded, dynamo, opset):
    """A recipe for one token after 24; `encoded` is (length, width) of what the encoder found."""

    def recipe(path):
        def inputs(earlier):
            past = states(4, 1, heads, earlier, width)
            return {"ids": tokens(VOCABULARY, 1, 1), "encoded": torch.randn(1, *encoded), "past": past}

        module = prepared(CrossDecoder(module_of()))
        outputs = ["logits"] + [f"present_{index}" for index in range(8)]
        axes, feeds = {"past": {2: "P"}}, {"": inputs(24)}
        export(path, module, inputs(5), dynamo=dynamo, opset=opset, axes=axes, feeds=feeds, outputs=outputs)

    return recipe


def t5():
    return of_config("T5", "ForConditionalGeneration", "eager", **t5_config())


def bart(path):
    settings = {"vocab_size": VOCABULARY, "d_model": 768, "encoder_layers": 2, "decoder_layers": 2}
    sizes = {"attention_heads": 12, "ffn_dim": 3072}
    heads = {f"{side}_{key}": value for side in ("encoder", "decoder") for key, value in sizes.items()}
    module = of_config("Bart", "ForConditionalGeneration", "eager", **settings, **heads)
    module = prepared(called(module, ["input_ids", "decoder_input_ids"], "logits", use_cache=False))

    def inputs(source, target):
        return {"input_ids": tokens(VOCABULARY, 1, source), "decoder_input_ids": tokens(VOCABULARY, 1, target)}

    axes = {"input_ids": {1: "S"}, "decoder_input_ids": {1: "T"}}
    feeds = {"": inputs(64, 16)}
    export(path, module, inputs(9, 5), dynamo=False, opset=15, axes=axes, feeds=feeds)


def whisper():
    return of_config(
        "Whisper", "ForConditionalGeneration", vocab_size=VOCABULARY, d_model=384, encoder_layers=4, decoder_layers=4,
        encoder_attention_heads=6, decoder_attention_heads=6, encoder_ffn_dim=1536, decoder_ffn_dim=1536,
        max_source_positions=400, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=3,
    )  # fmt: skip


def whisper_encoder(path):
    module = prepared(called(whisper().get_encoder(), ["input_features"], "last_hidden_state"))
    export(path, module, {"features": torch.randn(1, 80, 800)}, dynamo=True, opset=20)


def wave_model(kind, dynamo, opset, **more):
    """A recipe for half a second, or a second, of sound."""

    def recipe(path):
        settings = {"vocab_size": 32, "hidden_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8}
        module = of_config(kind, "ForCTC", "eager", **settings, intermediate_size=2048, **more)
        module = prepared(called(module, ["input_values"], "logits"), torch.randn(2, 8000))
        axes = {"sound": {1: "T"}}
        feeds = {"": {"sound": torch.randn(1, 8000)}, "second": {"sound": torch.randn(1, 16000)}}
        export(path, module, {"sound": torch.randn(1, 6000)}, dynamo=dynamo, opset=opset, axes=axes, feeds=feeds)

    return recipe


def mamba(path):
    module = of_config("Mamba", "ForCausalLM", "eager", **WORDS, hidden_size=512, state_size=16, use_mambapy=False)
    module = prepared(called(module, ["input_ids"], "logits", use_cache=False))
    export(path, module, {"input_ids": tokens(VOCABULARY, 1, 48)}, dynamo=False, opset=17)


def clip(path):
    text = {**WORDS, "eos_token_id": 2}
    vision = {"num_hidden_layers": 4, "patch_size": 32}
    module = of_config("CLIP", "Model", text_config=text, vision_config=vision)
    names = ["input_ids", "pixel_values", "attention_mask"]
    module = prepared(called(module, names, "logits_per_image", "text_embeds", "image_embeds"))
    ids = tokens(VOCABULARY, 4, 16).clamp(min=3)
    ids[:, -1] = 2
    inputs = {"input_ids": ids, "image": image(1, 3, 224, 224), "mask": torch.ones(4, 16, dtype=torch.int64)}
    export(path, module, inputs, dynamo=True, opset=18)


def segformer(path):
    module = of_config("Segformer", "ForSemanticSegmentation", "eager", num_labels=19)
    module = prepared(called(module, ["pixel_values"], "logits"), image(2, 3, 256, 256))
    export(path, module, {"image": image(1, 3, 256, 256)}, dynamo=False, opset=16)


def detr(path):
    load_torchvision()  # transformers imports it where it is installed
    import transformers

    backbone = transformers.ResNetConfig(
        embedding_size=64, hidden_sizes=[128, 256, 512, 1024], depths=[1, 1, 1, 1], out_features=["stage4"]
    )
    module = of_config(
        "Detr", "ForObjectDetection", "eager", use_timm_backbone=False, use_pretrained_backbone=False,
        backbone_config=backbone, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=1024, decoder_ffn_dim=1024,
        num_labels=20, num_queries=50,
    )  # fmt: skip
    names = ["pixel_values", "pixel_mask"]
    mask = torch.ones(2, 320, 320, dtype=torch.int64)
    module = prepared(called(module, names, "logits", "pred_boxes"), image(2, 3, 320, 320), mask)
    export(path, module, {"image": image(1, 3, 320, 320), "mask": mask[:1]}, dynamo=False, opset=17)


def dpt(path):
    module = of_config(
        "DPT", "ForDepthEstimation", hidden_size=384, num_hidden_layers=4, num_attention_heads=6,
        intermediate_size=1536, image_size=224, backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[48, 96, 192, 384], fusion_hidden_size=128,
        initializer_range=0.06,  # by 0.02, the head's convolutions would let the picture vanish
    )  # fmt: skip
    module = prepared(called(module, ["pixel_values"], "predicted_depth"), image(2, 3, 224, 224))
    export(path, module, {"image": image(1, 3, 224, 224)}, dynamo=True, opset=19)


STEPS = {"": (1, 64), "prompt": (32, 8)}

MODELS = {
    "bert": encoder(bert, TYPED, [*HIDDEN, "pooler_output"], False, 14, {"": (1, 128), "batch4": (4, 32)}, True),
    "distilbert": encoder(distilbert, MASKED, ["logits"], False, 13, {"": (1, 64), "batch8": (8, 16)}, True),
    "albert": encoder(albert, MASKED, HIDDEN, True, 18, {"": (1, 96)}, False),
    "deberta_v2": encoder(deberta, MASKED, HIDDEN, False, 15, {"": (1, 64)}, False),
    "t5_encoder": encoder(t5_encoder, MASKED, HIDDEN, True, 21, {"": (1, 64), "long": (1, 200)}, True),
    "t5_decoder": cross_decoder(t5, 6, 64, (64, 512), False, 16),
    "bart": bart,
    "whisper_encoder": whisper_encoder,
    "whisper_decoder": cross_decoder(whisper, 6, 64, (400, 384), False, 17),
    "wav2vec2": wave_model("Wav2Vec2", False, 14),
    "wav2vec2_conformer": wave_model("Wav2Vec2Conformer", False, 17, position_embeddings_type="relative"),
    "gpt2_prefill": gpt2_prefill,
    "gpt2_step": decoder(gpt2, 12, 64, False, 13, {"": (1, 64)}),
    "llama_step": decoder(lambda: grouped("Llama"), 4, 64, True, 20, STEPS),
    "qwen3_step": decoder(lambda: grouped("Qwen3"), 4, 64, True, 23, STEPS),
    "phi3_step": decoder(lambda: grouped("Phi3", "eager"), 4, 64, False, 18, STEPS),
    "gemma3_step": decoder(gemma3, 1, 256, True, 22, STEPS),
    "mamba": mamba,
    "clip": clip,
    "segformer": segformer,
    "detr": detr,
    "dpt": dpt,
}
