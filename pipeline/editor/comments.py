"""The comments of a configuration file, by the key that they stand behind."""

import re
from collections.abc import Iterator

_LINE = re.compile(r"^(?P<indent> *)(?P<key>[\w-]+):(?P<value>[^#]*?)(?:\s+# (?P<told>.*))?$")
_MORE = re.compile(r"^ +# (?P<told>.*)$")


def comments(text: str) -> dict[str, str]:
    r"""What stands behind each key of a YAML file, by its dotted path; a comment may go on in lines of its own.

    >>> comments("mode: own   # one\n            # more\nends:\n  fall: 6  # semitones\n")
    {'mode': 'one more', 'ends.fall': 'semitones'}
    """
    return dict(_found(text))


def _found(text: str) -> Iterator[tuple[str, str]]:
    above: list[tuple[int, str]] = []
    key, told = "", ""
    for line in text.splitlines():
        more = _MORE.match(line)
        if more and told:
            told = f"{told} {more['told']}"
            continue
        if told:
            yield key, told
        found = _LINE.match(line)
        told = (found["told"] or "") if found else ""
        if found:
            depth = len(found["indent"])
            above = [*(parent for parent in above if parent[0] < depth), (depth, found["key"])]
            key = ".".join(name for _, name in above)
    if told:
        yield key, told
