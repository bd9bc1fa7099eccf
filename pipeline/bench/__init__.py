"""What each part of the pipeline takes, beside bare synthesis and a peer, in one run: ``python -m pipeline.bench``."""
