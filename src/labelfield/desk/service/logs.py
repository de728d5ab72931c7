"""One line of JSON for every request, without what was asked or answered."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

__all__ = ["show_requests"]


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def show_requests(stream: TextIO | None = None) -> logging.Handler:
    """Write what the desk logs to a stream, stderr by default; return the handler."""
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(_Lines())
    log = logging.getLogger("labelfield.desk")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.handlers = [handler]
    return handler
