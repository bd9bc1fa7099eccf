"""Measuring the voices of the pool, and writing what was found to `voices/calibration.yaml`."""
