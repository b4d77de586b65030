"""Weights in use: names for them that only the log moves, by two people, over declared gates.

What an evaluation writes is `conformed.model.weights_report.WeightsReport`.
"""
