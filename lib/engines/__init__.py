"""Engines that run a translator faster than PyTorch does, and without it.

:mod:`lib.engines.export` writes a translator for CTranslate2 or for ONNX Runtime;
:func:`open_engine` opens what it wrote. Opening and translating import neither PyTorch
nor anything that does.
"""

from lib.engines.folder import ENGINES
from lib.engines.served import EngineTranslator, open_engine

__all__ = ["ENGINES", "EngineTranslator", "open_engine"]
