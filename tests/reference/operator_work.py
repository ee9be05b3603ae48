#!/usr/bin/env python3
"""Floating-point operations and bytes of PyTorch operators from the shapes that a PyTorch trace holds.

usage: operator_work.py TRACE.json[.gz]     prints each operator and shape with its kernels' time, FLOP and bytes

An independent second reading of docs/profiles/operators.md: works on the JSON alone and shares no code with Sonde.
"""

import gzip
import json
import sys
from collections import defaultdict
from math import prod

SIZES = {"double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2, "long": 8, "long int": 8, "long long": 8, "int": 4,
         "short": 2, "short int": 2, "unsigned char": 1, "signed char": 1, "bool": 1, "c10::Float8_e4m3fn": 1,
         "c10::Float8_e5m2": 1, "c10::Float8_e4m3fnuz": 1, "c10::Float8_e5m2fnuz": 1, "c10::complex<float>": 8,
         "c10::complex<double>": 16}


class Inputs:
    """The inputs of one call of an operator."""

    def __init__(self, args):
        self.dims = args.get("Input Dims", args.get("Input dims"))
        self.types = args.get("Input type") or []
        self.values = args.get("Concrete Inputs") or []

    def shape(self, i):
        """The shape of a tensor; None where the input is something else or left out."""
        if i >= len(self.dims) or not all(isinstance(d, int) for d in self.dims[i]):
            return None
        if self.dims[i]:
            return self.dims[i]
        return [] if i < len(self.types) and self.types[i] in SIZES else None

    def size(self, i):
        return SIZES.get(self.types[i]) if i < len(self.types) else None

    def bytes(self, i):
        """0 for an input that is left out; None where it is a tensor of unknown type."""
        shape = self.shape(i)
        if shape is None:
            return 0
        return None if self.size(i) is None else prod(shape) * self.size(i)

    def value(self, i):
        text = self.values[i] if i < len(self.values) else ""
        if text in ("True", "False"):
            return text == "True"
        try:
            return json.loads(text.replace("True", "true").replace("False", "false"))
        except ValueError:
            return None

    def numbers(self, i, count):
        """A list of `count` numbers; one number counts for all."""
        found = self.value(i)
        if isinstance(found, int) and not isinstance(found, bool):
            found = [found]
        if not isinstance(found, list) or len(found) not in (1, count):
            return None
        return found * count if len(found) == 1 else found


def total(*parts):
    return None if any(p is None for p in parts) else sum(parts)


# Products of matrices


def product_2d(x, a, b, batch, bias=None, out_size=None):
    p, q = x.shape(a), x.shape(b)
    rank = 3 if batch else 2
    if p is None or q is None or len(p) != rank or len(q) != rank or p[-1] != q[-2]:
        return None, None
    b_ = p[0] if batch else 1
    m, k, n = p[-2], p[-1], q[-1]
    out_size = out_size or x.size(a)
    out = None if out_size is None else b_ * m * n * out_size
    return 2 * b_ * m * n * k, total(x.bytes(a), x.bytes(b), out, 0 if bias is None else x.bytes(bias))


def vector_product(x, a, b, bias=None):
    p, q = x.shape(a), x.shape(b)
    if p is None or q is None or len(p) != 2 or len(q) != 1 or p[1] != q[0]:
        return None, None
    size = x.size(a)
    return 2 * p[0] * p[1], total(x.bytes(a), x.bytes(b), size and p[0] * size, 0 if bias is None else x.bytes(bias))


def linear(x):
    p, w = x.shape(0), x.shape(1)
    if p is None or w is None or len(w) != 2 or not p or p[-1] != w[1]:
        return None, None
    rows, size = prod(p[:-1]), x.size(0)
    return 2 * rows * w[0] * w[1], total(x.bytes(0), x.bytes(1), x.bytes(2), size and rows * w[0] * size)


def scaled_mm(x):
    scalar_types = {5: 2, 6: 4, 7: 8, 15: 2, 23: 1, 24: 1}
    kind = x.value(6)
    return product_2d(x, 0, 1, False, 4, scalar_types.get(kind) if kind is not None else x.size(0))


# Convolutions


