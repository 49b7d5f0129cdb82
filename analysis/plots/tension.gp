# SPDX-License-Identifier: GPL-3.0-or-later
# Tension over time: the tension probes of the scenario, or the largest tension anywhere.
load plots."panels.gp"
