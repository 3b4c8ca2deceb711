"""Record of a stop that passed while it could not be judged. The daemon reads these files at its next start and records them."""

from __future__ import annotations

import json
import logging
import os
import time
import uuid
from pathlib import Path

logger = logging.getLogger("signalbox")


def write_overridden(folder: str, session: str, reason: str) -> None:
    """Never raises: the stop has passed already, and the session is shown as not ended in any case."""
    record = {"session": session, "at": round(time.time() * 1000), "reason": reason}
    place = Path(folder)
    name = f"{uuid.uuid4()}.json"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A complete file appears under its name, or none does.
        partial = place / f".{name}"
        with os.fdopen(
            os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump(record, file)
        partial.rename(place / name)
    except OSError as error:
        logger.error("The stop of session %s cannot be recorded in %s: %s.", session, folder, error)
