"""docs/differences.md, compared with the onnx package: every row about checks has a case here and every case a row.

A case is a model on which the two disagree just as the row says. What is not in the tables has to be alike: models with
one random change are judged by both. What is not about checks is in test_differences_io.py.
"""

import pathlib
import random
import re

import onnx
import pytest
from differences import CASES, LAXER, STRICTER, TABLES, case, pairs
from onnx import TensorProto, checker, defs, helper, parser

import norn


@pytest.mark.parametrize("heading", [STRICTER, LAXER])
def test_rows_and_cases_are_the_same(heading):
    assert set(TABLES[heading]) == set(CASES[heading])


def model(text="g (float[2] x) => (float[2] y) { y = Relu (x) }", ir=14, imports='"": 21'):
    return parser.parse_model(f"<ir_version: {ir}, opset_import: [{imports}]> {text}")


def changed(change, *args, **kwargs):
    m = model(*args, **kwargs)
    change(m)
    return m


def unknown_field(message, number, value=1):
    """A number in a field that the message does not have."""
    key = number << 3
    message.MergeFromString(bytes([key, value] if key < 128 else [key & 127 | 128, key >> 7, value]))


def with_type(text):
    """The text's type as that of a value in value_info."""
    return model(f"g (float[2] x) => (float[2] y) <{text} v> {{ y = Relu (x) v = c.Op (x) }}", imports='"": 21, "c": 1')


def with_tensor(data_type, dims, **fields):
    tensor = TensorProto(name="w", data_type=data_type, dims=dims, **fields)
    return changed(lambda m: m.graph.initializer.append(tensor))


def onnx_accepts(m):
    try:
        checker.check_model(m)
    except checker.ValidationError as e:
        return str(e)
    return True


def errors(m, **options):
    return {d.rule for d in norn.check(m, infer=False, **options) if d.severity == "error"}


def allowed(rule, patterns):
    return any(rule == p or (p.endswith("*") and rule.startswith(p[:-1])) for p in patterns)


CALL = """g (float[2] x) => (float[2] y) { y = f.F (x) }
    <domain: "f", opset_import: ["": 21]> F (a) => (b) { b = LeakyRelu <alpha = 0.5> (a) }"""


def calling(old="", new=""):
    return model(CALL.replace(old, new), imports='"": 21, "f": 1')


ELEMENTS = {"bfloat16": (3, 16), "float8": (8, 17), "int4": (9, 22), "float4": (10, 23), "float8e8m0": (11, 24),
            "int2": (12, 26), "float6": (13, 27)}


@case(STRICTER, "an element type, type or field newer than the file's IR version")
def _():
    for name, (ir, element) in ELEMENTS.items():
        def typed(m, element=element):
            m.graph.input[0].type.tensor_type.elem_type = element
        yield "ir.gate." + name, changed(typed, ir=ir)
    typed_attribute = "g (float[2] x) => (float[2] y) { y = LeakyRelu <alpha: float = 0.5> (x) }"
    yield "ir.gate.attr-type", model(typed_attribute, ir=1, imports="")
    yield "ir.gate.quant-annotation", changed(lambda m: m.graph.quantization_annotation.add(tensor_name="x"), ir=4)
    values, indices = helper.make_tensor("w", 1, [1], [1.0]), helper.make_tensor("i", 7, [1], [0])
    sparse = helper.make_sparse_tensor(values, indices, [2])
    yield "ir.gate.sparse-constants", changed(lambda m: m.graph.sparse_initializer.append(sparse), ir=5)
    yield "ir.gate.sequence-map", model("g (seq(float[2]) x) => (int64 y) { y = SequenceLength (x) }", ir=5)
    yield "ir.gate.training", changed(lambda m: m.training_info.add(), ir=6)
    yield "ir.gate.optional-type", model("g (optional(float[2]) x) => (bool y) { y = OptionalHasElement (x) }", ir=7)
    yield "ir.gate.sparse-type", model("g (sparse_tensor(float[2]) x) => (float[2] y) { y = Relu (x) }", ir=7)
    yield "ir.gate.type-proto-attr", model(
        "g () => (optional(float[2]) y) { y = Optional <type = float[2]> () }", ir=7)
    function = '<domain: "f", opset_import: ["": 21]> F (a) => (b) { b = Relu (a) }'
    call = "g (float[2] x) => (float[2] y) { y = f.F (x) } " + function
    imports = '"": 21, "f": 1'
    yield "ir.gate.functions", model(call, ir=7, imports=imports)
    yield "ir.gate.attribute-proto", model(call.replace("F (a)", "F <k: int = 1> (a)"), ir=8, imports=imports)
    yield "ir.gate.function-value-info", model(call.replace("F (a)", "F (float[2] a)"), ir=9, imports=imports)
    yield "ir.gate.overload", model(call.replace("f.F", "f.F:o").replace('"f", o', '"f", overload: "o", o'), ir=9,
                                    imports=imports)
    yield "ir.gate.metadata-props", changed(lambda m: m.graph.metadata_props.add(key="a", value="b"), ir=9)
    yield "ir.gate.multi-device", changed(lambda m: m.configuration.add(name="c", num_devices=1), ir=10)
    yield "ir.gate.opaque-core", model("g (opaque(d, n) x) => (opaque(d, n) y) { y = Identity (x) }", ir=13)


