"""The closed grammar of contract language: numbers, dates, comparators, windows, clauses, instructions.

Pure: text in, typed readings out. Rules need it to read a text again after a substitution, plugins to read it the first
time, so it stands below both. Anything that is not consumed whole is a doubt, never a guess.
"""
