"""What may be wrong with an alert."""

from __future__ import annotations

from muniment.errors import UserMistake


class AlertMistake(UserMistake):
    code = "MU-ALERT-001"
    what = "an alert by {way} cannot go out: {problem}"
    do = "Mend it under 'alerts' in muniment.yml."
