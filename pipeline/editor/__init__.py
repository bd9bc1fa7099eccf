"""What editors and readers are told of the configuration: JSON schemas of its files, and what each setting means."""
