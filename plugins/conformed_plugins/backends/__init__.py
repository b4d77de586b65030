"""See DESIGN in docs/."""
