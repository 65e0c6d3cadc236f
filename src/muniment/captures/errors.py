"""What can be wrong with a capture."""

from __future__ import annotations

from muniment.errors import DataRefused, InfrastructureFailed, UserMistake


class NoCapturePlace(UserMistake):
    code = "MU-CAPTURE-001"
    what = "{entity}.{source} keeps no captures"
    do = "Give the source a folder of its own: read: {{format: json, capture: captures/{source}}}."


class HostileName(UserMistake):
    code = "MU-CAPTURE-002"
    what = "{what_name} {name} cannot be the name of a folder"
    do = "Use letters, digits, '.', '_', '-' and '+', beginning with a letter or a digit, at most 100 of them."


class CaptureTaken(DataRefused):
    code = "MU-CAPTURE-003"
    what = "there is a capture of {captured_at} with other content at {path}"
    do = "A capture is never changed: give this one its own captured_at."


class CaptureIncomplete(DataRefused):
    code = "MU-CAPTURE-004"
    what = "the capture {path} is not complete: {reason}"
    do = "Capture again; what an incomplete one lacks says nothing, so it is kept and never used."


class CaptureDamaged(DataRefused):
    code = "MU-CAPTURE-005"
    what = "the capture {path} cannot be used: {problem}"
    do = "Bring back the files as they were captured, or move the folder away and capture again."


class NoFetch(UserMistake):
    code = "MU-CAPTURE-006"
    what = "{entity}.{source} does not say how to fetch"
    do = "Add 'http: {{url: …}}' beside 'capture' under 'read', or give a fetch function from Python."


class Backdated(DataRefused):
    code = "MU-CAPTURE-007"
    what = "{entity} from {source}: nothing was landed, because {examples}"
    do = "It is set aside and later captures go on without it; 'muniment capture replay {entity} {source} --from-start' takes all in their true order."


class FetchFailed(InfrastructureFailed):
    code = "MU-CAPTURE-008"
    what = "{problem}"
    do = "Try again later; what had come until then is kept."


class NoDates(UserMistake):
    code = "MU-CAPTURE-009"
    what = "captures of {source} with 'mode: {mode}' have dates of their own, and nothing says where"
    do = "Name the column with them: {setting}: COLUMN."