@case(STRICTER, "an operator-set version that is missing or not known")
def _():
    yield "opset.import.version-known", model(imports='"": 99')
    yield "ver.opset.simple", model(imports='"": 21, "c": 0')
    yield "opset.import.version-present", changed(lambda m: m.opset_import.add(domain="c"))
    yield "function.opset.compatible", model(CALL, imports='"": -1, "f": 1')


@case(STRICTER, "an operator that a preview set does not declare")
def _():
    for domain in ("ai.onnx.preview", "ai.onnx.preview.training"):
        yield "op.declared", model(f"g (float[2] x) => (float[2] y) {{ y = {domain}.Relu (x) }}",
                                   imports=f'"": 21, "{domain}": 1')


@case(STRICTER, "a node of an operator of `com.microsoft` that [the table](com-microsoft.md) lists, which does not fit its "
                "signature")
def _():
    def of_microsoft(node):
        return model(f"g (float[2] x) => (float[2] y) {{ y = com.microsoft.{node} }}", imports='"": 21, "com.microsoft": 1')

    yield "node.attributes.known", of_microsoft("QuickGelu <beta = 1.0> (x)")
    yield "node.attributes.required", of_microsoft("MultiHeadAttention (x)")
    yield "node.inputs.count", of_microsoft("BiasGelu (x)")


@case(STRICTER, "an attribute that LayerNormalization of version 17 does not declare")
def _():
    yield "node.attributes.known", model("g (float[2] x) => (float[2] y) { y = LayerNormalization <a = 1> (x, x) }")


@case(STRICTER, "functions: names undeclared, undefined or repeated, too many arguments, unresolved overloads")
def _():
    yield "function.attr.declared", calling("alpha = 0.5", "alpha: float = @k")
    yield "function.output.defined", calling("=> (b) {", "=> (c) {")
    yield "function.call.arity", calling("f.F (x)", "f.F (x, x)")
    yield "function.overload.resolves", calling("f.F (x)", "f.F:o (x)")
    yield "function.params.attr-distinct", calling("F (a)", "F <k, k: int = 1> (a)")
    yield "function.params.attr-proto-unique", calling("F (a)", "F <k: int = 2, k: int = 1> (a)")
    yield "function.value-info.names", calling("=> (b) {", "=> (b) <float q> {")
    yield "opset.import.one-version-per-domain", calling('["": 21]', '["": 21, "": 21]')
    # Of an operator that has a signature, the overload makes a call.
    yield "op.declared", changed(lambda m: setattr(m.graph.node[0], "overload", "o"))


@case(STRICTER, "defaults of a function's attributes that are not sound attributes")
def _():
    def default(**fields):
        return changed(lambda m: m.functions[0].attribute_proto.add(**fields), CALL, imports='"": 21, "f": 1')
    yield "attr.name", default(type=2, i=1)
    yield "attr.type.present", default(name="k", i=1)
    yield "attr.type.matches-field", default(name="k", type=1, i=1)
    yield "attr.value.exactly-one", default(name="k", type=1, i=1, f=1.0)


