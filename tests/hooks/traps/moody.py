"""Its entry point names an object that raises when it is looked at (moody:PLUGIN)."""


class Moody:
    """Raises."""

    def __dir__(self) -> list[str]:
        """Raises."""
        raise RuntimeError("not today")


PLUGIN = Moody()
