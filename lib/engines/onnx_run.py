"""An exported translator, run by ONNX Runtime; the loop of greedy decoding is ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lib.engines.folder import Exported, damaged, import_engine


class OnnxEngine:
    """Let ONNX Runtime compute each step, and always take the likeliest next word."""

    def __init__(self, folder: Path, exported: Exported, threads: int) -> None:
        onnxruntime = import_engine("onnx", "onnxruntime")
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads
        settings.log_severity_level = 3  # errors are raised; warnings are for makers
        try:
            self.encoder, self.decoder = (
                onnxruntime.InferenceSession(
                    str(folder / name), settings, providers=["CPUExecutionProvider"]
                )
                for name in ("encoder.onnx", "decoder.onnx")
            )
        except Exception as error:  # the library has a dozen, all of its own
            raise damaged(folder, error) from error
        self.vocabulary = exported.tgt_vocab

    def write(
        self,
        sources: list[list[int]],
        limits: list[int],
        beam_size: int,
        length_penalty: float,
    ) -> list[list[int]]:
        """Translate a batch: as :meth:`lib.engines.served.Engine.write`."""
        if beam_size > 1:
            raise ValueError(
                "The engine 'onnx' writes greedily and has no beam search; ask for a "
                f"beam of 1 (--beam 1), not of {beam_size}."
            )
        pad, sos = self.vocabulary.pad_id, self.vocabulary.sos_id
        src = np.full((len(sources), max(map(len, sources))), pad)  # (B, S)
        for row, ids in zip(src, sources, strict=True):
            row[: len(ids)] = ids
        memory, kept = self.encoder.run(None, {"src": src}), self._nothing(len(src))
        written: list[list[int]] = [[] for _ in sources]
        rows = np.arange(len(sources))  # those that are not finished
        newest = np.full(len(sources), sos)
        while len(rows):
            scores, *kept = self._step(newest, src, [*kept, *memory])  # (B, V)
            scores[:, [pad, sos]] = -np.inf
            newest = scores.argmax(axis=1)
            for place, number in zip(rows, newest.tolist(), strict=True):
                written[place].append(number)
            going = np.array([self._is_open(written[i], limits[i]) for i in rows])
            if not going.all():
                rows, newest, src = rows[going], newest[going], src[going]
                kept, memory = ([part[going] for part in x] for x in (kept, memory))
        return written

    def _is_open(self, ids: list[int], limit: int) -> bool:
        return ids[-1] != self.vocabulary.eos_id and len(ids) < limit

    def _nothing(self, batch: int) -> list[Any]:
        """Return keys and values (B, H, 0, D/H) before anything was read."""
        given = [part for part in self.decoder.get_inputs() if part.name[:4] == "kept"]
        heads, d_head = given[0].shape[1], given[0].shape[3]
        return [np.zeros((batch, heads, 0, d_head), np.float32) for _ in given]

    def _step(self, ids: Any, src: Any, kept: list[Any]) -> list[Any]:
        names = [part.name for part in self.decoder.get_inputs()]
        return self.decoder.run(None, dict(zip(names, [ids, src, *kept], strict=True)))
