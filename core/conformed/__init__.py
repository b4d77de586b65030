"""Conformed: which covenant governed on a date, what the ratio was, and what shows it.

The core: model, language, rules, hooks, policy, engine, app and command line. It never imports a plugin.
"""
