"""Every piece of the Transformer, once, tested; the chapters of the book import it.

The modules stand in one order, and each imports only those above it:
files, config, positions, masks, attention, layers, model, fused, pieces, vocabulary,
subwords, corpora, data, packing, cache, decoding, evaluation, mistakes, training,
translator, figures, views, checks, and the command line.
"""
