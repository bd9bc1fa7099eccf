"""A finished corpus in the formats of other tools; :mod:`~pipeline.exports.registry` knows them all."""
