"""The members of the benchmark's dimension: players of a casino, as the document on slowly changing dimensions has them.

A value is picked by a hash of the member's number and the value's name, so every member has the same whoever makes it. Tier, home and score
change from day to day; who looks after people, where they live, what they are called and how to reach them stays, so that a contender without type 1 holds the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_FIRST = "Ada Ben Carla Dinesh Elena Farid Grace Hugo Ines Jonas Kira Liam Maya Noah Olga Pablo Quinn Rosa Samir Tess Umar Vera Wade Ximena Yusuf Zoe"
_LAST = "Abbott Berger Castillo Dubois Evans Fischer Garcia Hughes Ito Jensen Kowalski Lopez Moreau Nguyen Olsen Patel Quist Rossi Silva Tanaka Ueda Vargas Weber Xu Young Zeller"
_STREET = "Acacia Birch Canyon Desert Elm Fremont Granite Harmon Indigo Juniper Koval Lake Maple Nellis Ocotillo Paradise Quartz Rancho Sahara Tropicana Union Valley Warm Yucca"
_KIND = "Avenue Boulevard Court Drive Lane Road Street Way"
_CITY = (
    "Atlantic-City Biloxi Boulder Carson-City Elko Henderson Lake-Tahoe Las-Vegas Laughlin Macau Mesquite Pahrump Reno Sparks Tunica Verdi"
)
_MAIL = "example.com example.net example.org mail.example post.example"


def columns(day: int) -> Iterator[str]:
    """The expressions of a member with the number `id`, on a day."""
    yield "format_string('P%09d', id) AS player_id"
    yield f"{_one_of(('Bronze', 'Silver', 'Gold', 'Platinum'), 'tier', day)} AS tier"
    yield f"format_string('H%03d', {_below(500, 'home', day)}) AS home"
    yield f"cast({_below(1000, 'score', day)} AS int) AS score"
    yield f"concat({_below(9999, 'house')}, ' ', {_words(_STREET)}, ' ', {_words(_KIND)}, ' #', {_below(900, 'flat')}) AS address"
    yield f"concat({_words(_CITY)}, ' ', format_string('%05d', {_below(100_000, 'zip')})) AS city"
    yield f"format_string('E%05d', {_below(4_000, 'host')}) AS host"
    yield f"{_words(_FIRST)} AS first_name"
    yield f"{_words(_LAST)} AS last_name"
    yield f"date_add(DATE '1935-01-01', cast({_below(25_000, 'birth')} AS int)) AS birth_date"
    yield f"concat('+1 ', format_string('%03d %07d', {_below(800, 'area')} + 200, {_below(10_000_000, 'phone')})) AS phone"
    yield f"lower(concat({_words(_FIRST)}, '.', {_words(_LAST)}, {_below(100_000, 'mail')}, '@', {_words(_MAIL)})) AS email"
    yield f"format_string('%016d', {_below(10_000_000_000_000_000, 'card')}) AS card"


def _below(limit: int, name: str, day: int = 0) -> str:
    """A number of the member's own."""
    return f"pmod(xxhash64(id, '{name}', {day}), {limit}L)"


def _one_of(words: Sequence[str], name: str, day: int = 0) -> str:
    listed = ", ".join(f"'{word.replace('-', ' ')}'" for word in words)
    return f"element_at(array({listed}), cast({_below(len(words), name, day)} AS int) + 1)"


def _words(text: str) -> str:
    return _one_of(text.split(), text[:12])
