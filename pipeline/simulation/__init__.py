"""The discrete-event simulation that decides who holds the floor: participants, their policies, one floor."""