@case(STRICTER, "attributes, of operators without a signature too, whose type is none or whose message is absent")
def _():
    def custom(**fields):
        return changed(lambda m: m.graph.node[0].attribute.add(name="a", **fields),
                       "g (float[2] x) => (float[2] y) { y = c.Op (x) }", imports='"": 21, "c": 1')
    yield "attr.type.not-undefined", custom(type=0)
    yield "attr.value.message-present", custom(type=4)
    yield "attr.value.message-present", custom(type=5)


@case(STRICTER, "a node without outputs, even of an unknown operator")
def _():
    yield "node.outputs.at-least-one", model("g (float[2] x) => (float[2] y) { y = Relu (x) = c.Op (x) }",
                                             imports='"": 21, "c": 1')


@case(STRICTER, "statistics of BatchNormalization named outside training mode")
def _():
    yield "node.outputs.named-iff-computed", model(
        "g (float[1,2] x, float[2] w) => (float[1,2] y) { y, m, v = BatchNormalization (x, w, w, w, w) }")


@case(STRICTER, "values of `value_info` and of nested graphs without name or type, or listed twice")
def _():
    yield "graph.value-info.unique", model(
        "g (float[2] x) => (float[2] y) <float[2] v, float[2] v> { v = Relu (x) y = Relu (v) }")
    yield "value.name", changed(lambda m: m.graph.value_info.add().type.CopyFrom(m.graph.input[0].type))
    yield "value.type-required", changed(lambda m: m.graph.value_info.add(name="x"), ir=5)


@case(STRICTER, "types that are incomplete, or of elements that cannot be")
def _():
    yield "type.tensor.elem-present", changed(lambda m: m.graph.value_info.add(name="v").type.tensor_type.SetInParent())
    for rule, element in (("elem-not-undefined", 0), ("elem-valid", 77)):
        def typed(m, element=element):
            m.graph.input[0].type.tensor_type.elem_type = element
        yield "type.tensor." + rule, changed(typed)
    yield "type.sequence.elem", changed(lambda m: m.graph.input[0].type.sequence_type.elem_type.SetInParent())
    yield "type.map.key-present", changed(lambda m: m.graph.value_info.add(name="v").type.map_type.SetInParent())
    yield "type.map.value-present", changed(lambda m: m.graph.value_info.add(name="v").type.map_type.SetInParent())
    yield "type.map.key-kind", with_type("map(float, float)")
    yield "type.optional.elem", changed(lambda m: m.graph.value_info.add(name="v").type.optional_type.SetInParent())
    yield "type.optional.elem-kind", with_type("optional(opaque(d, n))")
    yield "type.sparse.elem", changed(lambda m: m.graph.value_info.add(name="v").type.sparse_tensor_type.SetInParent())
    yield "type.opaque.name", with_type("opaque()")


@case(STRICTER, "fields of withdrawn drafts")
def _():
    yield "graph.reserved-fields", changed(lambda m: unknown_field(m.graph, 4))
    yield "attr.reserved-v", changed(lambda m: unknown_field(m.graph.node[0].attribute[0], 16),
                                     "g (float[2] x) => (float[2] y) { y = LeakyRelu <alpha = 0.5> (x) }")
    old_function = calling()
    unknown_field(old_function.functions[0], 2)
    yield "function.status-reserved", old_function
    opaque = with_type("opaque(d, n)")
    unknown_field(opaque.graph.value_info[0].type.opaque_type, 3)
    yield "type.opaque.params-retired", opaque


@case(STRICTER, "strings that are not UTF-8, or with a byte order mark or a NUL at an end")
def _():
    yield "attr.value.string-utf8", changed(lambda m: m.graph.node[0].attribute.add(name="a", type=3, s=b"\xff"),
                                            "g (float[2] x) => (float[2] y) { y = c.Op (x) }", imports='"": 21, "c": 1')
    yield "tensor.string.utf8", with_tensor(8, [1], string_data=[b"\xff"])
    yield "tensor.string.no-nul-bom", with_tensor(8, [1], string_data=[b"x\0"])


@case(STRICTER, "a reference to a function's attribute outside a function, or together with a value")
def _():
    text = "g (float[2] x) => (float[2] y) { y = LeakyRelu <alpha: float = @k> (x) }"
    yield "attr.ref.only-in-function", model(text)
    both = calling("F (a)", "F <k> (a)")
    attribute = both.functions[0].node[0].attribute[0]
    attribute.ref_attr_name = "k"
    yield "attr.ref.no-value", both


