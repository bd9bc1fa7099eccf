"""The plots of a corpus's report, drawn with matplotlib: no display, no date in the files, a light ground."""
