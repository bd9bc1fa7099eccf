"""Speech: text to phonemes, phonemes to a clocked plan, the plan to sound, and voices that laugh."""
