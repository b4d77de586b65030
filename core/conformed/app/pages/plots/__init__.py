"""Plots of evaluations as SVG inside a page. They only repeat what a table beside them says."""

from conformed.app.pages.plots.gathered import MOST_ROWS, Plots, plots_of

__all__ = ["MOST_ROWS", "Plots", "plots_of"]
