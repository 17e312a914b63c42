"""Attention as PyTorch has it, by cuDNN's kernel on a GPU where that serves, else by flash attention."""
import torch.nn.functional as F


def attention(case):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    kernels = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION,
               SDPBackend.MATH]
    shape = [case[name] for name in ("batch", "heads", "length", "width")]
    q, k, v = (case.random(*shape) for _ in range(3))
    causal = case["mask"] == "causal"

    def run():
        with sdpa_kernel(kernels, set_priority=True):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return run


AUTOTUNE = False
OPERATIONS = {"attention": attention}
