"""Studies of confidence: calibration, coders, promises."""
