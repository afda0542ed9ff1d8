"""What typical mistakes in counting parameters give, for exercise 8.1."""

from lib.checks import expect
from lib.config import TransformerConfig
from lib.model import Transformer, count_parameters

__all__ = ["miscounts", "model_count"]


def model_count(config: TransformerConfig) -> int:
    """Count the numbers of the model itself."""
    return count_parameters(Transformer(config))


def miscounts(config: TransformerConfig) -> expect.Slips:
    """What typical mistakes give, for a post-norm model that is not tied."""
    right = model_count(config)
    d, d_ff, n = config.d_model, config.d_ff, config.n_layers
    v = config.tgt_vocab_size
    attention = 4 * (d * d + d)
    return {
        "The decoder's layers have two attentions each: self-attention and "
        "cross-attention.": right - n * attention,
        "The biases of the attentions are missing: each of the four linear maps has "
        "one, of D numbers.": right - 12 * n * d,
        "The biases of the feed-forward "
        "blocks are missing: d_ff numbers and D numbers.": right - 2 * n * (d_ff + d),
        "All biases are missing: each linear map has one.": (
            right - 12 * n * d - 2 * n * (d_ff + d) - v
        ),
        "The norms are missing: 2 in an encoder layer, 3 in a decoder layer, with 2 D "
        "numbers each.": right - 10 * n * d,
        "A norm has two vectors, a scale and a shift: 2 D numbers.": right - 5 * n * d,
        "A decoder layer has three sublayers, so three norms.": right - 2 * n * d,
        "The bias of the output is missing: V numbers.": right - v,
        "The output map is missing: D × V numbers and a bias of V.": right - v * d - v,
        "The positions are no parameters: they are computed, not learned.": (
            right + config.max_len * d
        ),
        "The heads share the four matrices, so their number does not count.": (
            right + 3 * n * attention * (config.n_heads - 1)
        ),
        "The source embedding has one row for each token of the source's vocabulary, "
        "not of the target's.": expect.AnyOf(
            right + 2 * (v - config.src_vocab_size) * d,
            right + (v - config.src_vocab_size) * d,
        ),
    }
