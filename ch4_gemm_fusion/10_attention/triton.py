"""Attention in Triton: a program keeps 128 queries and walks along the keys; the width is a power of 2."""
import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.nn.attention.bias import causal_lower_right

CONFIGS = [triton.Config({"KEYS": keys}, num_stages=stages, num_warps=warps)
           for keys in (64, 128) for stages in (2, 3) for warps in (4, 8)]


@triton.autotune(CONFIGS, key=["queries", "length", "WIDTH", "CAUSAL"])
@triton.jit
def attend(q, k, v, z, scale, queries, length, group, WIDTH: tl.constexpr, CAUSAL: tl.constexpr,
           QUERIES: tl.constexpr, KEYS: tl.constexpr):
    own = tl.program_id(1).to(tl.int64) * queries * WIDTH
    head = (tl.program_id(1) // group).to(tl.int64) * length * WIDTH
    wide = tl.arange(0, WIDTH)
    query = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    of_queries = own + query[:, None] * WIDTH + wide[None, :]
    left = tl.load(q + of_queries, query[:, None] < queries, other=0)
    before = length - queries  # the first query sees so many keys and one more
    largest = tl.full([QUERIES], float("-inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    result = tl.zeros([QUERIES, WIDTH], tl.float32)
    end = tl.minimum(before + (tl.program_id(0) + 1) * QUERIES, length) if CAUSAL else length
    for first in range(0, end, KEYS):
        key = first + tl.arange(0, KEYS)
        there = key < length
        keys = tl.load(k + head + key[None, :] * WIDTH + wide[:, None], there[None, :], other=0)
        seen = there[None, :] & (key[None, :] <= before + query[:, None]) if CAUSAL else there[None, :]
        scores = tl.where(seen, tl.dot(left, keys, input_precision="ieee") * scale, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        values = tl.load(v + head + key[:, None] * WIDTH + wide[None, :], there[:, None], other=0)
        result = tl.dot(weights.to(v.dtype.element_ty), values, result * shrink[:, None],
                        input_precision="ieee")
        total = total * shrink + tl.sum(weights, 1)
        largest = larger
    tl.store(z + of_queries, (result / total[:, None]).to(z.dtype.element_ty), query[:, None] < queries)


def attention(case):
    length, width, causal = case["length"], case["width"], case["mask"] == "causal"
    batch, heads = case["batch"], case["heads"]
    queries, kv_heads = case.axes.get("queries", length), case.axes.get("kv_heads", heads)
    if width & (width - 1):
        raise ValueError("Triton's tiles have powers of two")
    q = case.random(batch, heads, queries, width)
    k, v = (case.random(batch, kv_heads, length, width) for _ in range(2))
    z = torch.empty_like(q)
    scale = 1.4426950408889634 / width**0.5  # of scores in powers of 2

    def run():
        grid = (triton.cdiv(queries, 128), batch * heads)
        attend[grid](q, k, v, z, scale, queries, length, heads // kv_heads, WIDTH=width, CAUSAL=causal,
                     QUERIES=128)
        return z

    def expected():
        mask = causal_lower_right(queries, length) if causal and queries != length else None
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal and mask is None,
                                              enable_gqa=kv_heads != heads)
    return run, expected


OPERATIONS = {"attention": attention}
