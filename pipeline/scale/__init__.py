"""What a large corpus takes on many machines: the executors as a SimPy model, fed with measured stage times."""
