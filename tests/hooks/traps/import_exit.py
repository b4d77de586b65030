"""Leaves the process while it is imported."""

import sys

sys.exit("no licence found")
