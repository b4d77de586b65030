"""What a check inside a schema raises, so that the loader can point at the key and tell the mend."""

from __future__ import annotations

__all__ = ["RefusedError"]


class RefusedError(ValueError):
    """A value of a schema is refused.

    Args:
        found: what was found.
        mend: what to do.
        path: keys and indexes below the model that is checked, down to the value that is wrong.
    """

    def __init__(self, found: str, mend: str, path: tuple[str | int, ...] = ()) -> None:
        self.found, self.mend, self.path = found, mend, path
        super().__init__(f"{found} {mend}".strip())
