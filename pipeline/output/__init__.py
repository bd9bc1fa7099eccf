"""What a corpus is written as: audio files, event log, pages, manifest, statistics, readme."""
