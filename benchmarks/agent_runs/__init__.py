"""Tasks on real applications that a scripted model plays, to measure what agents send to a model."""