LOOP = """g (int64 n, bool c, float[2] x) => (float[2] y) {
    y = Loop (n, c, x) <body = b (int64 i, bool go, float[2] a) => (bool on, float[2] z)
        { on = Identity (go) z = Relu (a) }> }"""


@case(STRICTER, "inputs of the graphs of If, Loop, Scan and SequenceMap that are initializers, or in a wrong place")
def _():
    def constant(m, name, at):
        body = m.graph.node[0].attribute[0].g
        if name not in [i.name for i in body.input]:
            body.input.insert(at, helper.make_tensor_value_info(name, 1, [2]))
        element = next(i for i in body.input if i.name == name).type.tensor_type.elem_type
        dims = [] if element == 7 else [2]
        body.initializer.append(helper.make_tensor(name, element, dims, [1] * 2 if dims else [1]))
    yield "init.subgraph.no-input-alias", changed(lambda m: constant(m, "w", 3), LOOP)
    yield "init.subgraph.actuals-not-init", changed(lambda m: constant(m, "a", 2), LOOP, ir=3)
    yield "init.subgraph.order", changed(lambda m: constant(m, "w", 2), LOOP, ir=3)


@case(STRICTER, "an initializer that does not fit the input it is the default of")
def _():
    for tensor in (helper.make_tensor("x", 1, [3], [1.0] * 3), helper.make_tensor("x", 11, [2], [1.0] * 2)):
        yield "init.type-matches-input", changed(lambda m, t=tensor: m.graph.initializer.append(t))


IF = """g (bool c, float[2] x) => (float[2] y) { y = If (c) <
    then_branch = t () => (float[2] a) { a = Relu (x) }, else_branch = e () => (float[2] b) { b = Abs (x) }> }"""


@case(STRICTER, "control flow: other inputs or outputs than the operator has, conditions of several elements")
def _():
    yield "exec.if.scalar-cond", model(IF.replace("bool c", "bool[2] c"))
    yield "exec.if.no-inputs", model(IF.replace("t ()", "t (float q)"))
    yield "exec.if.outputs-match", model(IF.replace("(float[2] a)", "(int64[2] a)"))
    yield "exec.loop.cond-required-out", model(LOOP.replace("(bool on, float[2] z)", "(float[2] z)"))
    yield "node.outputs.count", model(LOOP.replace("(bool on, float[2] z)", "(bool on, float[2] z, float[2] z)"))
    yield "node.inputs.count", changed(lambda m: m.graph.node[0].attribute[0].g.input.add(name="more"), LOOP)


@case(STRICTER, "tensors with more data than their shape takes")
def _():
    yield "tensor.storage.count-exact", with_tensor(1, [1], float_data=[1.0, 2.0])
    yield "tensor.raw.size", with_tensor(1, [1], raw_data=bytes(8))
    for rule, element in (("int4", 22), ("int2", 26), ("float4", 23), ("float6", 28)):
        yield "tensor.raw." + rule, with_tensor(element, [2], raw_data=bytes(4))
    yield "tensor.field.int4-packing", with_tensor(22, [10], int32_data=[0] * 3)
    yield "tensor.field.int2-packing", with_tensor(26, [20], int32_data=[0] * 3)
    yield "tensor.field.complex-interleaved", with_tensor(14, [1], float_data=[1.0, 2.0, 3.0])


@case(STRICTER, "tensors of an unknown element type, with bits that no element has, or with segments out of bounds")
def _():
    yield "tensor.data-type.valid", with_tensor(77, [1], raw_data=bytes(4))
    yield "tensor.raw.bool-byte", with_tensor(9, [1], raw_data=b"\x02")
    yield "tensor.field.float16-bits", with_tensor(10, [1], int32_data=[65536])
    segment = with_tensor(1, [2], float_data=[1.0, 2.0])
    segment.graph.initializer[0].segment.begin = 2
    segment.graph.initializer[0].segment.end = 1
    yield "tensor.segment.bounds", segment


