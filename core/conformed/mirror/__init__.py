"""A mirror: a folder of approved models, each with a manifest of its files. What is verified is what is loaded; plain files only."""
