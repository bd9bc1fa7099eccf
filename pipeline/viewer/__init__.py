"""A static page for looking at a corpus: overview, list, and each conversation with its sound, log and gold."""
