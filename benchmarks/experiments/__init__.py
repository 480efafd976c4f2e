"""The paper's experiments: its grid of parameters, its metrics and queries, its figures, and its claims one by one."""
