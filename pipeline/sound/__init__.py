"""The sounds of stage 4: levels, ambient beds, sound effects, distant speech and the banks they come from."""
