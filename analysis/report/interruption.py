# SPDX-License-Identifier: GPL-3.0-or-later
"""Collects signals that end a report and raises them only where nothing is half done: an exception
from a handler could leave a process or a lock for which a pool would wait for ever."""

from __future__ import annotations

import signal

POLL = 0.05  # s between checks while waiting for something else
signals: list[int] = []


def catch() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda own, _: signals.append(own))


def check() -> None:
    if signals:
        raise KeyboardInterrupt
