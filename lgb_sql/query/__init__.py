"""Answers with bounds: an analyst's SQL in, certain bounds, an estimate and the paper's interval out."""
