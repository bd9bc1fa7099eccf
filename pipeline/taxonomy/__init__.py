"""The kinds of events as small pictures, drawn from a timeline."""
