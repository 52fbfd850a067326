"""Recipes of exported_models.py: networks of torchvision and timm."""

import torch
from exported_common import export, image, load_torchvision, prepared

IMAGE = {"image": {0: "N"}}


class Picked(torch.nn.Module):
    """One entry of the dictionary that a module returns."""

    def __init__(self, module, key):
        super().__init__()
        self.module, self.key = module, key

    def forward(self, x):
        return self.module(x)[self.key]


class Detector(torch.nn.Module):
    """A detector of torchvision for one image: boxes, scores and labels."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        found = self.module([x])[0]
        return found["boxes"], found["scores"], found["labels"]


def classifier(make, dynamo, opset, size=224, batches=None):
    """A recipe; `batches` are the sizes of an open batch."""

    def recipe(path):
        torchvision = load_torchvision()
        module = prepared(make(torchvision.models), image(4, 3, size, size))
        if batches is None:
            export(path, module, {"image": image(1, 3, size, size)}, dynamo=dynamo, opset=opset)
            return
        feeds = {"" if n == 1 else f"batch{n}": {"image": image(n, 3, size, size)} for n in batches}
        example = {"image": image(2, 3, size, size)}
        export(path, module, example, dynamo=dynamo, opset=opset, axes=IMAGE, feeds=feeds)

    return recipe


def of_timm(name, dynamo, opset, size=224, batches=None):
    def make(_models):
        import timm

        return timm.create_model(name, pretrained=False, exportable=True)

    return classifier(make, dynamo, opset, size, batches)


def vit(models):
    module = models.VisionTransformer(224, 16, num_layers=6, num_heads=12, hidden_dim=768, mlp_dim=3072)
    torch.nn.init.normal_(module.heads.head.weight, 0, 0.02)  # zeros otherwise
    return module


def conv_mixer(_models):
    from timm.models.convmixer import ConvMixer

    return ConvMixer(768, 6, kernel_size=7, patch_size=7, act_layer=torch.nn.ReLU)


def video(path):
    models = load_torchvision().models.video
    module = prepared(models.r3d_18(), image(2, 3, 4, 112, 112))
    export(path, module, {"clip": image(1, 3, 4, 112, 112)}, dynamo=True, opset=18)


def deeplab(path):
    models = load_torchvision().models.segmentation
    module = models.deeplabv3_mobilenet_v3_large(weights_backbone=None, num_classes=21)
    module = prepared(Picked(module, "out"), image(2, 3, 224, 224))
    export(path, module, {"image": image(1, 3, 224, 224)}, dynamo=False, opset=13)


def lraspp(path):
    models = load_torchvision().models.segmentation
    module = models.lraspp_mobilenet_v3_large(weights_backbone=None, num_classes=21)
    module = prepared(Picked(module, "out"), image(2, 3, 224, 224))
    axes = {"image": {0: "N", 2: "H", 3: "W"}}
    feeds = {"": {"image": image(1, 3, 224, 224)}, "wide": {"image": image(1, 3, 192, 320)}}
    export(path, module, {"image": image(2, 3, 224, 256)}, dynamo=False, opset=17, axes=axes, feeds=feeds)


def detector(make, size, opset, sound=True):
    def recipe(path):
        module = make(load_torchvision().models.detection)
        module = Detector(prepared(module, list(torch.rand(2, 3, size, size))))
        export(path, module, {"image": torch.rand(3, size, size)}, dynamo=False, opset=opset, sound=sound)

    return recipe


def retinanet(models):
    return models.retinanet_resnet50_fpn(
        weights_backbone=None, min_size=160, max_size=160, num_classes=21, score_thresh=0.01, detections_per_img=50
    )


def ssdlite(models):
    return models.ssdlite320_mobilenet_v3_large(weights_backbone=None, num_classes=21, score_thresh=0.001)


def faster_rcnn(models):
    return models.fasterrcnn_mobilenet_v3_large_320_fpn(weights_backbone=None, num_classes=21, box_score_thresh=0.001)


MODELS = {
    "resnet18": classifier(lambda m: m.resnet18(), False, 13, batches=[1, 4]),
    "resnet50": classifier(lambda m: m.resnet50(), True, 18),
    "mobilenet_v2": classifier(lambda m: m.mobilenet_v2(), False, 13),
    "mobilenet_v3_small": classifier(lambda m: m.mobilenet_v3_small(), True, 20, batches=[1, 8]),
    "shufflenet_v2": classifier(lambda m: m.shufflenet_v2_x1_0(), False, 14),
    "squeezenet": classifier(lambda m: m.squeezenet1_1(), False, 13, batches=[1]),
    "googlenet": classifier(lambda m: m.googlenet(aux_logits=False, init_weights=False), True, 18),
    "inception_v3": classifier(lambda m: m.inception_v3(aux_logits=False, init_weights=False), False, 17, size=299),
    "densenet121": classifier(lambda m: m.densenet121(), True, 21, batches=[1]),
    "regnet_y_400mf": classifier(lambda m: m.regnet_y_400mf(), True, 22),
    "efficientnet_b0": classifier(lambda m: m.efficientnet_b0(), False, 16, batches=[1]),
    "convnext_tiny": classifier(lambda m: m.convnext_tiny(), True, 23),
    "swin_t": classifier(lambda m: m.swin_t(), False, 17),
    "vit_b_16": classifier(vit, True, 20, batches=[1]),
    "r3d_18": video,
    "deeplabv3": deeplab,
    "lraspp": lraspp,
    "retinanet": detector(retinanet, 160, 13),
    "ssdlite": detector(ssdlite, 320, 15),
    "faster_rcnn": detector(faster_rcnn, 320, 16),
    "ghostnet": of_timm("ghostnet_100", False, 13),
    "efficientvit_b0": of_timm("efficientvit_b0", True, 18),
    "mobilevit_s": of_timm("mobilevit_s", False, 17),
    "mixnet_s": of_timm("mixnet_s", True, 20, batches=[1]),
    "pvt_v2_b0": of_timm("pvt_v2_b0", True, 22),
    "coat_lite_tiny": of_timm("coat_lite_tiny", False, 16),
    "convmixer": classifier(conv_mixer, True, 18),
    "mlp_mixer": of_timm("mixer_s16_224", False, 17, batches=[1, 4]),
    "eca_nfnet_l0": of_timm("eca_nfnet_l0", True, 19),
    "repvgg_a0": of_timm("repvgg_a0", False, 13, batches=[1]),
    "cspdarknet53": of_timm("cspdarknet53", True, 18),
    "hrnet_w18_small": of_timm("hrnet_w18_small", False, 15),
    "res2net50": of_timm("res2net50_26w_4s", False, 14),
    "dpn68": of_timm("dpn68", True, 21),
    "skresnet18": of_timm("skresnet18", False, 13),
    "fastvit_t8": of_timm("fastvit_t8", True, 20),
    "deit_tiny": of_timm("deit_tiny_patch16_224", True, 23, batches=[1, 4]),
    "levit_128s": of_timm("levit_128s", False, 18),
    "edgenext_xx_small": of_timm("edgenext_xx_small", True, 18),
    "mobileone_s0": of_timm("mobileone_s0", False, 17),
    "repghostnet": of_timm("repghostnet_050", False, 13),
    "resnest14d": of_timm("resnest14d", False, 17),
    "poolformer_s12": of_timm("poolformer_s12", False, 18),
}
