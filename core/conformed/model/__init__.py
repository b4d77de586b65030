"""The types that flow: frozen, closed, exact. No input or output, no rule."""
