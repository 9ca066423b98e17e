"""What a skill is: typed inputs and outputs, steps with locators and checks, origins, secrets, a prompt."""
