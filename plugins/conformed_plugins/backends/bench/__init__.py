"""``conformed bench generate``: what generation costs here, with the conditions under which it was measured. Imports no torch."""
