"""Ask a labelfield service, with Python's own library only.

    python deploy/client.py http://127.0.0.1:8000 TOKEN rows.json

rows.json holds {"records": [{"column": value, ...}, ...]} or {"X": [[...], ...]}.
"""

import json
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def ask(address, token, path, body, timeout=30.0):
    """Return the answer to one request; a refusal raises ValueError with the service's reason."""
    request = Request(
        f"{address.rstrip('/')}/{path}",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    try:
        with urlopen(request, timeout=timeout) as answer:
            return json.load(answer)
    except HTTPError as error:
        raise ValueError(f"{error.code}: {json.load(error)['detail']}") from None


if __name__ == "__main__":
    address, token, file = sys.argv[1:]
    with open(file, encoding="utf-8") as rows:
        told = ask(address, token, "predict", json.load(rows) | {"alternatives": 3})
    for one in told["predictions"]:
        print(one["labels"], one["confidence"])  # noqa: T201
