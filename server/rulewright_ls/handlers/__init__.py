"""One module per request: position to offset, call the engine, result to the protocol. Nothing is kept between requests."""
