"""Corpora and caches at a URL: any store that fsspec reaches, such as S3, S3-compatible servers, or GCS.

Nothing here is imported, and nothing of it needed, where a corpus is written into a folder.
"""
