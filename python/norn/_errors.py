"""The exceptions. Names follow ONNX Runtime's; each also is the built-in exception a Python programmer expects."""

from __future__ import annotations

import errno
import re


class Error(Exception):
    """What ended an operation: ``message``, ``where`` (a path through the model), ``hint`` (what would help).

    ``code`` is the name of the kind of error, "InvalidGraph" for instance; ``where`` and ``hint`` may be empty.
    """

    code: str = "Internal"

    def __init__(self, message: str, where: str = "", hint: str = "", code: str | None = None) -> None:
        text = message
        if where:
            text += f"\n  at: {where}"
        if hint:
            text += f"\n  help: {hint}"
        super().__init__(text)
        self.message = message
        self.where = where
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[Error], tuple[object, ...]]:
        return type(self), (self.message, self.where, self.hint, self.code)


class InvalidArgument(Error, ValueError):
    """An argument of a call, or a feed, does not fit."""

    code = "InvalidArgument"


class NoSuchFile(Error, FileNotFoundError):
    """There is no such file. ``errno`` is set as in Python's own, and ``filename`` where it is known."""

    code = "NoSuchFile"

    def __init__(self, message: str, where: str = "", hint: str = "", code: str | None = None) -> None:
        super().__init__(message, where, hint, code)
        self.errno = errno.ENOENT
        # The library's messages quote the file; one with quotes or escapes in its name is left out.
        if quoted := re.fullmatch(r'[^"]*"([^"\\]+)"[^"]*', message):
            self.filename = quoted[1]


class InvalidProtobuf(Error, ValueError):
    """No readable model, in whatever format; ``where`` has the byte offset or, in JSON and other texts, the line."""

    code = "InvalidProtobuf"


class InvalidGraph(Error, ValueError):
    """The model is readable, but it is not valid ONNX."""

    code = "InvalidGraph"


class NotImplemented(Error, NotImplementedError):
    """The model is valid ONNX that this build cannot run."""

    code = "NotImplemented"


class LimitExceeded(Error):
    """Reading the model would cost more than a bound of :class:`norn.Limits` allows."""

    code = "LimitExceeded"


class RuntimeException(Error, RuntimeError):
    """A value met while running is not allowed: an index out of range, say."""

    code = "RuntimeError"


class IoError(Error, OSError):
    """The operating system refused."""

    code = "Io"


class InternalError(Error):
    """A defect of Norn."""

    code = "Internal"


class Cancelled(Error, RuntimeError):
    """The run was ended before it was done: its :class:`norn.RunOptions` asked for it."""

    code = "Cancelled"


BY_CODE: dict[str, type[Error]] = {
    error.code: error
    for error in (
        InvalidArgument,
        NoSuchFile,
        InvalidProtobuf,
        InvalidGraph,
        NotImplemented,
        LimitExceeded,
        RuntimeException,
        IoError,
        InternalError,
        Cancelled,
    )
}

for _error in (Error, *BY_CODE.values()):
    _error.__module__ = "norn"  # where users find them
