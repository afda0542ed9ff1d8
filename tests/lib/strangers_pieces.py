"""Pieces of Transformers in other people's manners, all right."""

# mypy: ignore-errors
from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

PAD_IDX = 0


class MultiHeadedAttention(nn.Module):  # four maps of one list, as after 2018
    def __init__(self, h, d_model, dropout=0.1):
        super().__init__()
        self.d_k, self.h = d_model // h, h
        self.linears = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        n = query.size(0)
        if mask is not None:
            mask = mask.unsqueeze(1)
        query, key, value = (
            lin(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value), strict=False)
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        x = self.dropout(scores.softmax(dim=-1)) @ value
        x = x.transpose(1, 2).contiguous().view(n, -1, self.h * self.d_k)
        return self.linears[-1](x)


class CausalSelfAttention(nn.Module):  # one fused map, a config, a built-in mask
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.n_head, self.n_embd = config.n_head, config.n_embd
        mask = torch.tril(torch.ones(config.block_size, config.block_size))
        self.register_buffer("bias", mask[None, None])

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q, k, v = (
            y.view(b, t, self.n_head, c // self.n_head).transpose(1, 2)
            for y in (q, k, v)
        )
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))


class MHA(nn.Module):  # after Keras: 1 hides, added
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads, self.depth = num_heads, d_model // num_heads
        self.wq, self.wk, self.wv, self.dense = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def split(self, x):
        return x.reshape(len(x), -1, self.num_heads, self.depth).permute(0, 2, 1, 3)

    def forward(self, v, k, q, mask=None):
        q, k, v = self.split(self.wq(q)), self.split(self.wk(k)), self.split(self.wv(v))
        logits = q @ k.mT / self.depth**0.5
        if mask is not None:
            logits = logits + mask * -1e9
        out = (logits.softmax(-1) @ v).permute(0, 2, 1, 3)
        return self.dense(out.reshape(len(out), out.size(1), -1))


class DotProductAttention(nn.Module):  # lengths for a mask
    def forward(self, queries, keys, values, valid_lens=None):
        scores = queries @ keys.transpose(1, 2) / math.sqrt(queries.shape[-1])
        if valid_lens is not None:
            places = torch.arange(keys.size(1))[None, None]
            scores = scores.masked_fill(places >= valid_lens[:, None, None], -1e6)
        return scores.softmax(-1) @ values


class EinsumAttention(nn.Module):  # raw parameters of three dimensions
    def __init__(self, dim, n_heads):
        super().__init__()
        d = dim // n_heads
        self.n_heads = n_heads
        self.w_q, self.w_k, self.w_v = (
            nn.Parameter(torch.randn(n_heads, dim, d) / dim**0.5) for _ in range(3)
        )
        self.w_o = nn.Parameter(torch.randn(n_heads, d, dim) / dim**0.5)

    def forward(self, x, mask=None):
        q, k, v = (
            torch.einsum("btd,hdk->bhtk", x, w) for w in (self.w_q, self.w_k, self.w_v)
        )
        s = torch.einsum("bhtk,bhsk->bhts", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            s = s + mask
        return torch.einsum("bhts,bhsk,hkd->btd", s.softmax(-1), v, self.w_o)


class CrossAttention(nn.Module):  # keys and values of one map
    def __init__(self, query_dim, heads, dim_head):
        super().__init__()
        self.heads, self.scale = heads, dim_head**-0.5
        self.to_q = nn.Linear(query_dim, heads * dim_head, bias=False)
        self.to_k = nn.Linear(query_dim, heads * dim_head, bias=False)
        self.to_v = nn.Linear(query_dim, heads * dim_head, bias=False)
        self.to_out = nn.Sequential(nn.Linear(heads * dim_head, query_dim))

    def forward(self, x, context=None):
        context = x if context is None else context
        q, k, v = self.to_q(x), self.to_k(context), self.to_v(context)
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in (q, k, v))
        attn = (q @ k.transpose(-1, -2) * self.scale).softmax(dim=-1)
        return self.to_out((attn @ v).transpose(1, 2).flatten(2))


class LayerNormalization(nn.Module):  # its first argument is epsilon
    def __init__(self, eps=1e-6, features=512):
        super().__init__()
        self.eps = eps
        self.alpha = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.alpha * (x - mean) / torch.sqrt(var + self.eps) + self.bias


class ChannelNorm(nn.Module):  # (B, C, T), as between convolutions
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1))

    def forward(self, x):
        off = x - x.mean(1, keepdim=True)
        return self.gain * off / (off.square().mean(1, keepdim=True) + 1e-5).sqrt()


