"""Task contracts and other YAML: strict loading with places, the schema, binding to plugins, lint, diff and explanation."""
