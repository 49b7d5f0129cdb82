# SPDX-License-Identifier: GPL-3.0-or-later
# The other probes of the scenario over time, beside their closed forms where there are any.
load plots."panels.gp"
