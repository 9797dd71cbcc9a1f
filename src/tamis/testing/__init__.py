"""Laws anyone can run on their own parts: each checker raises AssertionError with the law that is broken."""

from tamis.testing.sources import check_source

__all__ = ["check_source"]
