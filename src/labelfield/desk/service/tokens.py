"""Tokens of programs: a file of names and hashes, or one token that lives as long as the service.

A line of the file is a name, a blank and the SHA-256 of a token.
"""

import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from labelfield.io._aside import write_aside

__all__ = ["add_token", "new_token_hash", "read_tokens", "who_of"]


def new_token_hash() -> tuple[str, str]:
    """Return a fresh token and its hash."""
    token = secrets.token_urlsafe(32)
    return token, _hash(token)


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def who_of(hashes: dict[str, str]) -> Callable[[str], str | None]:
    """Return a function that names who has a token, given {name: hash}.

    Examples
    --------
    >>> from labelfield.desk.service.tokens import new_token_hash, who_of
    >>> token, kept = new_token_hash()
    >>> who = who_of({"billing": kept})
    >>> who(token), who("guess")
    ('billing', None)
    """

    def who(token: str) -> str | None:
        given = _hash(token)
        found = [name for name, kept in hashes.items() if hmac.compare_digest(kept, given)]
        return found[0] if token and found else None

    return who


def read_tokens(path: Path) -> dict[str, str]:
    """Return {name: hash} of a file of tokens."""
    hashes = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        name, _, kept = line.rpartition(" ")
        if not name or len(kept) != 64:
            raise ValueError(f"{path}, line {number}: must be a name and a hash of 64 letters.")
        hashes[name.strip()] = kept
    if not hashes:
        raise ValueError(f"{path} holds no token; add one with `labelfield desk token`.")
    return hashes


def add_token(path: Path, name: str) -> str:
    """Add a fresh token to a file, made if it is not there; return the token."""
    hashes = read_tokens(path) if path.exists() else {}
    if not name.strip() or "\n" in name:
        raise ValueError(f"A token needs a name in one line; got {name!r}.")
    if name in hashes:
        raise ValueError(f"{path} has a token called {name!r}; choose another name.")
    token, hashes[name] = new_token_hash()
    with write_aside(path) as file:
        file.writelines(f"{one} {kept}\n" for one, kept in hashes.items())
    path.chmod(0o600)
    return token
