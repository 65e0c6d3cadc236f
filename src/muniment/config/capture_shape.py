"""The shape of an API that captures are fetched from."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from muniment.config.shape import Scalar, Shape
from muniment.model.source import PagesBy


class PagesShape(Shape):
    """How the rest of an answer is asked for."""

    by: Annotated[PagesBy, Field(strict=False)] = Field(description="By page, offset, cursor, or the Link header", examples=["page"])
    parameter: str | None = Field(None, min_length=1, description="The request's parameter; default: page, offset, cursor")
    start: int | None = Field(None, ge=0, description="Of the first request; default: 1 for pages, 0 for offsets", examples=[0])
    size: int | None = Field(None, ge=1, description="Records of one page", examples=[100])
    size_parameter: str | None = Field(None, min_length=1, description="The parameter that asks for that size", examples=["limit"])
    next: str | None = Field(None, min_length=1, description="Where the answer has the next cursor", examples=["meta.next"])


class HttpShape(Shape):
    """A JSON API; paths such as data.items lead to a part of its answer."""

    url: str = Field(min_length=1, description="Its address", examples=["https://api.example.org/symbols"])
    use: str | None = Field(None, description="A connection: its settings are headers, those named param.NAME parameters")
    params: dict[str, Scalar] = Field({}, description="Parameters of the request", examples=[{"exchange": "SZSE"}])
    records: str = Field("", description="Where the answer has its records; left out: it is a list", examples=["data.items"])
    total: str | None = Field(None, min_length=1, description="Where it says how many there are", examples=["meta.total"])
    as_of: str | None = Field(None, min_length=1, description="Where it says for when it speaks", examples=["meta.as_of"])
    pages: PagesShape | None = Field(None, description="How the rest is asked for", examples=[{"by": "page", "size": 100}])
    timeout: float = Field(30.0, ge=0.001, allow_inf_nan=False, description="Seconds for one answer", examples=[30])
    attempts: int = Field(5, ge=1, description="How often one page is asked for at most", examples=[5])
    wait: float = Field(0.5, ge=0, allow_inf_nan=False, description="Seconds before the second attempt; doubled for each one after it")
    max_wait: float = Field(120.0, ge=0, allow_inf_nan=False, description="The longest wait, whatever the server asks for", examples=[120])
    max_mb: float = Field(256.0, ge=0.001, allow_inf_nan=False, description="The largest answer", examples=[256])
    max_pages: int = Field(10_000, ge=1, description="The most pages", examples=[10_000])
