"""``inspect.signature`` of the extension module's functions: nanobind keeps signatures in a form of its own."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any


def signature_of(function: Any) -> inspect.Signature:
    """The signature of one of nanobind's functions or methods; of a bound method, without ``self``."""
    text, _, defaults = function.__nb_signature__[0]
    text = re.sub(r"\\=?(\d+)", r"__default_\1", text.replace("norn._norn.", ""))
    declared = ast.parse(f"{text}: ...").body[0]
    assert isinstance(declared, ast.FunctionDef)

    def parameter(argument: ast.arg, kind: Any, default: ast.expr | None) -> inspect.Parameter:
        value = inspect.Parameter.empty
        if isinstance(default, ast.Name):
            value = defaults[int(default.id.removeprefix("__default_"))]
        annotation = inspect.Parameter.empty if argument.annotation is None else ast.unparse(argument.annotation)
        return inspect.Parameter(argument.arg, kind, default=value, annotation=annotation)

    positional = [(a, inspect.Parameter.POSITIONAL_ONLY) for a in declared.args.posonlyargs]
    positional += [(a, inspect.Parameter.POSITIONAL_OR_KEYWORD) for a in declared.args.args]
    without = [None] * (len(positional) - len(declared.args.defaults))
    parameters = [parameter(a, kind, d) for (a, kind), d in zip(positional, without + declared.args.defaults)]
    for argument, default in zip(declared.args.kwonlyargs, declared.args.kw_defaults):
        parameters.append(parameter(argument, inspect.Parameter.KEYWORD_ONLY, default))
    if getattr(function, "__self__", None) is not None:
        parameters = parameters[1:]
    returns = inspect.Signature.empty if declared.returns is None else ast.unparse(declared.returns)
    return inspect.Signature(parameters, return_annotation=returns)
