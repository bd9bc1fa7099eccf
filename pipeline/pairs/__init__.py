"""Counterfactual pairs: the same claim, pause or words with another outcome, all sound before it the same.

Both members are simulated from one script with the same draws; they differ in one decision of one participant, which
nobody can tell before it is made. What is set for the whole conversation, such as levels, is set by what lies before
the fork or by both members together.
"""