@case(STRICTER, "quantization annotations of unknown tensors, with unknown keys, or with a key twice")
def _():
    def annotated(name="x", *entries):
        def change(m):
            annotation = m.graph.quantization_annotation.add(tensor_name=name)
            for key, value in entries:
                annotation.quant_parameter_tensor_names.add(key=key, value=value)
        return changed(change)
    yield "quant.tensor-name", annotated("nothing")
    yield "quant.keys-known", annotated("x", ("SCALE", "x"))
    yield "quant.values-are-tensors", annotated("x", ("SCALE_TENSOR", "nothing"))
    yield "quant.keys-unique", annotated("x", ("SCALE_TENSOR", "x"), ("SCALE_TENSOR", "x"))


@case(STRICTER, "training: bindings, the graphs of training information, what gradients depend on")
def _():
    def training(initialization="", algorithm="", initialize=(), update=()):
        def change(m):
            m.graph.initializer.append(helper.make_tensor("w", 1, [2], [1.0, 2.0]))
            info = m.training_info.add()
            for field, text in (("initialization", initialization), ("algorithm", algorithm)):
                if text:
                    getattr(info, field).CopyFrom(parser.parse_graph(text))
            for key, value in initialize:
                info.initialization_binding.add(key=key, value=value)
            for key, value in update:
                info.update_binding.add(key=key, value=value)
        return changed(change)
    zeros = "i () => (float[2] z) { z = Constant <value = float[2] {0, 0}> () }"
    step = "a () => (float[2] z) { z = Relu (w) }"
    yield "train.init.no-inputs", training(zeros.replace("()", "(float[2] q)", 1), initialize=[("w", "z")])
    yield "train.binding.key-is-initializer", training(zeros, initialize=[("x", "z")])
    yield "train.binding.init-value", training(zeros, initialize=[("w", "q")])
    yield "train.binding.init-unique", training(zeros, initialize=[("w", "z"), ("w", "z")])
    yield "train.binding.update-value", training(algorithm=step, update=[("w", "q")])
    yield "train.binding.update-unique", training(algorithm=step, update=[("w", "z"), ("w", "z")])
    yield "train.binding.type-match", training(zeros.replace("float[2]", "float[3]").replace("0, 0", "0, 0, 0"),
                                               initialize=[("w", "z")])
    yield "train.step.combined-valid", training(algorithm=step.replace("z", "y"), update=[("w", "y")])
    yield "op.declared", training(algorithm=step.replace("Relu", "Rellu"), update=[("w", "z")])
    yield "train.gradient.independent", model("""g (float[2] x, float[2] w) => (float[2] y, float[2] d)
        { y = Relu (x) d = ai.onnx.preview.training.Gradient <xs = ["w"], y = "y"> (w) }""",
                                              imports='"": 21, "ai.onnx.preview.training": 1')


@case(STRICTER, "device configurations")
def _():
    def configured(on_model=(), on_node=(), shard=None):
        def change(m):
            for fields in on_model:
                m.configuration.add(**fields)
            for fields in on_node:
                device = m.graph.node[0].device_configurations.add(**fields)
                if shard:
                    shard(device.sharding_spec.add(tensor_name="x", device=[0]))
        return changed(change)
    two, here = {"name": "c", "num_devices": 2}, {"configuration_id": "c"}
    def on_axis(**fields):
        def shard(spec):
            spec.sharded_dim.add(**fields).simple_sharding.add(num_shards=1, dim_value=2)
        return configured([two], [here], shard)
    yield "device.config.name", configured([{"num_devices": 1}])
    yield "device.config.name-unique", configured([two, two])
    yield "device.config.num-devices", configured([{"name": "c"}])
    yield "device.config.names-length", configured([{"name": "c", "num_devices": 2, "device": ["a"]}])
    yield "device.node.configuration-id", configured(on_node=[here])
    yield "device.shard.tensor-name", configured([two], [here], lambda s: setattr(s, "tensor_name", "q"))
    yield "device.shard.axis-present", on_axis()
    yield "device.shard.axis-range", on_axis(axis=5)
    yield "device.shard.num-shards", configured(
        [two], [here], lambda s: s.sharded_dim.add(axis=0).simple_sharding.add(dim_value=2))
    def map_twice(s):
        for _ in range(2):
            s.index_to_device_group_map.add(key=0).value.append(1)
    yield "device.shard.group-map-unique", configured([two], [here], map_twice)


@case(STRICTER, "metadata, other than the model's own, that gives a key twice")
def _():
    def twice(m):
        for _ in range(2):
            m.graph.node[0].metadata_props.add(key="org.x", value="b")
    yield "meta.any.unique-keys", changed(twice)


