"""The small run's parts, importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
