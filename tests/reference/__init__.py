"""Slow, obvious reference implementations: what every fast statement of the project is compared with."""
