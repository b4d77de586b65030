"""The built-in plugins. They stand on hooks, ports, model, language and errors, like a stranger's."""
