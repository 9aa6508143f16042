"""How parts of kernels are compiled: no further than their kernels need.

numba optimises every function and makes machine code of it, and then does the same again in each
function that it is linked into.  A part is only ever linked into kernels, so both are left to them,
which makes a cold start shorter.
"""

# numba's own types cover little of what is used here.
# pyright: basic

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numba
from numba._dynfunc import make_function
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

OPTIONS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
"""Options of all functions: no interpreter lock, for threads, and division as NumPy does it."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Stops before LLVM optimises a part and makes machine code of it."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        context = state.targetctx
        library = context.codegen().create_library(state.func_id.func_qualname)
        library.enable_object_caching()
        library._optimize_final_module = _do_nothing
        library._finalize_final_module = partial(setattr, library, "_finalized", True)
        state.library = library
        context.get_executable = _no_executable
        try:
            return super().run_pass(state)
        finally:
            del context.get_executable


def _do_nothing() -> None:
    pass


def _no_executable(library: Any, fndesc: Any, env: Any) -> Any:
    """What stands for a part's machine code: callers know the part by it."""
    return make_function(fndesc.lookup_module(), fndesc.qualname, "a part", 0, env, (library,))


_NOT_NEEDED: Final = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
"""Stages for what no part contains: inner functions, library calls to inline, array expressions."""


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (_PartLowering if stage is NativeLowering else stage, text)
            for stage, text in pipeline.passes
            if stage not in _NOT_NEEDED
        ]
        pipeline.finalize()
        return [pipeline]


class _Part(CPUDispatcher):
    """A function that only kernels call."""

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        name = self.py_func.__qualname__
        raise TypeError(f"{name} is part of kernels and cannot be called: use from_python({name})")


def compile_part(function: Callable[..., Any], **options: Any) -> Any:
    """A part from a function, with more options of numba's."""
    compiler: Any = numba.njit
    dispatcher = compiler(
        no_cpython_wrapper=True, pipeline_class=_PartCompiler, **options, **OPTIONS
    )(function)
    dispatcher.__class__ = _Part
    return dispatcher
