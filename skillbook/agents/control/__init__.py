"""What reaches a goal without, or beside, a model that plans: skills, exploration, and a scout that can't act."""
