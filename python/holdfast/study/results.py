"""What a run leaves behind."""

from __future__ import annotations

from typing import Any, NamedTuple


class Result(NamedTuple):
    """The result of a run. status: done, failed (it raised, or was refused) or timeout."""

    index: int  # type: ignore[assignment]  # the name takes the place of tuple.index, which nobody needs here
    status: str
    message: str
    success: bool | None
    metrics: dict[str, Any]
    state: bytes | None = None
    recording: bytes | None = None
    wall: float = 0.0  # time of the clock [s]; in a batch, its share
    model: str = ""

    @property
    def good(self) -> bool:
        return self.status == "done" and self.success is not False


_LONGEST_MESSAGE = 2000  # characters; an exception may carry a whole file


def failed(index: int, message: str, status: str = "failed") -> Result:
    """The result of a run that did not come to its end."""
    return Result(index, status, message[:_LONGEST_MESSAGE], False, {})