def external(*entries, data_type=1, dims=(2,), **fields):
    tensor = TensorProto(name="w", data_type=data_type, dims=dims, data_location=1, **fields)
    for key, value in entries:
        tensor.external_data.add(key=key, value=value)
    return tensor


@case(STRICTER, "external data whose offset, length or spelling is wrong, or that holds strings")
def _():
    pathlib.Path("folder").mkdir()
    for name in ("w", "a\\b"):
        pathlib.Path(name).write_bytes(bytes(8))
    def stored(location="w", *entries, **fields):
        tensor = external(("location", location), *entries, **fields)
        return changed(lambda m: m.graph.initializer.append(tensor))
    yield "ext.offset.integer", stored("w", ("offset", "-1"))
    yield "ext.offset.in-file", stored("w", ("offset", "9"))
    yield "ext.length.integer", stored("w", ("length", "x"))
    yield "ext.length.in-file", stored("w", ("offset", "4"), ("length", "8"))
    yield "ext.length.matches-shape", stored("w", ("length", "4"))
    yield "ext.location.posix", stored("a\\b")
    yield "ext.location.no-dotdot", stored("folder/../w")
    yield "ext.not-string", stored(data_type=8)
    inline = with_tensor(1, [1], raw_data=bytes(4))
    unknown_field(inline.graph.initializer[0], 14, 5)  # data_location; protobuf does not know the value
    yield "ext.location-enum", inline


@case(STRICTER, "operators that a program gave onnx with `onnx.defs.register_schema`")
def _():
    schema = defs.OpSchema("NornTest", "", 21, inputs=[defs.OpSchema.FormalParameter("x", "float")],
                           outputs=[defs.OpSchema.FormalParameter("y", "float")])
    defs.register_schema(schema)
    try:
        yield "op.declared", model("g (float[2] x) => (float[2] y) { y = NornTest (x) }")
    finally:
        defs.deregister_schema("NornTest", 21, "")


def saved(m, path):
    path.write_bytes(m.SerializeToString())
    return path


