"""Editor features as pure functions on texts and analyses; results carry spans. Nothing here knows the protocol."""
