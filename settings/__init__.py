"""The configuration of a stack: read once, checked whole, frozen."""

from settings.load import Loaded, load
from settings.model import Settings

__all__ = ["Loaded", "Settings", "load"]
