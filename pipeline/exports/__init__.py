"""A finished corpus in the formats of other tools: a module a format, :mod:`~pipeline.exports.registry` knows them all."""
