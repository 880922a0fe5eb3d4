"""The model: a scenario and a price book in, an evaluation out. No Django, no human language."""

ENGINE_VERSION = "1.2.0"
