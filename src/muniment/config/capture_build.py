"""Shape → model, for the API that captures are fetched from."""

from __future__ import annotations

from muniment.config.capture_shape import HttpShape, PagesShape
from muniment.model.source import Http, Pages


def build_http(shape: HttpShape) -> Http:
    """The API that a shape without mistakes describes."""
    return Http(
        url=shape.url,
        use=shape.use,
        params={name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in shape.params.items()},
        records=shape.records,
        total=shape.total,
        as_of=shape.as_of,
        pages=_pages(shape.pages) if shape.pages else Pages(),
        timeout=shape.timeout,
        attempts=shape.attempts,
        wait=shape.wait,
        max_wait=shape.max_wait,
        max_mb=shape.max_mb,
        max_pages=shape.max_pages,
    )


def _pages(shape: PagesShape) -> Pages:
    return Pages(shape.by, shape.parameter, shape.start, size=shape.size, size_parameter=shape.size_parameter, next=shape.next)
