#!/usr/bin/env python3
"""`sonde why` finds what `sonde synth --plant` plants, and says what it costs."""

import sys

import _planted

sys.exit(_planted.check(_planted.measure(range(1, 4))))
