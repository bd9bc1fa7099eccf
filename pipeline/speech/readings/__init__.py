"""How written things are read aloud: one module for each kind (web, clock, dates, amounts, abbreviations, signs)."""
