"""What a client is told where a request is not answered: a status, and an error in OpenAI's shape."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class Refusal(Exception):
    """Raised anywhere on a request's way; its text says what is wrong and what to do, and nothing of the request's
    content. ``retry_after`` are seconds."""

    def __init__(self, status: int, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after

    @property
    def response(self) -> JSONResponse:
        """The error as OpenAI has it, and ``detail``, the line that clients of docling-serve look for."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        kind = TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        error = {"message": str(self), "type": kind, "param": None, "code": self.status}
        return JSONResponse({"error": error, "detail": str(self)}, self.status, headers)


async def refused(request: Request, refusal: Exception) -> Response:
    """The exception handler of an application that raises refusals."""
    assert isinstance(refusal, Refusal)
    return refusal.response
