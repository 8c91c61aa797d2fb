"""Editor features of STYLE packages."""
