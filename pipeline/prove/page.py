"""A proof as a page: one verdict, a table, and for each gate where it failed or came nearest to failing."""

from pathlib import Path

from pipeline.output.page import templates
from pipeline.workspace import write_text

from .proving import Proof
from .table import cells

FOLDER, PAGE, DATA = "report", "prove.html", "prove.json"


def write_page(corpus: Path, proof: Proof) -> Path:
    """Write the page and its data into the corpus's folder `report`; returns the page's path.

    Raises
    ------
    OutputError
        when the folder cannot be written.

    """
    folder = corpus / FOLDER
    write_text(folder / DATA, proof.to_json())
    page = templates().get_template("prove.html.j2").render(name=corpus.resolve().name, proof=proof, cells=cells)
    write_text(folder / PAGE, page)
    return folder / PAGE
