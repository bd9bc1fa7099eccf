"""Ways from the page to the files of the corpus, as a browser follows them."""

import os
from pathlib import Path
from urllib.parse import quote


def way(start: Path, end: Path) -> str:
    """The relative address of the file or folder `end` for a page in the folder `start`.

    >>> way(Path("a/my corpus/view"), Path("a/my corpus/report/rates 1.png"))
    '../report/rates%201.png'
    """
    return quote(Path(os.path.relpath(end, start)).as_posix())
