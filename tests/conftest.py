"""Random cases are the same in every run, however files are spread over processes."""

from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

# Hypothesis mixes constants of the project's modules into its examples, of those that happen to be imported, and has
# no setting for it.
setattr(providers, "_get_local_constants", Constants)  # noqa: B010  a name that is not exported