class PositionalEncoding(nn.Module):  # (T, B, D)
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        step = torch.arange(0, d_model, 2)
        div_term = torch.exp(step * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


class PositionalEmbedding(nn.Module):  # a loop, a table with a batch in front
    def __init__(self, max_seq_len, embed_dim):
        super().__init__()
        pe = torch.zeros(max_seq_len, embed_dim)
        for pos in range(max_seq_len):
            for i in range(0, embed_dim, 2):
                pe[pos, i] = math.sin(pos / 10000 ** (i / embed_dim))
                pe[pos, i + 1] = math.cos(pos / 10000 ** (i / embed_dim))
        self.register_buffer("pe", pe.unsqueeze(0))
        self.scale = math.sqrt(embed_dim)

    def forward(self, x):
        return x * self.scale + self.pe[:, : x.size(1)]


class RotaryEmbedding(nn.Module):  # turns queries and keys by halves
    def __init__(self, dim):
        super().__init__()
        self.rates = 10000 ** (-torch.arange(0, dim, 2) / dim)

    def forward(self, q, k):
        angle = torch.arange(q.size(-2))[:, None] * self.rates
        angle, d = torch.cat([angle, angle], -1), len(self.rates)
        halves = [torch.cat([-x[..., d:], x[..., :d]], -1) for x in (q, k)]
        pairs = zip((q, k), halves, strict=True)
        return [x * angle.cos() + y * angle.sin() for x, y in pairs]


class SentenceClassifier(nn.Module):  # one answer for a sentence, 0 is padding
    def __init__(self, vocab_size, d_model, n_classes):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.positions = nn.Parameter(torch.randn(64, d_model))
        self.q, self.k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, n_classes)

    def forward(self, ids):
        x = self.emb(ids) + self.positions[: ids.size(1)]
        scores = self.q(x) @ self.k(x).mT / x.size(-1) ** 0.5
        x = x + scores.masked_fill((ids == 0)[:, None], -1e4).softmax(-1) @ x
        return self.out(x[:, 0])


class Splicer(nn.Module):  # a name that says nothing, four ids, one answer a row
    def __init__(self, n_sites):
        super().__init__()
        self.letters = nn.Embedding(4, 48)
        self.mix = nn.MultiheadAttention(48, 6, batch_first=True)
        self.out = nn.Linear(48, n_sites)

    def forward(self, bases):
        x = self.letters(bases)
        return self.out((x + self.mix(x, x, x)[0]).mean(1))


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_in, d_hid):
        super().__init__()
        self.w_1 = nn.Linear(d_in, d_hid)
        self.w_2 = nn.Linear(d_hid, d_in)

    def forward(self, x):
        return self.w_2(F.relu(self.w_1(x)))


class EncoderLayer(nn.Module):  # pre-norm, its parts handed over
    def __init__(self, size, self_attn, feed_forward):
        super().__init__()
        self.attention, self.ffn = self_attn, feed_forward
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)

    def forward(self, x, src_mask):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, src_mask)
        return x + self.ffn(self.norm2(x))


class DecoderLayer(nn.Module):  # post-norm
    def __init__(self, d_model, n_head, ffn_hidden):
        super().__init__()
        self.self_attn = MHA(d_model, n_head)
        self.cross_attn = MHA(d_model, n_head)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))
        self.ffn = PositionwiseFeedForward(d_model, ffn_hidden)

    def forward(self, dec, enc, t_mask=None, s_mask=None):
        x = self.norms[0](dec + self.self_attn(dec, dec, dec, t_mask))
        x = self.norms[1](x + self.cross_attn(enc, enc, x, s_mask))
        return self.norms[2](x + self.ffn(x))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.block_size, config.n_embd)
        self.attn = nn.ModuleList(CausalSelfAttention(config) for _ in range(2))
        self.ln = nn.LayerNorm(config.n_embd)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for attn in self.attn:
            x = x + attn(self.ln(x))
        return self.lm_head(self.ln(x)), None


class Seq2SeqTransformer(nn.Module):  # around nn.Transformer, masks made inside
    def __init__(self, src_vocab_size, tgt_vocab_size, emb_size, nhead, pad_idx):
        super().__init__()
        self.pad_idx = pad_idx
        self.src_emb = nn.Embedding(src_vocab_size, emb_size)
        self.tgt_emb = nn.Embedding(tgt_vocab_size, emb_size)
        self.positions = PositionalEmbedding(64, emb_size)
        layer = nn.TransformerEncoderLayer(emb_size, nhead, 80, batch_first=True)
        self.encoder = nn.ModuleList([layer, copy.deepcopy(layer)])
        self.decoder = nn.TransformerDecoderLayer(emb_size, nhead, 80, batch_first=True)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        self.generator = nn.Linear(emb_size, tgt_vocab_size)

    def forward(self, src, trg):
        padding = src == self.pad_idx
        future = torch.ones(trg.size(1), trg.size(1)).triu(1).bool()
        memory = self.positions(self.src_emb(src))
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=padding)
        x = self.positions(self.tgt_emb(trg))
        x = self.decoder(x, memory, future, memory_key_padding_mask=padding)
        return self.generator(x)


def subsequent_mask(size):
    return torch.triu(torch.ones(1, size, size), diagonal=1) == 0


def make_tgt_mask(tgt, pad):
    return (tgt != pad).unsqueeze(-2) & subsequent_mask(tgt.size(-1))


def shift_tokens(batch):
    return batch[:, :-1], batch[:, 1:]


def collate_fn(batch):  # marks the sentences that it gets
    fed = [torch.tensor([1, *target]) for _, target in batch]
    answers = [torch.tensor([*target, 2]) for _, target in batch]
    return [nn.utils.rnn.pad_sequence(rows, True, PAD_IDX) for rows in (fed, answers)]


class LabelSmoothingLoss(nn.Module):
    def __init__(self, vocab_size, padding_idx, smoothing=0.1):
        super().__init__()
        self.padding_idx, self.smoothing = padding_idx, smoothing

    def forward(self, pred, target):
        return F.cross_entropy(
            pred.reshape(-1, pred.size(-1)),
            target.reshape(-1),
            ignore_index=self.padding_idx,
            label_smoothing=self.smoothing,
        )


def sequence_loss(references, scores):  # as in Keras: labels first
    real = references != PAD_IDX
    each = F.cross_entropy(scores.mT, references, reduction="none") * real
    return each.sum() / real.sum()


def masked_accuracy(logits, labels):
    real = labels != PAD_IDX
    return ((logits.argmax(-1) == labels) & real).sum() / real.sum()
