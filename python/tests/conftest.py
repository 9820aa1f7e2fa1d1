"""Tests of the package in build/release/python; see python/README.md."""
