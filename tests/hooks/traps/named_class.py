"""Its entry point names a class (named_class:Plugin)."""

from conformed.hooks import Register, Registration, hookimpl


class Plugin:
    @hookimpl
    def register_readers(self, register: Register) -> None:
        register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))
