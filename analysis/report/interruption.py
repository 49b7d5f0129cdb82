# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that end a report. They are gathered and looked at where nothing is half done: an
exception out of a handler could leave a process or a lock that a pool would wait for, for ever."""

from __future__ import annotations

import signal

POLL = 0.05  # s between looks, where something else is waited for
signals: list[int] = []


def catch() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda own, _: signals.append(own))


def check() -> None:
    if signals:
        raise KeyboardInterrupt
