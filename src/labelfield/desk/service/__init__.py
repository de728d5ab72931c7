"""The service: predictions over HTTP for programs."""

from labelfield.desk.service.app import make_service

__all__ = ["make_service"]
