"""Gates that a finished corpus passes or fails, each measured on its files alone, and one verdict over all."""
