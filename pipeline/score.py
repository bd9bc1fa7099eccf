"""The command that scores detectors on a corpus; :mod:`pipeline.evaluation.command` is all of it."""

import sys

from pipeline.command import ended
from pipeline.evaluation.command import main

if __name__ == "__main__":
    sys.exit(ended(main))
