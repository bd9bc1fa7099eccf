"""Model files from a plain address, streamed, continued where a fetch broke off."""

from pathlib import Path

from pipeline.models.catalogue import ModelFile, UrlSource
from pipeline.models.download import download
from pipeline.models.report import Report, SourceError


def fetch(source: UrlSource, missing: tuple[ModelFile, ...], staging: Path, report: Report) -> None:
    """Stream each of the `missing` files; one that is there in part is continued.

    Raises
    ------
    SourceError
        when the server cannot be reached, has no such file, or keeps breaking off, or the disk takes no more.

    """
    for file in missing:
        url = source.url.format(name=file.name)
        try:
            reason = download(url, staging / file.name, file.bytes, report)
        except OSError as error:
            raise SourceError(f"{staging / file.name} cannot be written ({error.strerror})") from error
        if reason:
            raise SourceError(f"{url}: {reason}")
        report.finish(file.bytes)
