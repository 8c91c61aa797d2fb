"""Editor features of hook chains."""
