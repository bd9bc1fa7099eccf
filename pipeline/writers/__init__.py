"""Writers of scripts, one a file behind one protocol, and what they share."""
