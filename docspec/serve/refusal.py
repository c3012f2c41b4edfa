"""Errors for clients: a status and a body in OpenAI's format."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class Refusal(Exception):
    """An error for the client, raised anywhere while a request is handled. Its text says what is wrong and what to do,
    and contains nothing of the request. ``retry_after`` is in seconds."""

    def __init__(self, status: int, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after

    @property
    def response(self) -> JSONResponse:
        """The error in OpenAI's format, with ``detail``, which clients of docling-serve read."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        kind = TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        error = {"message": str(self), "type": kind, "param": None, "code": self.status}
        return JSONResponse({"error": error, "detail": str(self)}, self.status, headers)


async def refused(request: Request, refusal: Exception) -> Response:
    """The exception handler for :class:`Refusal`."""
    assert isinstance(refusal, Refusal)
    return refusal.response
