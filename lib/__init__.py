"""Every piece of the Transformer, once, tested; the chapters of the book import it.

The modules stand in one order, and each imports only those above it:
files, config, positions, masks, attention, layers, model, speed, vocabulary, corpora,
data, decoding, translator, evaluation, training, figures, views, checks, and the
command line.
"""
