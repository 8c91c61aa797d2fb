"""Editor features of Foya rules."""
