"""Bit tricks on card sets.  LLVM has an instruction sequence for each on every processor."""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import config, extending, types

from belote_env.engine.jit import kernel

_intrinsic: Any = extending.intrinsic
_config: Any = config


@_intrinsic
def popcount(typingctx: Any, board: Any) -> Any:
    """Number of cards in a set (int64)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@_intrinsic
def lowest_bit(typingctx: Any, board: Any) -> Any:
    """Index of the lowest set bit of a set (int64); 64 for the empty set."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), codegen


@_intrinsic
def _deposit(typingctx: Any, bits: Any, board: Any) -> Any:
    """Move the low bits of ``bits`` to the places of the set bits of ``board`` (x86 pdep)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        return builder.call(
            builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=kind), args
        )

    return types.int64(types.int64, types.int64), codegen


def _item_pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [index])


@_intrinsic
def load_word(typingctx: Any, array: Any, index: Any) -> Any:
    """Eight bytes of a contiguous array of bytes from ``index`` on, as one word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _item_pointer(context, builder, array, *args)
        return builder.load(builder.bitcast(pointer, ir.IntType(64).as_pointer()), align=1)

    return types.int64(array, types.int64), codegen


def _flag_writer(size: int) -> Any:
    """An intrinsic that writes the low ``size`` bits of a word as bytes 0 and 1, all at once.

    The processor spreads them over a vector register, or over more than one.
    """

    def write_flags(typingctx: Any, array: Any, index: Any, bits: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            flags = builder.bitcast(
                builder.trunc(args[2], ir.IntType(size)), ir.VectorType(ir.IntType(1), size)
            )
            flags = builder.zext(flags, ir.VectorType(ir.IntType(8), size))
            pointer = _item_pointer(context, builder, signature.args[0], *args[:2])
            builder.store(flags, builder.bitcast(pointer, flags.type.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64), codegen

    return _intrinsic(write_flags)


write_32_flags = _flag_writer(32)
"""``write_32_flags(array, index, bits)``: bits 0-31 as bytes, from item ``index`` on."""
write_16_flags = _flag_writer(16)
"""The same of bits 0-15."""
write_8_flags = _flag_writer(8)
"""The same of bits 0-7."""

_NTH_IN_BYTE = np.zeros((256, 8), np.int64)
for _byte in range(256):
    for _n, _bit in enumerate([b for b in range(8) if _byte >> b & 1]):
        _NTH_IN_BYTE[_byte, _n] = _bit

_ONES = 0x01010101
_HIGHS = 0x80808080


@kernel
def nth_bit_by_table(board: int, n: int) -> int:
    """`nth_bit` for any processor.

    A set inside one byte is looked up at once.  Otherwise the bits of the four bytes are counted
    side by side and the byte with the one asked for found by comparing all four running sums.
    """
    first = lowest_bit(board) & 24
    byte = board >> first
    if byte < 256:
        return first + _NTH_IN_BYTE[byte, n]
    counts = board - ((board >> 1) & 0x55555555)
    counts = (counts & 0x33333333) + ((counts >> 2) & 0x33333333)
    sums = (((counts + (counts >> 4)) & 0x0F0F0F0F) * _ONES) & 0xFFFFFFFF
    passed = ((n * _ONES | _HIGHS) - sums) & _HIGHS
    shift = popcount(passed) << 3
    rest = n - (((sums << 8) >> shift) & 0xFF)
    return shift + _NTH_IN_BYTE[(board >> shift) & 0xFF, rest]


@kernel
def nth_bit_by_pdep(board: int, n: int) -> int:
    """`nth_bit` for x86 processors with BMI2: random play is a quarter faster with it."""
    return lowest_bit(_deposit(1 << n, board))


_features: Any = binding.get_host_cpu_features()
HAS_PDEP = _config.CPU_NAME is None and bool(_features.get("bmi2"))

nth_bit = nth_bit_by_pdep if HAS_PDEP else nth_bit_by_table
"""Index of the set bit of a 32-bit set with ``n`` set bits below it (``n`` < popcount)."""
