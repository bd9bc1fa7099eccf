"""``python -m pipeline.storage URL FOLDER``: have a finished corpus of a store in a folder, checked by its sums."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.command import command_parser, ended
from pipeline.errors import OutputError, PipelineError
from pipeline.storage.mirror import Mirror


def main(argv: Sequence[str] | None = None) -> int:
    """Bring a corpus; 0 when it is there whole, 2 for what the user can mend."""
    parser = command_parser(
        "pipeline.storage",
        "Have a finished corpus of a store in a folder, for tools that read folders. Each file is checked by the sum "
        "that the manifest states; what is there already is not fetched again.",
        "python -m pipeline.storage s3://bucket/corpora/mine corpora/mine",
        more="Credentials and the address of the server come from the environment: AWS_ACCESS_KEY_ID, "
        "AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL for s3://.",
    )
    parser.add_argument("url", help="where the corpus is, such as s3://bucket/corpora/mine")
    parser.add_argument("folder", type=Path, help="new, empty, or with an earlier copy of the same corpus")
    parser.add_argument("--json", action="store_true", help="print what was brought as JSON")
    given = parser.parse_args(argv)
    try:
        if given.folder.exists() and any(given.folder.iterdir()) and not (given.folder / "manifest.jsonl").is_file():
            raise OutputError(f"{given.folder}: holds something that is not a corpus; choose another folder")
        mirror = Mirror(given.url, given.folder)
        mirror.bring_all(lambda text: print(text, file=sys.stderr))
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    brought = {"url": mirror.store.url, "folder": str(mirror.folder), "conversations": mirror.ids}
    print(json.dumps(brought) if given.json else f"{len(mirror.ids)} conversations in {mirror.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
