"""Symbolic answers: text to an allow-list of syntax, a tree, and algebra in a worker. Never eval; the algebra's own parser is not used.

What is assumed: a letter stands for any real number unless the item says otherwise; ``e`` is Euler's number and ``i`` the
imaginary unit; roots and powers have their principal values; ``log`` without a base has some base, the same everywhere.
"""

from __future__ import annotations

from conformed_plugins.verifiers.symbolic.verify import ASSUMPTIONS, SymbolicVerifier, verify_symbolic

__all__ = ["ASSUMPTIONS", "SymbolicVerifier", "verify_symbolic"]
