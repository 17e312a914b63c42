"""Attention as PyTorch has it, by cuDNN's kernel on a GPU where that serves, else by flash attention."""
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

KERNELS = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION,
           SDPBackend.MATH]


def attention(case):
    q, k, v = (case.random(*(case[name] for name in ("batch", "heads", "length", "width")))
               for _ in range(3))
    causal = case["mask"] == "causal"

    def run():
        with sdpa_kernel(KERNELS, set_priority=True):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return run


AUTOTUNE = False
OPERATIONS = {"attention": attention}
