"""Every piece of the Transformer, once, tested; the chapters of the book import it.

The modules stand in one order, from `config` to the command line, and each
imports only those before it; import-linter's contract in pyproject.toml is that order.
"""

import warnings

# In a notebook tqdm, which Lightning imports, asks for a package that is not needed.
warnings.filterwarnings("ignore", message="IProgress not found")
