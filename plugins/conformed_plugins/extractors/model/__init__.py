"""A second reader of the documents: a model points at words, and the product's own grammar reads them.

A model may only point. What the rules reader saw too adds nothing; what it did not see, or sees otherwise, goes to a person.
"""
