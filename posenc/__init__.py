"""Positional encodings of transformers in plain numpy, readable beside the lessons."""
