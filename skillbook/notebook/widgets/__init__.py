"""The anywidgets: panel, page view, replay, recorder, frame."""