@pytest.mark.parametrize(("row", "function"), pairs(STRICTER))
def test_stricter(row, function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where onnx looks for the external data of a model that is not a file
    patterns, shown = TABLES[STRICTER][row], set()
    for rule, m in function():
        assert onnx_accepts(m) is True, rule
        found = errors(saved(m, tmp_path / "model.onnx"))
        assert rule in found, (rule, found)
        assert all(allowed(r, patterns) for r in found), (rule, found)
        shown.add(rule)
    assert {p for p in patterns if not p.endswith("*")} <= shown
    assert all(allowed(r, patterns) for r in shown)


@case(LAXER, "IR 1 files, whose attributes have no `type`")
def _():
    m = model("g (float[2] x) => (float[2] y) { y = LeakyRelu <alpha: float = 0.5> (x) }", ir=1, imports="")
    m.graph.node[0].attribute[0].ClearField("type")
    yield "Mismatched attribute type|Field 'type' of 'attr' is required", m


@case(LAXER, "a node's domain spelled `ai.onnx`, and a function's import spelled so")
def _():
    yield "No opset import for domain 'ai.onnx'", model("g (float[2] x) => (float[2] y) { y = ai.onnx.Relu (x) }")
    yield "No Opset registered for domain", calling('["": 21]', '["ai.onnx": 21]')


@case(LAXER, "a domain imported twice: the highest version counts, for onnx the last")
def _():
    clip = "g (float[2] x, float l) => (float[2] y) { y = Clip (x, l) }"
    yield "", model(clip, imports='"": 21, "": 6')


@case(LAXER, "main inputs and outputs without a shape: a warning (`graph.io.shape`)")
def _():
    yield "Field 'shape' of 'type' is required", model("g (float[] x) => (float[] y) { y = Relu (x) }")


@case(LAXER, "SimplifiedLayerNormalization in ONNX's own domain")
def _():
    yield ".*SimplifiedLayerNormalization", model("g (float[2] x) => (float[2] y) { y = SimplifiedLayerNormalization (x, x) }")


@case(LAXER, "several initializers of one name that are segments of one tensor, which they make up without overlap")
def _():
    def halves(m):
        for i in range(2):
            part = m.graph.initializer.add(name="w", data_type=1, dims=[2], float_data=[float(i)])
            part.segment.begin, part.segment.end = i, i + 1
    yield "", changed(halves)


@case(LAXER, "an empty tensor whose other dims multiply to more than 63 bits count")
def _():
    yield "", with_tensor(1, [2**40, 2**40, 0])


@case(LAXER, "external data of a model that is not a file: it is not looked for, by onnx in the current folder")
def _():
    m = changed(lambda m: m.graph.initializer.append(external(("location", "nothing"))))
    yield "Data of TensorProto", m


@case(LAXER, "external data in files of IR 1 to 3, whose readers do not know the fields")
def _():
    tensor = TensorProto(name="x", data_type=1, dims=[2], raw_data=bytes(8), data_location=1)
    yield "Data of TensorProto", changed(lambda m: m.graph.initializer.append(tensor), ir=3)


@case(LAXER, "a node by itself whose body reads values from around it")
def _():
    yield "Nodes in a graph must be topologically sorted", model(IF).graph.node[0]


@pytest.mark.parametrize(("row", "function"), pairs(LAXER))
def test_laxer(row, function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for start, m in function():
        if isinstance(m, onnx.NodeProto):
            with pytest.raises(checker.ValidationError, match=start):
                checker.check_node(m)
            assert norn.check_part("node", m, 14, [("", 21)]).ok
            continue
        said = onnx_accepts(m)
        assert said is not True
        assert re.match(start, said), said
        assert not errors(m)


def random_change(m, random):
    """Changes a field of some message within; what was done, in words."""
    messages = [m]
    for message in messages:
        for field, value in message.ListFields():
            if field.message_type:
                messages.extend(value if field.is_repeated else [value])
    message = random.choice(messages)
    set_fields = [field for field, _ in message.ListFields()]
    field = random.choice(set_fields if set_fields and random.random() < 0.7 else message.DESCRIPTOR.fields)
    value = getattr(message, field.name)
    what = f"{message.DESCRIPTOR.name}.{field.name}"
    if field.enum_type:
        new = random.choice(field.enum_type.values).number
    elif field.cpp_type == field.CPPTYPE_STRING:
        new = random.choice(["", "x", "new", "Relu", "ai.onnx", "c"])
        new = new.encode() if field.type == field.TYPE_BYTES else new
    else:
        new = random.choice([0, 1, 2, 3, 7, 14, 21, 77, -1])
        new = abs(new) if field.cpp_type in (field.CPPTYPE_UINT32, field.CPPTYPE_UINT64) else new
    if field.is_repeated and value and random.random() < 0.7:
        i = random.randrange(len(value))
        if random.random() < 0.5:
            del value[i]
            return what + " deleted"
        value.extend([value[i]])
        return what + " repeated"
    if field.message_type:
        (value.add if field.is_repeated else value.SetInParent)()
        return what + " added"
    if field.is_repeated:
        value.append(new)
    elif message.HasField(field.name) and random.random() < 0.4:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, new)
    return f"{what} {new!r}"


def test_everything_else_is_alike(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chosen = random.Random(1)
    stricter = [rule for rules in TABLES[STRICTER].values() for rule in rules]
    laxer = [start for function in CASES[LAXER].values() for start, _ in function() if start]
    sources = [model(), model(IF), model(LOOP), calling(), with_tensor(1, [2], float_data=[1.0, 2.0]),
               with_tensor(22, [3], raw_data=bytes(2)), model(LOOP, ir=8), model(IF, ir=3),
               model("g (seq(float[N]) x, int64 i) => (float[N] y) { y = SequenceAt (x, i) }")]
    sources = [(m, errors(m)) for m in sources]
    verdicts = {True: 0, False: 0}
    for _ in range(3000):
        source, before = chosen.choice(sources)
        assert not before
        m = onnx.ModelProto()
        m.CopyFrom(source)
        what = random_change(m, chosen)
        said, found = onnx_accepts(m), errors(m)
        verdicts[said is True] += 1
        if said is True:
            assert all(allowed(rule, stricter) for rule in found), (what, found)
        elif not found:
            assert any(re.match(start, said) for start in laxer), (what, said)
    assert min(verdicts.values()) > 500
