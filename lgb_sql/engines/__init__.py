"""Engines that run the statements; each module here is the only one that imports its engine."""