def out_size(x, window, at, stride, padding, dilation):
    n = len(window)
    s, p, d = x.numbers(stride, n), x.numbers(padding, n), [1] * n if dilation is None else x.numbers(dilation, n)
    if s is None or p is None or d is None:
        return None
    return [(i + 2 * pp - dd * (k - 1) - 1) // ss + 1 for i, k, ss, pp, dd in zip(at, window, s, p, d)]


def transposed_size(x, window, at, stride, padding, output_padding, dilation):
    n = len(window)
    s, p, o, d = (x.numbers(i, n) for i in (stride, padding, output_padding, dilation))
    if s is None or p is None or o is None or d is None:
        return None
    return [(i - 1) * ss - 2 * pp + dd * (k - 1) + oo + 1 for i, k, ss, pp, oo, dd in zip(at, window, s, p, o, d)]


def images(x, i):
    shape = x.shape(i)
    return shape if shape is not None and 3 <= len(shape) <= 5 else None


def convolution(x, stride, padding, dilation, bias=2, more=0):
    at, w = images(x, 0), images(x, 1)
    if at is None or w is None or len(at) != len(w):
        return None, None
    out = out_size(x, w[2:], at[2:], stride, padding, dilation)
    if out is None:
        return None, None
    result = at[0] * w[0] * prod(out)
    size = x.size(0)
    return 2 * result * prod(w[1:]), total(x.bytes(0), x.bytes(1), size and result * size,
                                           0 if bias is None else x.bytes(bias), more)


def transposed(x, stride, padding, output_padding, dilation, groups, bias=2):
    at, w = images(x, 0), images(x, 1)
    if at is None or w is None or len(at) != len(w):
        return None, None
    out = transposed_size(x, w[2:], at[2:], stride, padding, output_padding, dilation)
    g, size = x.value(groups), x.size(0)
    flop = 2 * at[0] * prod(at[2:]) * prod(w)
    if out is None or not isinstance(g, int) or size is None:
        return flop, None
    return flop, total(x.bytes(0), x.bytes(1), at[0] * w[1] * g * prod(out) * size,
                       0 if bias is None else x.bytes(bias))


def any_convolution(x):
    flag = x.value(6)
    if flag is None:
        return None, None
    return transposed(x, 3, 4, 7, 5, 8) if flag else convolution(x, 3, 4, 5)


def convolution_backward(x):
    mask = x.value(10)
    return backward(x, 0, 1, 2, mask, x.value(7)) if isinstance(mask, list) else (None, None)


def backward(x, grad, at, weight, mask, is_transposed):
    g, i, w = images(x, grad), images(x, at), images(x, weight)
    if g is None or i is None or w is None or is_transposed is None:
        return None, None
    once = 2 * i[0] * prod(i[2:]) * prod(w) if is_transposed else 2 * g[0] * prod(g[2:]) * prod(w)
    mask = (mask + [False, False, False])[:3]
    gb, ib, wb = x.bytes(grad), x.bytes(at), x.bytes(weight)
    if None in (gb, ib, wb):
        moved = None
    else:
        moved = gb + (wb + ib if mask[0] else 0) + (ib + wb if mask[1] else 0)
        moved += g[1] * x.size(grad) if mask[2] else 0
    return once * (mask[0] + mask[1]), moved


# Attention


def attention(x, q, k, v, heads_first, causal, bias=None, passes=(1, 1), others=(), results=("q",)):
    """passes: products of the length of q's heads, and of v's; others: tensors read besides; results: written."""
    a, b, c = x.shape(q), x.shape(k), x.shape(v)
    if a is None or b is None or c is None or not len(a) == len(b) == len(c) == 4:
        return None, None
    s, h = (2, 1) if heads_first else (1, 2)
    mask = causal(x)
    pairs = None if mask is None else a[0] * a[h] * a[s] * b[s]
    flop = None if pairs is None else 2 * pairs * (passes[0] * a[3] + passes[1] * c[3]) // (2 if mask else 1)
    size = x.size(q)
    written = {"q": prod(a), "k": prod(b), "v": prod(c), "out": prod(a[:3]) * c[3]}
    moved = total(*(x.bytes(i) for i in (q, k, v, *others)), 0 if bias is None else x.bytes(bias),
                  None if size is None else size * sum(written[r] for r in results))
    return flop, moved


def flag(i):
    return lambda x: x.value(i) if isinstance(x.value(i), bool) else None


def mask_type(i):
    def found(x):
        value = x.value(i)
        return value != 0 if isinstance(value, int) and not isinstance(value, bool) else None
    return found


def whole_sequences(index, model):
    """Packed sequences of different lengths: their lengths are not in the shapes."""
    def work(x):
        flop, moved = model(x)
        return (None if x.shape(index) is not None else flop), moved
    return work


def forward_attention(heads_first, causal, bias=None):
    return lambda x: attention(x, 0, 1, 2, heads_first, causal, bias, results=("out",))


def backward_attention(heads_first, causal, out, bias=None):
    return lambda x: attention(x, 1, 2, 3, heads_first, causal, bias, (3, 2), (0, out), ("q", "k", "v"))


# Norms: each tensor once


def norm(x, at=0, weights=(), copies=2):
    size, shape = x.bytes(at), x.shape(at)
    return None, None if shape is None else total(None if size is None else copies * size,
                                                  *(x.bytes(w) for w in weights))


def norm_backward(x, grad, at, weights, mask=None):
    """Reads both and the weight, not the bias; writes the gradients that are asked for."""
    wanted = [True, True, True] if mask is None else x.value(mask)
    parts = [x.bytes(grad), x.bytes(at), x.bytes(weights[0])]
    if x.shape(grad) is None or x.shape(at) is None or not isinstance(wanted, list) or None in parts:
        return None, None
    moved = sum(parts) + (parts[1] if wanted[0] else 0)
    for w, asked in zip(weights[:2], wanted[1:]):
        moved += x.bytes(w) if asked else 0
    return None, moved


# Elementwise operators and reductions


def broadcast(shapes):
    rank = max(map(len, shapes))
    result = [1] * rank
    for s in shapes:
        for i, d in enumerate(reversed(s)):
            if d != 1:
                if result[-1 - i] not in (1, d):
                    return None
                result[-1 - i] = d
    return result


def elementwise(inputs, arguments, result=None):
    """Tensors among the first `inputs`; an output that was passed in comes behind `arguments` inputs."""
    def work(x):
        tensors = [i for i in range(min(inputs, len(x.dims))) if x.shape(i) is not None]
        if not tensors:
            return None, None
        size = result
        if size is None:
            dimensioned = [i for i in tensors if x.shape(i)] or tensors
            sizes = [x.size(i) for i in dimensioned]
            size = None if None in sizes else max(sizes)
        if x.shape(arguments) is not None and len(x.dims) > arguments:
            size = x.size(arguments)
        shape = broadcast([x.shape(i) for i in tensors])
        if shape is None or size is None:
            return None, None
        return None, total(*(x.bytes(i) for i in tensors), prod(shape) * size)
    return work


def in_place(inputs):
    def work(x):
        if x.shape(0) is None:
            return None, None
        return None, total(*(x.bytes(i) for i in range(min(inputs, len(x.dims)))), x.bytes(0))
    return work


def copy(x):
    return None, (None if x.shape(0) is None or x.shape(1) is None else total(x.bytes(0), x.bytes(1)))


def fill(x):
    return None, None if x.shape(0) is None else x.bytes(0)


def reduction(dims_at, result=None, keep=2):
    def work(x):
        shape = x.shape(0)
        if shape is None or x.size(0) is None:
            return None, None
        left = shape
        if dims_at is None or len(x.dims) == 1:
            left = []
        else:
            dims = x.value(dims_at)
            dims = [dims] if isinstance(dims, int) and not isinstance(dims, bool) else dims
            if not isinstance(dims, list):
                return None, None
            gone = {d % len(shape) for d in dims} if dims and shape else set(range(len(shape)))
            left = [d for i, d in enumerate(shape) if i not in gone]
        return None, prod(shape) * x.size(0) + prod(left) * (x.size(0) if result is None else result)
    return work


NCHW, NHWC = True, False
OPERATORS = {
    "mm": lambda x: product_2d(x, 0, 1, False), "bmm": lambda x: product_2d(x, 0, 1, True),
    "addmm": lambda x: product_2d(x, 1, 2, False, 0), "baddbmm": lambda x: product_2d(x, 1, 2, True, 0),
    "addmm_": lambda x: product_2d(x, 1, 2, False, 0), "baddbmm_": lambda x: product_2d(x, 1, 2, True, 0),
    "_addmm_activation": lambda x: product_2d(x, 1, 2, False, 0),
    "mv": lambda x: vector_product(x, 0, 1), "addmv": lambda x: vector_product(x, 1, 2, 0),
    "addmv_": lambda x: vector_product(x, 1, 2, 0),
    "linear": linear, "_scaled_mm": scaled_mm, "_int_mm": lambda x: product_2d(x, 0, 1, False, None, 4),
    "convolution": any_convolution, "_convolution": any_convolution,
    "cudnn_convolution": lambda x: convolution(x, 3, 2, 4, None),
    "miopen_convolution": lambda x: convolution(x, 4, 3, 5), "miopen_depthwise_convolution": lambda x: convolution(x, 4, 3, 5),
    "cudnn_convolution_relu": lambda x: convolution(x, 3, 4, 5),
    "cudnn_convolution_add_relu": lambda x: convolution(x, 5, 6, 7, 4, x.bytes(2)),
    "_conv_depthwise2d": lambda x: convolution(x, 4, 5, 6, 3), "conv_depthwise3d": lambda x: convolution(x, 4, 5, 6, 3),
    "_slow_conv2d_forward": lambda x: convolution(x, 4, 5, None, 3),
    "slow_conv_dilated2d": lambda x: convolution(x, 4, 5, 6, 3), "slow_conv_dilated3d": lambda x: convolution(x, 4, 5, 6, 3),
    "cudnn_convolution_transpose": lambda x: transposed(x, 4, 2, 3, 5, 6, None),
    "miopen_convolution_transpose": lambda x: transposed(x, 5, 3, 4, 6, 7),
    "convolution_backward": convolution_backward,
    "_flash_attention_forward": whole_sequences(3, forward_attention(NHWC, flag(8))),
    "_flash_attention_backward": whole_sequences(6, backward_attention(NHWC, flag(11), 4)),
    "_efficient_attention_forward": whole_sequences(4, forward_attention(NHWC, mask_type(9), 3)),
    "_efficient_attention_backward": whole_sequences(6, backward_attention(NHWC, mask_type(14), 5, 4)),
    "_cudnn_attention_forward": whole_sequences(4, forward_attention(NCHW, flag(10), 3)),
    "_cudnn_attention_backward": whole_sequences(9, backward_attention(NCHW, flag(14), 4, 8)),
    "scaled_dot_product_attention": forward_attention(NCHW, flag(5), 3),
    "_scaled_dot_product_flash_attention": forward_attention(NCHW, flag(4)),
    "_scaled_dot_product_flash_attention_backward": whole_sequences(6, backward_attention(NCHW, flag(11), 4)),
    "_scaled_dot_product_efficient_attention": forward_attention(NCHW, flag(6), 3),
    "_scaled_dot_product_efficient_attention_backward": backward_attention(NCHW, flag(11), 5, 4),
    "_scaled_dot_product_cudnn_attention": forward_attention(NCHW, flag(6), 3),
    "_scaled_dot_product_cudnn_attention_backward": whole_sequences(9, backward_attention(NCHW, flag(14), 4, 8)),
    "native_layer_norm": lambda x: norm(x, 0, (2, 3)), "_fused_rms_norm": lambda x: norm(x, 0, (2,)),
    "native_group_norm": lambda x: norm(x, 0, (1, 2)),
    "native_batch_norm": lambda x: norm(x, 0, (1, 2)), "cudnn_batch_norm": lambda x: norm(x, 0, (1, 2)),
    "miopen_batch_norm": lambda x: norm(x, 0, (1, 2)),
    "native_layer_norm_backward": lambda x: norm_backward(x, 0, 1, (5, 6), 7),
    "_fused_rms_norm_backward": lambda x: norm_backward(x, 0, 1, (4,), 5),
    "native_group_norm_backward": lambda x: norm_backward(x, 0, 1, (4,), 9),
    "native_batch_norm_backward": lambda x: norm_backward(x, 0, 1, (2,), 9),
    "cudnn_batch_norm_backward": lambda x: norm_backward(x, 1, 0, (2,)),
    "miopen_batch_norm_backward": lambda x: norm_backward(x, 1, 0, (2,)),
    "copy_": copy, "fill_": fill, "zero_": fill,
}
for names, inputs, arguments, result in (
        ("abs neg exp log sqrt rsqrt reciprocal sin cos tanh sigmoid relu silu erf ceil floor round sign pow_ bitwise_not", 1,
         1, None),
        ("gelu hardtanh clamp clamp_min clamp_max leaky_relu _softmax _log_softmax elu softplus hardswish", 1, None, None),
        ("mul div pow maximum minimum atan2 remainder floor_divide fmod", 2, 2, None), ("add sub rsub", 2, 3, None),
        ("eq ne lt le gt ge logical_and logical_or isnan logical_not", 2, 2, 1),
        ("gelu_backward threshold_backward sigmoid_backward tanh_backward silu_backward hardtanh_backward", 2, None, None),
        ("_softmax_backward_data _log_softmax_backward_data", 2, None, None), ("where addcmul addcdiv lerp masked_fill", 3, None, None)):
    for name in names.split():
        OPERATORS[name] = elementwise(inputs, 99 if arguments is None else arguments, result)
for names, inputs in (("add_ sub_ mul_ div_", 2), ("relu_ clamp_ clamp_min_ neg_ exp_ sqrt_ tanh_ sigmoid_ silu_ threshold_", 1),
                      ("addcmul_ addcdiv_ lerp_ masked_fill_", 3)):
    for name in names.split():
        OPERATORS[name] = in_place(inputs)
for name in "sum mean amax amin".split():
    OPERATORS[name] = reduction(1)
for name in "argmax argmin".split():
    OPERATORS[name] = reduction(1, 8)


def old_backward(name, parent):
    """cuDNN's two halves of PyTorch 1.5 to 1.10 lack the sizes that the operator around them has."""
    if parent is None or parent["name"] != "aten::cudnn_convolution_backward":
        return None, None
    mask = {"cudnn_convolution_backward_input": [True, False], "cudnn_convolution_backward_weight": [False, True]}[name]
    return backward(Inputs(parent["args"]), 1, 0, 2, mask, False)


def forward_by_gradient(x, backward):
    """A forward convolution without strides: its result has the shape of the gradient that its backward one receives."""
    gradient = images(Inputs(backward["args"]), 1 if backward["name"].endswith("cudnn_convolution_backward") else 0)
    at, w = images(x, 0), images(x, 1)
    if gradient is None or at is None or w is None or not len(gradient) == len(at) == len(w):
        return None, None
    if gradient[0] != at[0] or gradient[1] != w[0]:
        return None, None
    size = x.size(0)
    return 2 * prod(gradient) * prod(w[1:]), total(x.bytes(0), x.bytes(1), size and prod(gradient) * size)


def work_of(event, parent, backward=None):
    """FLOP and bytes of a call; None where they are not known."""
    name = event["name"].removeprefix("aten::")
    if not event["name"].startswith("aten::"):
        return None, None
    if name in ("cudnn_convolution_backward_input", "cudnn_convolution_backward_weight"):
        return old_backward(name, parent)
    flop, moved = OPERATORS[name](Inputs(event["args"])) if name in OPERATORS else (None, None)
    if name == "cudnn_convolution" and flop is None and backward is not None:
        return forward_by_gradient(Inputs(event["args"]), backward)
    return flop, moved


# Which operator launched a kernel


def load(path):
    data = open(path, "rb").read()
    document = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    return document, document if isinstance(document, list) else document["traceEvents"]


def has_shapes(event):
    args = event.get("args", {})
    return "Input Dims" in args or "Input dims" in args


def exact_ns(microseconds):
    return round(float(microseconds) * 1000) if isinstance(microseconds, str) else round(microseconds * 1000)


def owners(events):
    """The operators around each launching call, by correlation; and for each operator the one around it."""
    threads = defaultdict(list)
    for e in events:
        cat = str(e.get("cat", ""))
        if e.get("ph") != "X":
            continue
        start, end = exact_ns(e["ts"]), exact_ns(e["ts"]) + exact_ns(e["dur"])
        if cat in ("cpu_op", "Operator"):
            threads[e["pid"], e["tid"]].append((start, -end, 0, e))
        elif cat in ("cuda_runtime", "cuda_driver", "Runtime") and "correlation" in e.get("args", {}):
            threads[e["pid"], e["tid"]].append((start, -end, 1, e))
    around, parents = {}, {}
    for rows in threads.values():
        open_ = []
        for start, negative_end, is_call, e in sorted(rows, key=lambda r: r[:3]):
            while open_ and (open_[-1][0] < start or (open_[-1][0] == start and open_[-1][1] < start)):
                open_.pop()
            holder = next((o[2] for o in reversed(open_) if o[0] >= -negative_end), None)
            if is_call:
                around[e["args"]["correlation"]] = holder
            else:
                parents[id(e)] = holder
                open_.append((-negative_end, start, e))
    return around, parents


def backward_convolutions(events, parents):
    """The backward convolution of each forward one, by autograd's sequence number."""
    forward = {}
    for e in events:
        args = e.get("args", {})
        if e.get("name") == "aten::cudnn_convolution" and args.get("Sequence number", -1) >= 0 and not args.get("Fwd thread id"):
            forward[e["pid"], args["Sequence number"]] = e
    found = {}
    for e in events:
        if e.get("name") not in ("aten::cudnn_convolution_backward", "aten::convolution_backward") or not has_shapes(e):
            continue
        node = e
        while node is not None and not node["args"].get("Fwd thread id"):
            node = parents[id(node)]
        if node is not None and (node["pid"], node["args"].get("Sequence number")) in forward:
            found.setdefault(id(forward[node["pid"], node["args"]["Sequence number"]]), e)
    return found


def calls_with_kernels(events):
    """(operator, operator around it, time of its kernels in ns, kernels, backward operator) of each call with kernels."""
    around, parents = owners(events)
    backward = backward_convolutions(events, parents)
    found = {}
    for k in events:
        if k.get("ph") != "X" or k.get("cat") not in ("kernel", "Kernel"):
            continue
        o = around.get(k.get("args", {}).get("correlation"))
        while o is not None and not has_shapes(o):
            o = parents[id(o)]
        if o is None:
            continue
        entry = found.setdefault(id(o), [o, parents[id(o)], 0, [], backward.get(id(o))])
        entry[2] += exact_ns(k["dur"])
        entry[3].append(k)
    return list(found.values())


def written(parts, says=bool):
    """The parts of a list that say something, as the program prints them."""
    texts = [p if isinstance(p, str) else json.dumps(p, separators=(",", ":")) for p in parts or [] if p and says(p)]
    return "; ".join(texts)


def label(event):
    """Operator, shapes, types and other inputs of a call as the program prints them."""
    args = event["args"]
    own = event["name"].startswith("aten::")
    return (event["name"], written(args.get("Input Dims", args.get("Input dims"))),
            written(args.get("Input type"), lambda t: t not in ("Scalar", "ScalarList", "GenericList")) if own else "",
            written(args.get("Concrete Inputs")) if own else "")


class Sum:
    """Calls of one label: time of the kernels in ns, and work where it is known of all of them."""

    def __init__(self):
        self.time = self.calls = self.kernels = self.flop = self.bytes = 0

    def add(self, time, kernels, flop, moved):
        self.time += time
        self.calls += 1
        self.kernels += len(kernels)
        self.flop = total(self.flop, flop)
        self.bytes = total(self.bytes, moved)


def by_label(events):
    sums = defaultdict(Sum)
    for operator, parent, time, kernels, backward in calls_with_kernels(events):
        sums[label(operator)].add(time, kernels, *work_of(operator, parent, backward))
    return sums


def main(path):
    sums = by_label(load(path)[1])
    for (name, shapes, _, others), s in sorted(sums.items(), key=lambda item: -item[1].time):
        flop = "-" if s.flop is None or not s.time else f"{s.flop / s.time / 1e3:.2f}"
        moved = "-" if s.bytes is None or not s.time else f"{s.bytes / s.time / 1e3:.3f}"
        print(f"{s.time / 1e6:9.3f} ms {s.calls:5} {flop:>8} TFLOP/s {moved:>7} TB/s  {name} {shapes[:90]} {others[:60]}")


if __name__ == "__main__":
    main(sys.argv[1])
