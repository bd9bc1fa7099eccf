"""The invariants of the floor, one file a kind; :mod:`pipeline.validate` says what each one means.

None of the code that makes timelines is used here: everything is worked out again from the records.
"""
